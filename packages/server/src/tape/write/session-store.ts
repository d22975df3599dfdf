/**
 * Stores the session book of each calendar with the tape, because session edges are an input of every study. A book is
 * replaced atomically. A damaged one is rejected: resolving opened sessions again could change published results.
 */

import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import { formatSessionBook, parseSessionBook } from '@tapeloom/core/calendar/session-book-text';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { isSafeName, sessionsDirectory } from '../tape-paths.ts';

export class SessionStore {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, tapeRoot: string, dataset: string) {
    this.#disk = disk;
    this.#directory = sessionsDirectory(tapeRoot, dataset);
  }

  /** The book of this calendar, or null when there is none; rejects with `TapeDamagedError`. */
  async load(calendar: string): Promise<SessionBook | null> {
    const file = this.#path(calendar);
    const bytes = await readFileWhole(this.#disk, file);
    if (bytes === null) return null;
    try {
      return parseSessionBook(new TextDecoder().decode(bytes));
    } catch (error) {
      throw new TapeDamagedError('the session book cannot be read', { file, offset: 0 }, error);
    }
  }

  /** The book is on disk once this resolves. */
  async save(book: SessionBook): Promise<void> {
    await this.#disk.makeDirectory(this.#directory);
    const text = formatSessionBook(book);
    await replaceFile(this.#disk, this.#path(book.calendar), new TextEncoder().encode(text));
  }

  #path(calendar: string): string {
    if (!isSafeName(calendar)) throw new RangeError(`not a name of a calendar: ${calendar}`);
    return `${this.#directory}/${calendar}.json`;
  }
}
