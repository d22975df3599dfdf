/**
 * Writes the tape of one dataset. An offer is acknowledged after all of it is on disk, and no follower sees a trade or
 * watermark before that. Commits are grouped: offers made while one commit is being written go into the next, with one
 * write and one sync. The first failed write or sync stops the tape until a new start: unacknowledged offers are
 * rejected, acknowledged trades stay readable.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { IntakeFullError, TapeClosedError, TapeFailedError } from '../tape-errors.ts';
import type { TapeGap } from '../tape-gap.ts';
import type { Intake, IntakeBatch, OfferCounts } from './intake.ts';
import type { LiveDays } from './live-days.ts';
import { readCommit } from './log/log-payload.ts';
import { RECORD_HEADER_BYTES } from './log/log-record.ts';
import type { TapeLog } from './log/tape-log.ts';
import { checkedNotes } from './notes/offer-notes.ts';
import { Offer } from './sequencer/offer.ts';
import type { Sequencer } from './sequencer/sequencer.ts';
import type { SequencerCounters } from './sequencer/sequencer-counters.ts';
import type { TapeNote } from './tape-note.ts';
import type { TapePublisher } from './tape-publisher.ts';

const NO_NOTES: readonly TapeNote[] = [];
const NO_GAPS: readonly TapeGap[] = [];

/** Offers that may wait to be taken or committed; more are rejected. */
export const OFFERS_WAITING_MAX = 1_024;
/** Rows that may wait to be taken. An offer beyond it is rejected, unless nothing else waits. */
export const ROWS_WAITING_MAX = 1_048_576;

export interface TapeWriterOptions {
  readonly log: TapeLog;
  /** Applies durable records. */
  readonly days: LiveDays;
  /** Used only to reject times absurdly far ahead. */
  readonly now: () => EpochNs;
  readonly sequencer: Sequencer;
  readonly counters: SequencerCounters;
  readonly publisher: TapePublisher;
  /** Called once, when the tape stops. */
  readonly onFailure: (error: Error) => void;
}

/**
 * The end of a day: (1) its last commit has the watermark of midnight and ends the log; (2) the next log is on disk and
 * in the manifest, so that the known feed numbers are never lost; (3) the day is sealed into files; (4) the manifest
 * names them instead of the log; (5) the log is removed, and (6) its memory is released.
 *
 * A fault without effect on the disk is retried below this layer (`RetryingDisk`).
 */
export class TapeWriter implements Intake, AsyncDisposable {
  readonly #options: TapeWriterOptions;
  #waiting: Offer[] = [];
  #rowsWaiting = 0;
  /** Whether an offer came since `#run` last looked. */
  #isOffered = false;
  #running: Promise<void> | null = null;
  #isTurningDay = false;
  /** The last commit, on disk but not yet published. */
  #durable: { readonly bytes: Uint8Array; readonly completed: readonly Offer[] } | null = null;
  #failure: TapeFailedError | null = null;
  #isClosing = false;

