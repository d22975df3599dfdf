/**
 * The tape of a dataset on one of the nodes that share it. The node joins with what it has, follows the stream, and
 * appends to it while it leads. Readers see the same tape either way, and on every node.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { TapeReader } from '../read/tape-reader.ts';
import { claimNews } from '../stream/claim-body.ts';
import type { FencedWriter } from '../stream/fenced-writer.ts';
import { FencedError, StreamPurgedError } from '../stream/stream-errors.ts';
import { Succession, type SuccessionState } from '../stream/succession.ts';
import type { TapeBook } from '../stream/tape-book.ts';
import type { StoredMessage } from '../stream/tape-stream.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { type SealedPart, TapeManifest } from '../tape-manifest.ts';
import { LiveDays } from '../write/live-days.ts';
import { Sequencer } from '../write/sequencer/sequencer.ts';
import { createCounters, type SequencerCounters } from '../write/sequencer/sequencer-counters.ts';
import { TapePublisher } from '../write/tape-publisher.ts';
import { type Asking, answered, retryingObjects } from './answered.ts';
import { BookKeeper } from './book/book-keeper.ts';
import { ListedDays, type WantedDays } from './days/listed-days.ts';
import { leadTape } from './lead-tape.ts';
import { LocalLog } from './log/local-log.ts';
import { giveUpHalfSealed, isSealed, recoverOrJoin, removeLogs } from './log/recover-copy.ts';
import type { RecoveredCopy } from './log/recovered-copy.ts';
import { LogFiller } from './parts/fill-log.ts';
import { prepareDirectory } from './shared-directory.ts';
import { CopyDiffersError, TapeRewrittenError } from './shared-errors.ts';
import type { SharedTapeOptions } from './shared-tape-options.ts';
import { TapeCopy } from './tape-copy.ts';

const BOOK = { file: 'book', offset: 0 } as const;
/** Days in a report at most. */
const DAYS_NAMED_MAX = 8;

/**
 * 1. Join: the newest book; own logs as far as they go, or parts of other nodes; then the stream behind them.
 * 2. Follow: records into the copy, books into files. Listed days that are missing here are fetched in the background.
 * 3. Lead (`lead-tape.ts`): a sequencer that resumes from everything followed, a writer on the fenced log, then the
 *    source. When fenced, they are discarded: the copy has exactly what was stored, and follows again.
 * 4. If the stream has purged the next message, the days are fetched and everything restarts at 1.
 */
export class SharedTape implements AsyncDisposable {
  readonly manifest: TapeManifest;
  readonly publisher = new TapePublisher();
  readonly counters: SequencerCounters = createCounters();
  /** Reads in this thread. */
  readonly tape: TapeReader;
  readonly #options: SharedTapeOptions;
  readonly #over = new AbortController();
  readonly #failed = Promise.withResolvers<never>();
  readonly #books: BookKeeper;
  readonly #listed: ListedDays;
  readonly #idle = Promise.withResolvers<void>();
  #local: LocalLog;
  #copy: TapeCopy | null = null;
  #from = 0;
  /** The end of the stream when it was joined. */
  #joinedAt = 0;
  #succession: Succession | null = null;
  #running: Promise<void> | null = null;
  #isLeaving = false;
  /** The number of the last message that did not continue the tape. */
  #readAgainAt = 0;
  #state: SuccessionState | { readonly role: 'joining' } = { role: 'joining' };
  /** Totals of earlier successions. */
  #takeovers = 0;
  #unknowns = 0;
  #fenced = 0;
  #heardEnd = 0;
  #filler: LogFiller | null = null;

