/**
 * Maintains the book of a shared tape. A follower takes the newest one. The leader writes one whenever its content
 * changes, and before every opening of a day. A day is listed only after its object was read back, and the stream is
 * purged only below listed days. The next leader finds unfinished work of the previous one as missing in the book.
 */

import { isDeepStrictEqual } from 'node:util';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Clock } from '../../../platform/clock.ts';
import { SerialQueue } from '../../../platform/waiting/serial-queue.ts';
import { sleep } from '../../../platform/waiting/sleep.ts';
import type { FencedWriter } from '../../stream/fenced-writer.ts';
import {
  type BookDay,
  decodeBook,
  emptyBook,
  encodeBook,
  objectOfBook,
  type TapeBook,
} from '../../stream/tape-book.ts';
import type { StoredMessage, TapeObjects, TapeStream } from '../../stream/tape-stream.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import type { SealedPart } from '../../tape-manifest.ts';
import { type Asking, answered, retryingObjects } from '../answered.ts';
import { putDay } from '../days/day-objects.ts';
import { removeParts } from '../parts/day-parts.ts';
import { type BookPlace, readBookFiles, writeBookFiles } from './book-files.ts';
import { inUseAgain, sweepBooks } from './book-objects.ts';

/** How often the leader looks for unlisted days. */
const ROUND_MS = 1_000;
/** Sealed days stored as objects before they are listed together, plus the rest of the last day. */
const PUT_AT_ONCE = 16;
/** Openings in a book. */
const OPENINGS_NAMED = 4;

export interface BookKeeperOptions extends BookPlace {
  readonly stream: TapeStream;
  readonly objects: TapeObjects;
  readonly clock: Pick<Clock, 'after'>;
  readonly signal: AbortSignal;
  /** The numbers of the openings that this node has seen. */
  readonly openings: () => ReadonlyMap<UtcDay, number>;
  /** The newest book and its files have changed. */
  readonly onBook: (book: TapeBook) => void | Promise<void>;
  readonly onRemoved: (symbol: string, day: UtcDay) => void;
  readonly onFault: (what: string, error: unknown) => void;
}

export class BookKeeper {
  readonly #options: BookKeeperOptions;
  /** Null until the first book. */
  #book: TapeBook | null = null;
  /** Its number in the stream; 0 when the stream does not have it. */
  #sequence = 0;
  #mayBeLost = false;
  /** The object that holds it; null when its message does. */
  #object: string | null = null;
  readonly #first = Promise.withResolvers<void>();
  readonly #writing = new SerialQueue();
  /** Days that the first streams need and that are sealed here. */
  #needed: readonly SealedPart[] | null = null;
  #floors: string | null = null;
  #purgedBelow = 0;
  readonly #unlistable = new Set<string>();
  /** Objects of days that the book no longer lists. */
  readonly #unlisted = new Set<string>();

  constructor(options: BookKeeperOptions) {
    this.#options = options;
  }

  get book(): TapeBook {
    return this.#book ?? emptyBook(this.#options.dataset);
  }

  /** The number of the newest book; 0 when the stream may have lost it. */
  get sequence(): number {
    return this.#mayBeLost ? 0 : this.#sequence;
  }

  /** Resolves when there is a book. */
  get first(): Promise<void> {
    return this.#first.promise;
  }

  isListed(day: UtcDay): boolean {
    return Object.values(this.book.days).some((days) => days[day] !== undefined);
  }