  constructor(options: TapeWriterOptions) {
    this.#options = options;
    void options.days.failed.then((error) => this.#fail(error));
    if (options.sequencer.isPending) this.#running = this.#run();
  }

  get promise(): EpochNs | null {
    return this.#options.publisher.promise;
  }

  get failure(): Error | null {
    return this.#failure;
  }

  /** Whether the next day is being opened: nothing is committed until then. */
  get isTurningDay(): boolean {
    return this.#isTurningDay;
  }

  lastId(symbol: string): number {
    return this.#options.days.newest?.find(symbol)?.highestId ?? -1;
  }

  position(key: string): string | null {
    return this.#options.days.newest?.notes.position(key) ?? null;
  }

  batch(id: string): string | null {
    return this.#options.days.newest?.notes.batch(id) ?? null;
  }

  get gaps(): readonly TapeGap[] {
    return this.#options.days.newest?.notes.gaps ?? NO_GAPS;
  }

  async offer(
    batches: readonly IntakeBatch[],
    promise: EpochNs | null,
    notes: readonly TapeNote[] = NO_NOTES,
  ): Promise<OfferCounts> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosing) throw new TapeClosedError();
    const offer = new Offer(batches, promise, notes.length === 0 ? null : checkedNotes(notes));
    this.#assertRoom(offer.rows);
    this.#waiting.push(offer);
    this.#rowsWaiting += offer.rows;
    this.#isOffered = true;
    if (this.#running === null) {
      this.#running = this.#run();
    } else {
      // A commit is being written. Judging goes on while the disk is busy.
      this.#takeWaiting();
    }
    return offer.settled;
  }

  /** Resolves when every ended day is sealed. */
  async sealed(): Promise<void> {
    await this.#options.days.sealed();
    if (this.#failure !== null) throw this.#failure;
  }

  /** Commits the pending offers and closes the log. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { log } = this.#options;
    this.#isClosing = true;
    await this.#running;
    if (this.#failure === null) await log.close();
    await log[Symbol.asyncDispose]();
  }

  #assertRoom(rows: number): void {
    const isIdle = this.#waiting.length === 0;
    const offers = this.#waiting.length + this.#options.sequencer.readyCount;
    if (offers < OFFERS_WAITING_MAX && (isIdle || this.#rowsWaiting + rows <= ROWS_WAITING_MAX)) {
      return;
    }
    this.#options.counters.offersRefused += 1;
    throw offers < OFFERS_WAITING_MAX
      ? new IntakeFullError('trades wait', ROWS_WAITING_MAX)
      : new IntakeFullError('offers wait', OFFERS_WAITING_MAX);
  }

  async #run(): Promise<void> {
    try {
      do {
        // One microtask later, so that offers made together share their commit.
        this.#isOffered = false;
        await Promise.resolve();
        while (await this.#step());
      } while (this.#isOffered);
    } catch (error) {
      this.#fail(error);
    }
    this.#running = null;
  }

  /** Takes, commits, opens the next day; false when there is nothing left to do. */
  async #step(): Promise<boolean> {
    const { sequencer, now } = this.#options;
    this.#takeWaiting();
    if (sequencer.isPending) {
      await this.#commit();
      return true;
    }
    this.#publish();
    for (const offer of sequencer.clearPending()) offer.resolve();
    const next = sequencer.nextDay(this.#waiting[0] ?? null, now());
    if (next === null) return false;
    this.#isTurningDay = true;
    await this.#openDay(next);
    this.#isTurningDay = false;
    return true;
  }

  #takeWaiting(): void {
    const { sequencer, now } = this.#options;
    const instant = now();
    while (this.#waiting.length > 0 && !sequencer.mustTurn) {
      const offer = this.#waiting[0]!;
      if (sequencer.take(offer, instant) !== 'done') return;
      this.#waiting.shift();
      this.#rowsWaiting -= offer.rows;
    }
  }

  async #commit(): Promise<void> {
    const { log, sequencer, counters } = this.#options;
    const { kind, commit } = sequencer.pendingCommit();
    // The previous commit is published while the disk is busy with this one.
    const writing = log.append(kind, commit, () => this.#publish());
    const completed = sequencer.clearPending();
    try {
      const bytes = await writing;
      counters.commits += 1;
      counters.logBytes += bytes.length;
      this.#durable = { bytes, completed };
    } catch (error) {
      for (const offer of completed) offer.reject(asFailure(error));
      throw error;
    }
  }

  /** Publishes the last commit, which is on disk, and acknowledges it. */
  #publish(): void {
    if (this.#durable === null) return;
    const { bytes, completed } = this.#durable;
    this.#durable = null;
    this.#options.days.committed(readCommit(bytes.subarray(RECORD_HEADER_BYTES)));
    for (const offer of completed) offer.resolve();
  }

  async #openDay(day: UtcDay): Promise<void> {
    const { log, days, sequencer } = this.#options;
    await days.makeRoomFor(day);
    if (this.#failure !== null) throw this.#failure;
    const opening = sequencer.openDay(day);
    await log.begin(opening);
    await days.opened(opening);
  }

  #fail(cause: unknown): void {
    if (this.#failure !== null) return;
    this.#publish();
    this.#failure = asFailure(cause);
    this.#options.counters.failed = 1;
    for (const offer of this.#waiting) offer.reject(this.#failure);
    for (const offer of this.#options.sequencer.clearPending()) offer.reject(this.#failure);
    this.#waiting = [];
    this.#rowsWaiting = 0;
    this.#options.onFailure(this.#failure);
  }
}

function asFailure(cause: unknown): TapeFailedError {
  return cause instanceof TapeFailedError ? cause : new TapeFailedError(cause);
}
