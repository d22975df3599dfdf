/**
 * Stores the session book of each calendar with the tape, because session edges are an input of every study. A book is
 * replaced atomically. A damaged one is rejected: resolving opened sessions again could change published results.
 *
 * A live dataset has two books of a calendar: that of the tape's writer, and that of imports, which may reach further
 * back. Each has one writer, so none is lost when both extend theirs at once. Readers get both, joined; where both know
 * a date, the tape's counts.
 */

import { joinSessionBooks, type SessionBook } from '@tapeloom/core/calendar/session-book';
import { formatSessionBook, parseSessionBook } from '@tapeloom/core/calendar/session-book-text';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { importedSessionsDirectory, isSafeName, sessionsDirectory } from '../tape-paths.ts';

const BOOK_SUFFIX = '.json';

export class SessionStore {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #importedDirectory: string;

  constructor(disk: Disk, tapeRoot: string, dataset: string) {
    this.#disk = disk;
    this.#directory = sessionsDirectory(tapeRoot, dataset);
    this.#importedDirectory = importedSessionsDirectory(tapeRoot, dataset);
  }

  /** The calendars with a book. */
  async calendars(): Promise<readonly string[]> {
    const names = [
      ...(await this.#disk.list(this.#directory)),
      ...(await this.#disk.list(this.#importedDirectory)),
    ];
    const books = names.filter((name) => name.endsWith(BOOK_SUFFIX));
    return [...new Set(books.map((name) => name.slice(0, -BOOK_SUFFIX.length)))].sort();
  }

  /** The book of this calendar, or null when there is none; rejects with `TapeDamagedError`. */
  async load(calendar: string): Promise<SessionBook | null> {
    const own = await this.#read(pathIn(this.#directory, calendar));
    const imported = await this.loadImported(calendar);
    return own === null || imported === null ? (own ?? imported) : joinSessionBooks(own, imported);
  }

  /** The book that imports into a live dataset wrote. */
  async loadImported(calendar: string): Promise<SessionBook | null> {
    return await this.#read(pathIn(this.#importedDirectory, calendar));
  }

  /** The book is on disk once this resolves. Only the tape's writer, or the only imports, may call it. */
  async save(book: SessionBook): Promise<void> {
    await this.#write(this.#directory, book);
  }

  /** The same for an import into a live dataset. */
  async saveImported(book: SessionBook): Promise<void> {
    await this.#write(this.#importedDirectory, book);
  }

  async #read(file: string): Promise<SessionBook | null> {
    const bytes = await readFileWhole(this.#disk, file);
    if (bytes === null) return null;
    try {
      return parseSessionBook(new TextDecoder().decode(bytes));
    } catch (error) {
      throw new TapeDamagedError('the session book cannot be read', { file, offset: 0 }, error);
    }
  }

  async #write(directory: string, book: SessionBook): Promise<void> {
    await this.#disk.makeDirectory(directory);
    const text = formatSessionBook(book);
    await replaceFile(this.#disk, pathIn(directory, book.calendar), new TextEncoder().encode(text));
  }
}

function pathIn(directory: string, calendar: string): string {
  if (!isSafeName(calendar)) throw new RangeError(`not a name of a calendar: ${calendar}`);
  return `${directory}/${calendar}${BOOK_SUFFIX}`;
}