  async fetchNewest(): Promise<void> {
    const { stream, signal } = this.#options;
    const newest = await answered(this.#asking(signal), () => stream.newest('book'));
    if (newest !== null) await this.follow(newest);
  }

  /** Takes a book of another node. An older one than the known one is ignored: a start reads the newest first. */
  async follow({ body, sequence }: StoredMessage): Promise<void> {
    const { objects, signal } = this.#options;
    if (sequence <= this.#sequence) return;
    const book = await answered(this.#asking(signal), () => decodeBook(body, objects));
    const removals = await writeBookFiles(this.#options, book);
    for (const { symbol, days } of removals) {
      for (const day of days) this.#options.onRemoved(symbol, day);
    }
    // The book has this node's floors, or newer ones of another node.
    this.#floors = null;
    this.#object = objectOfBook(body);
    await this.#take(book, sequence);
  }

  /** The stream has lost messages, perhaps the newest book too: the next leader appends it again. */
  mayBeLost(): void {
    this.#mayBeLost = true;
  }

  /** The loss proved false. */
  stillThere(): void {
    this.#mayBeLost = false;
  }

  /** Lost messages are restored: the next book may have a lower number than a lost one. */
  putBack(): void {
    this.#sequence = 0;
  }

  /** All days that the first streams need are sealed here. The book becomes ready once it lists them. */
  setReady(): void {
    this.#needed = this.#daysToList();
  }

  /** Sets the floors for future books. */
  setFloors(floors: string): void {
    this.#floors = floors;
  }

  /** Appends a book if its content is new, or if it must stand at this position. */
  append(writer: FencedWriter, isNeeded = false): Promise<void> {
    return this.#writing.run(async () => {
      const book = await this.#make(this.book.days);
      const isSaid = this.sequence > 0 && isDeepStrictEqual(book, this.#book);
      if (isNeeded || !isSaid) await this.#append(writer, book);
    });
  }

  /** Lists days and purges the stream until the signal is aborted. */
  async lead(writer: FencedWriter, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!(await this.#listDays(writer, signal)))
          await sleep(this.#options.clock, ROUND_MS, signal);
        await this.#purge(writer);
        await this.#removeUnlisted();
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onFault('sealed days could not be shared; it is tried again', error);
        await sleep(this.#options.clock, ROUND_MS, signal);
      }
    }
  }

  /** Lists some of the days sealed here; false when none are left. */
  async #listDays(writer: FencedWriter, signal: AbortSignal): Promise<boolean> {
    const parts = withWholeDays(this.#daysToList(), PUT_AT_ONCE);
    const put: [SealedPart, BookDay][] = [];
    for (const part of parts) {
      if (signal.aborted) return false;
      const object = await this.#put(part);
      if (object !== null) put.push([part, { digest: part.digest, object }]);
    }
    if (put.length === 0) return parts.length > 0;
    await this.#writing.run(async () => {
      const days: Record<string, Record<string, BookDay>> = { ...this.book.days };
      for (const [{ symbol, day }, listed] of put) {
        days[symbol] = { ...days[symbol], [day]: listed };
      }
      await this.#append(writer, await this.#make(days));
    });
    return true;
  }

  async #put(part: SealedPart): Promise<string | null> {
    try {
      return await putDay(this.#options, part);
    } catch (error) {
      if (!(error instanceof TapeDamagedError)) throw error;
      // The day stays on this node and the fault is reported; other nodes never had it.
      this.#unlistable.add(`${part.symbol} ${part.day}`);
      this.#options.onFault('a sealed day is damaged and cannot be shared', error);
      return null;
    }
  }

  /** Newest first. */
  #daysToList(): readonly SealedPart[] {
    const { manifest } = this.#options;
    const { days } = this.book;
    const unlisted: SealedPart[] = [];
    for (const [symbol, of] of manifest.days) {
      for (const [day, digest] of of) {
        if (days[symbol]?.[day] !== undefined || manifest.isMissing(symbol, day)) continue;
        if (!this.#unlistable.has(`${symbol} ${day}`)) unlisted.push({ symbol, day, digest });
      }
    }
    return unlisted.sort((a, b) => b.day - a.day);
  }

  async #make(days: TapeBook['days']): Promise<TapeBook> {
    const { manifest, dataset, openings } = this.#options;
    const files = await readBookFiles(this.#options);
    const kept = Object.entries(days).flatMap(([symbol, of]) => {
      const first = manifest.keptFrom.get(symbol) ?? 0;
      const left = Object.entries(of).filter(([day]) => Number(day) >= first);
      return left.length === 0 ? [] : [[symbol, Object.fromEntries(left)] as const];
    });
    const seen = new Map(Object.entries(this.book.openings).map(([day, at]) => [Number(day), at]));
    for (const [day, at] of openings()) seen.set(day, at);
    const newest = [...seen].sort(([a], [b]) => a - b).slice(-OPENINGS_NAMED);
    return {
      dataset,
      ...files,
      floors: this.#floors ?? this.book.floors,
      keptFrom: Object.fromEntries(manifest.keptFrom),
      days: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))),
      openings: Object.fromEntries(newest),
      isReady: this.book.isReady || this.#hasNeeded(days),
    };
  }

  #hasNeeded(days: TapeBook['days']): boolean {
    const isThere = ({ symbol, day }: SealedPart) =>
      days[symbol]?.[day] !== undefined || this.#unlistable.has(`${symbol} ${day}`);
    return this.#needed?.every(isThere) ?? false;
  }

  async #append(writer: FencedWriter, book: TapeBook): Promise<void> {
    const before = this.book;
    // An outage of the objects must not end this node's leadership: only the end of its writer does.
    const objects = retryingObjects(this.#options.objects, this.#asking(writer.ended));
    const body = await encodeBook(book, objects);
    const object = objectOfBook(body);
    if (object !== null && object !== this.#object) await inUseAgain(objects, object);
    const sequence = await writer.append('book', body);
    this.#object = object;
    // Newer floors may have been set meanwhile.
    if (this.#floors === book.floors) this.#floors = null;
    await this.#take(book, sequence);
    for (const object of objectsOf(before).difference(objectsOf(book))) this.#unlisted.add(object);
  }

  #asking(signal: AbortSignal): Asking {
    const { stream, clock, onFault } = this.#options;
    const onWaiting = (error: unknown) =>
      onFault('the book of the tape cannot be stored or read now; it is tried again', error);
    return { stream, clock, signal, onWaiting };
  }

  async #take(book: TapeBook, sequence: number): Promise<void> {
    this.#book = book;
    this.#sequence = sequence;
    this.#mayBeLost = false;
    this.#first.resolve();
    await this.#options.onBook(book);
  }

  /** Objects that cannot be removed now are removed in a later round. */
  async #removeUnlisted(): Promise<void> {
    if (this.#unlisted.size === 0) return;
    for (const object of objectsOf(this.book)) this.#unlisted.delete(object);
    for (const object of this.#unlisted) {
      await this.#options.objects.remove(object);
      this.#unlisted.delete(object);
    }
  }

  /** Records of days before the last two sealed and listed ones are no longer needed. */
  async #purge(writer: FencedWriter): Promise<void> {
    const { manifest, stream, objects } = this.#options;
    const { days, openings } = this.book;
    const isListed = (day: number) =>
      [...manifest.days].every(
        ([symbol, of]) => !of.has(day as UtcDay) || days[symbol]?.[day] !== undefined,
      );
    const sealed = Object.keys(openings)
      .map((day) => Number(day) as UtcDay)
      .filter((day) => this.isListed(day) && isListed(day));
    const oldest = sealed.at(-2);
    if (oldest === undefined || openings[oldest]! <= this.#purgedBelow) return;
    await stream.purge(openings[oldest]!);
    for (const day of sealed) await removeParts(objects, day);
    const confirm = async () => {
      await this.#append(writer, this.book);
      return this.#sequence;
    };
    const first = openings[oldest]!;
    await this.#writing.run(() => sweepBooks(objects, { newest: this.#object, first, confirm }));
    this.#purgedBelow = openings[oldest]!;
  }
}

/** The first `least` parts and the rest of the last day: a day listed at all counts as sealed for every node. */
function withWholeDays(parts: readonly SealedPart[], least: number): readonly SealedPart[] {
  const last = parts[least - 1]?.day;
  return parts.filter(({ day }, index) => index < least || day === last);
}

function objectsOf({ days }: TapeBook): ReadonlySet<string> {
  const listed = Object.values(days).flatMap((of) => Object.values(of));
  return new Set(listed.map(({ object }) => object));
}