  private constructor(options: SharedTapeOptions, manifest: TapeManifest) {
    const { disk, tapeRoot, dataset, stream, objects, clock, handler } = options;
    this.#options = options;
    this.manifest = manifest;
    this.#local = new LocalLog(options);
    this.#failed.promise.catch(() => {});
    const place = { disk, tapeRoot, dataset, manifest, stream, objects, clock };
    const onFault = (what: string, error: unknown) => handler.fault(what, error);
    this.#books = new BookKeeper({
      ...place,
      signal: this.#over.signal,
      openings: () => this.openings,
      onBook: async (book) => {
        await handler.book(book);
        this.#listed.look();
      },
      onRemoved: (symbol, day) => handler.dayRemoved(symbol, day),
      onFault,
    });
    this.#listed = new ListedDays({
      ...place,
      book: () => this.#books.book,
      bookNumber: () => this.#books.sequence,
      isInMemory: (day) => this.publisher.days.some((live) => live.day === day),
      onFetched: (symbol, day, left) => handler.dayFetched(symbol, day, left),
      onFault,
    });
    this.tape = new TapeReader(disk, tapeRoot, dataset, this.publisher);
  }

  /** Joins with everything outside the stream. Rejects with `ForeignDirectoryError`, `CopyDiffersError`. */
  static async open(options: SharedTapeOptions): Promise<SharedTape> {
    const { disk, tapeRoot, dataset, cluster } = options;
    await prepareDirectory(disk, tapeRoot, dataset, cluster);
    const tape = new SharedTape(options, await TapeManifest.open(disk, tapeRoot, dataset));
    try {
      await tape.#join();
      return tape;
    } catch (error) {
      await tape[Symbol.asyncDispose]();
      throw error;
    }
  }

  get book(): TapeBook {
    return this.#books.book;
  }

  /** Resolves when there is a book, of this node or another. */
  get booked(): Promise<void> {
    return this.#books.first;
  }

  /** Resolves when all sealed days that streams need at once are here. */
  get ready(): Promise<void> {
    return this.#listed.ready;
  }

  /** Fetches listed days of a contract before other missing ones. */
  want(symbol: string, first: UtcDay, last: UtcDay): Promise<WantedDays> {
    return this.#listed.want(symbol, first, last);
  }

  /** Checks whether a day's files are sound; unsound ones are fetched again. Null: the day is not on this tape. */
  async check(symbol: string, day: UtcDay): Promise<boolean | null> {
    const isSound = await this.manifest.check(symbol, day);
    if (isSound === false) this.#listed.look();
    return isSound;
  }

  /** Resolves when the end of the stream is first reached, or this node leads. */
  get caughtUp(): Promise<void> {
    return this.#idle.promise;
  }

  get report() {
    const succession = this.#succession;
    const sequence = succession?.last ?? this.#from;
    return {
      role: this.#state.role,
      sequence,
      end: Math.max(sequence, this.#heardEnd),
      leader: succession?.leader ?? null,
      silentMs: succession?.quietMs ?? 0,
      takeovers: this.#takeovers + (succession?.takeovers ?? 0),
      fenced: this.#fenced,
      unknowns: this.#unknowns + (succession?.unknownsTotal ?? 0),
      daysToCome: this.#listed.missing.length,
      ...(this.manifest.unsound.length > 0 && {
        daysDamaged: this.manifest.unsound
          .slice(0, DAYS_NAMED_MAX)
          .map(({ symbol, day }) => ({ symbol, day })),
      }),
      daysAt: this.#listed.completeAt,
    };
  }

  /** The number of the newest book in the stream; 0 when the stream may have lost it. */
  get bookNumber(): number {
    return this.#books.sequence;
  }

  /** Sealed days that the cluster has and this node does not have, or no longer, newest first. */
  get missingDays(): readonly SealedPart[] {
    const listed = this.#listed.missing;
    const isListed = ({ symbol, day }: SealedPart) =>
      listed.some((part) => part.symbol === symbol && part.day === day);
    const unlisted = this.manifest.unsound.filter((part) => !isListed(part));
    return unlisted.length === 0 ? listed : [...listed, ...unlisted].sort((a, b) => b.day - a.day);
  }

  /** The numbers of the openings seen here, by day. */
  get openings(): ReadonlyMap<UtcDay, number> {
    return this.#copy?.openings ?? new Map();
  }

  /** Sets the floors for future books, for when this node leads. */
  setFloors(floors: string): void {
    this.#books.setFloors(floors);
  }

  /** Follows and leads until disposed. Rejects with faults from which it cannot resume. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Stops appending. Resolves when another node appends, or after a few seconds. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#succession?.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#succession?.[Symbol.asyncDispose]();
    await this.#running?.catch(() => {});
    await this.#drop();
    this.publisher[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    const { stream } = this.#options;
    using _listening = stream.onBeat(({ last }) => {
      this.#heardEnd = last;
    });
    const fetching = this.#listed.run(this.#over.signal);
    void this.#listed.failed.then((error) => this.#fail(error));
    try {
      while (!this.#over.signal.aborted) {
        await Promise.race([this.#follow(), this.#failed.promise]);
      }
    } finally {
      this.#over.abort();
      await this.#succession?.[Symbol.asyncDispose]();
      await fetching;
    }
  }

  /** Runs until disposal, or until the stream has purged the next message. */
  async #follow(): Promise<void> {
    const { stream, clock, random, node, mayLead } = this.#options;
    const succession = new Succession({
      ...{ stream, clock, random, node, from: this.#from },
      mayLead: mayLead && !this.#isLeaving,
      handler: {
        message: (stored) => this.#message(stored),
        rewound: (last) => this.#copy!.rewound(last),
        whole: () => this.#books.stillThere(),
        idle: () => this.#reachEnd(),
        lead: (writer, signal) => this.#lead(writer, signal),
        state: (state) => this.#tell(state),
      },
    });
    this.#succession = succession;
    if (this.#from >= this.#joinedAt) this.#reachEnd();
    try {
      await succession.run();
    } catch (error) {
      if (!(error instanceof StreamPurgedError)) throw error;
      await succession[Symbol.asyncDispose]();
      this.#succession = null;
      this.#from = succession.last;
      this.#takeovers += succession.takeovers;
      this.#unknowns += succession.unknownsTotal;
      await this.#rejoin();
    }
  }

  #message(stored: StoredMessage): void | Promise<void> {
    const news = stored.subject === 'claim' ? claimNews(stored.body).kind : 'none';
    if (news === 'lost') this.#books.mayBeLost();
    if (news === 'mended') this.#books.putBack();
    const followed = this.#followed(stored);
    const taken = stored.subject === 'book' ? this.#books.follow(stored) : followed;
    if (stored.sequence !== this.#joinedAt) return taken;
    return Promise.resolve(taken).then(() => this.#reachEnd());
  }

  /** A record that does not continue the tape is read once more: it may come from a server with missing messages. */
  #followed(stored: StoredMessage): void | Promise<void> {
    try {
      return this.#copy!.follow(stored);
    } catch (error) {
      const isRewritten = error instanceof TapeRewrittenError && this.#copy!.end !== null;
      if (!isRewritten || this.#readAgainAt === stored.sequence) throw error;
      this.#readAgainAt = stored.sequence;
      this.#succession!.readAgain(this.#copy!.end!.sequence);
    }
  }

  #reachEnd(): void {
    this.#idle.resolve();
    if (this.#state.role === 'joining') this.#tell({ role: 'following' });
  }

  #tell(state: SuccessionState): void {
    this.#state = state;
    this.#options.handler.state(state);
  }

  async #lead(writer: FencedWriter, signal: AbortSignal): Promise<void> {
    const { counters, publisher } = this;
    await leadTape(writer, signal, {
      ...{ options: this.#options, counters, publisher },
      ...{ copy: this.#copy!, local: this.#local, books: this.#books },
      onBegun: () => this.#idle.resolve(),
    });
    if (writer.ended.reason instanceof FencedError) this.#fenced += 1;
  }

  async #join(): Promise<void> {
    const { dataset, listed, stream, objects, handler } = this.#options;
    await this.#books.fetchNewest();
    const { first, last } = await answered(this.#asking, () => stream.ends());
    this.#joinedAt = last;
    const sequencer = new Sequencer(dataset, listed, createCounters());
    await giveUpHalfSealed(this.#options, this.manifest, (day) => this.#books.isListed(day));
    const recovered = await recoverOrJoin(this.#options, this.manifest, sequencer, {
      first,
      isListed: (day) => this.#books.isListed(day),
      openingOf: (day) => this.book.openings[day] ?? first,
      objects: retryingObjects(objects, this.#asking),
      onFault: (what, error) => handler.fault(what, error),
    });
    await this.manifest.nameLogs(recovered.days.map(({ live }) => live.day));
    this.#from = recovered.from ?? first - 1;
    this.#open(recovered, sequencer);
  }

  #open({ days, mark }: RecoveredCopy, sequencer: Sequencer): void {
    const { publisher, manifest, counters } = this;
    const newest = days.at(-1);
    const local = this.#local;
    for (const { live, promiseNs } of days) publisher.opened(live, epochNs(live.day, promiseNs));
    const retireLog = (day: UtcDay) => this.#retire(day);
    const live = new LiveDays(
      { ...this.#options, manifest, counters, publisher, retireLog },
      days.map((recovered) => recovered.live),
    );
    void live.failed.then((error) => this.#fail(error));
    void local.failed.then((error) => this.#fail(error));
    this.#copy = new TapeCopy({
      ...{ dataset: this.#options.dataset, days: live, local, sequencer },
      end:
        newest === undefined
          ? null
          : {
              ...newest.end,
              day: newest.live.day,
              isEnded: newest.isEnded,
              sequence: this.#from,
            },
      mark,
      isSealed: (day) => this.#books.isListed(day) || isSealed(manifest, day),
    });
    if (newest === undefined) return;
    const { day } = newest.live;
    const opening = mark?.opening ?? this.#from + 1;
    const { records } = newest.end;
    const recovered = { day, opening, sequence: this.#from, records };
    local.resume(newest.end.bytes, recovered, newest.hollow?.to ?? 0);
    this.#filler = new LogFiller(
      days.flatMap(({ hollow }) => hollow ?? []),
      {
        store: this.#options,
        begin: this.caughtUp,
        onFilled: (filled) => local.filled(filled),
        onFault: (what, error) => this.#options.handler.fault(what, error),
      },
    );
  }

  /** A day was sealed here: it must equal the cluster's day, if that is known. */
  async #retire(day: UtcDay): Promise<void> {
    for (const [symbol, days] of Object.entries(this.book.days)) {
      const listed = days[day]?.digest;
      const own = this.manifest.digestOf(symbol, day);
      if (listed === undefined || own === null || listed === own) continue;
      throw new CopyDiffersError(`${symbol} ${day} has other trades than the cluster's`);
    }
    await this.#local.retire(day);
    // Contracts that were listed while the day was in memory and are not in it.
    this.#listed.look();
  }

  /** The stream was purged beyond this node: the days in memory are sealed and listed. */
  async #rejoin(): Promise<void> {
    this.#state = { role: 'joining' };
    await this.#drop();
    const days = this.publisher.days.map(({ day }) => day);
    await answered(this.#asking, async () => {
      await this.#books.fetchNewest();
      // The responding server may be behind.
      const unlisted = days.find((day) => !this.#books.isListed(day));
      if (unlisted !== undefined) {
        throw new TapeDamagedError(`${unlisted} is purged, and not listed`, BOOK);
      }
      await this.#listed.fetchDays(days);
    });
    await removeLogs(this.#options);
    for (const day of days) this.publisher.sealed(day);
    this.#local = new LocalLog(this.#options);
    await this.#join();
  }

  /** Ends all work on the current copy. */
  async #drop(): Promise<void> {
    this.#copy?.days.stop();
    await this.#copy?.days.sealed();
    await this.#filler?.[Symbol.asyncDispose]();
    await this.#local[Symbol.asyncDispose]().catch(() => {});
  }

  get #asking(): Asking {
    const { stream, clock, handler } = this.#options;
    const onWaiting = (error: unknown) =>
      handler.fault('the tape cannot be joined now; it is tried again', error);
    return { stream, clock, signal: this.#over.signal, onWaiting };
  }

  #fail(error: unknown): void {
    this.#failed.reject(error);
  }
}
