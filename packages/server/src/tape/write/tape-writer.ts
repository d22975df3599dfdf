/**
 * The tape of one dataset being written. An offer is acknowledged after everything of it is on disk,
 * and no follower sees a trade or promise before that. Commits are grouped: whatever was offered while
 * one commit was on its way to disk goes into the next, which is one write and one sync.
 *
 * The first failed write or sync stops the tape for good: what was not acknowledged is rejected, what
 * was stays readable, and only a new start, which reads what is really there, takes trades again. A fault that
 * has done nothing need not come so far: a disk that waits it out (`PatientDisk`) is only slower.
 *
 * A day's way: (1) its last commit promises midnight and ends the log; (2) the next log is on disk and in
 * the manifest, so that what is known of feed numbers is never lost; (3) the day is sealed into files;
 * (4) the manifest names them instead of the log; (5) the log is removed, and then (6) its memory given up.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { Disk } from '../../platform/disk.ts';
import { LiveDay } from '../live-day.ts';
import {
  DayConflictError,
  IntakeFullError,
  TapeClosedError,
  TapeFailedError,
} from '../tape-errors.ts';
import type { SealedPart, TapeManifest } from '../tape-manifest.ts';
import { daysDirectory, logDirectory, logPath, sidecarPath } from '../tape-paths.ts';
import { DayLog } from './day-log.ts';
import type { Intake, IntakeBatch } from './intake.ts';
import { readCommit } from './log-payload.ts';
import { RECORD_HEADER_BYTES } from './log-record.ts';
import { Offer } from './offer.ts';
import { sealColumns } from './seal.ts';
import type { Sequencer } from './sequencer.ts';
import type { SequencerCounters } from './sequencer-counters.ts';
import type { TapePublisher } from './tape-publisher.ts';

/** Offers that may wait to be taken or to be committed; more are refused. */
export const OFFERS_WAITING_MAX = 1_024;
/** Rows that may wait to be taken; an offer beyond it is refused unless nothing else waits. */
export const ROWS_WAITING_MAX = 1_048_576;
/** Ended days that may wait to be sealed before the next day has to wait for them. */
const UNSEALED_DAYS_MAX = 2;

export interface TapeWriterOptions {
  readonly disk: Disk;
  readonly tapeRoot: string;
  readonly dataset: string;
  readonly manifest: TapeManifest;
  /** Only to refuse times absurdly far ahead. */
  readonly now: () => EpochNs;
  readonly sequencer: Sequencer;
  readonly counters: SequencerCounters;
  readonly publisher: TapePublisher;
  /** Called once, when the tape stops. */
  readonly onFailure: (error: Error) => void;
}

/** What recovery found: the newest log to go on with, and ended days that still have to be sealed. */
export interface TapeWriterStart {
  readonly log: DayLog | null;
  readonly day: LiveDay | null;
  readonly unsealed: readonly LiveDay[];
}

export class TapeWriter implements Intake, AsyncDisposable {
  readonly #options: TapeWriterOptions;
  #log: DayLog | null;
  #day: LiveDay | null;
  #waiting: Offer[] = [];
  #rowsWaiting = 0;
  /** Whether something was offered since the run last looked. */
  #isOffered = false;
  #running: Promise<void> | null = null;
  #isTurningDay = false;
  /** The last commit, on disk but not published yet. */
  #durable: { readonly bytes: Uint8Array; readonly completed: readonly Offer[] } | null = null;
  #sealing: Promise<void> = Promise.resolve();
  #unsealed = 0;
  #failure: TapeFailedError | null = null;
  #isClosing = false;

  constructor(options: TapeWriterOptions, start: TapeWriterStart) {
    this.#options = options;
    this.#log = start.log;
    this.#day = start.day;
    for (const day of start.unsealed) this.#sealLater(day);
    if (options.sequencer.isPending) this.#running = this.#run();
  }

  get promise(): EpochNs | null {
    return this.#options.publisher.promise;
  }

  get failure(): Error | null {
    return this.#failure;
  }

  /** Whether the next day is being opened: nothing is committed until it is. */
  get isTurningDay(): boolean {
    return this.#isTurningDay;
  }

  lastId(symbol: string): number {
    return this.#day?.find(symbol)?.highestId ?? -1;
  }

  async offer(batches: readonly IntakeBatch[], promise: EpochNs | null): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosing) throw new TapeClosedError();
    const offer = new Offer(batches, promise);
    this.#assertRoom(offer.rows);
    this.#waiting.push(offer);
    this.#rowsWaiting += offer.rows;
    this.#isOffered = true;
    if (this.#running === null) {
      this.#running = this.#run();
    } else {
      // A commit is under way: what can be judged meanwhile is, while the disk is busy.
      this.#takeWaiting();
    }
    return offer.settled;
  }

  /** Resolves when every day that has ended is sealed. */
  async sealed(): Promise<void> {
    await this.#sealing;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Commits what was offered and marks the log as closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.#running;
    await this.#sealing;
    if (this.#failure === null) await this.#log?.close();
    await this.#log?.[Symbol.asyncDispose]();
    this.#log = null;
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
        // One turn later, so that offers made in one go share their commit.
        this.#isOffered = false;
        await Promise.resolve();
        while (await this.#step());
      } while (this.#isOffered);
    } catch (error) {
      this.#fail(error);
    }
    this.#running = null;
  }

  /** Takes, commits, turns the day; false when there is nothing left to do. */
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
    const { sequencer, counters } = this.#options;
    const { kind, commit } = sequencer.pendingCommit();
    // The commit before this one is published while the disk is busy with this one.
    const writing = this.#log!.append(kind, commit, () => this.#publish());
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

  /** Lets readers see the last commit, which is on disk, and acknowledges it. */
  #publish(): void {
    if (this.#durable === null) return;
    const { bytes, completed } = this.#durable;
    this.#durable = null;
    const { day } = this.#day!;
    const commit = readCommit(bytes.subarray(RECORD_HEADER_BYTES));
    const before = commit.sections.map((section) => section.firstRank - 1);
    const grown = this.#day!.apply(commit);
    this.#options.publisher.committed(day, grown, before, epochNs(day, commit.promiseNs));
    for (const offer of completed) offer.resolve();
  }

  async #openDay(day: UtcDay): Promise<void> {
    const { disk, tapeRoot, dataset, manifest, sequencer, publisher } = this.#options;
    if (this.#unsealed > UNSEALED_DAYS_MAX) await this.#sealing;
    if (this.#failure !== null) throw this.#failure;
    await this.#assertNotSealed(day);
    const opening = sequencer.openDay(day);
    const ended = this.#day;
    const log = await DayLog.create(disk, logPath(tapeRoot, dataset, day), opening);
    await this.#log?.[Symbol.asyncDispose]();
    this.#log = log;
    this.#day = new LiveDay(opening);
    await manifest.logBegun(day);
    publisher.opened(this.#day, epochNs(day, opening.promiseNs));
    if (ended !== null) this.#sealLater(ended);
  }

  async #assertNotSealed(day: UtcDay): Promise<void> {
    const { disk, tapeRoot, dataset } = this.#options;
    for (const symbol of await disk.list(daysDirectory(tapeRoot, dataset))) {
      if ((await disk.stat(sidecarPath(tapeRoot, dataset, symbol, day))) === null) continue;
      throw new DayConflictError(dataset, symbol, day, 'is sealed already, and cannot be opened');
    }
  }

  #sealLater(day: LiveDay): void {
    this.#unsealed += 1;
    this.#sealing = this.#sealing.then(async () => {
      if (this.#failure !== null) return;
      try {
        if (await this.#seal(day)) this.#unsealed -= 1;
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  /** False when the tape closes first: the next start seals the rest. */
  async #seal({ day, columns }: LiveDay): Promise<boolean> {
    const { disk, tapeRoot, dataset, manifest, counters, publisher } = this.#options;
    const parts: SealedPart[] = [];
    for (const one of columns) {
      if (this.#isClosing) return false;
      const { symbol } = one;
      const place = { dataset, symbol, day, expected: manifest.digestOf(symbol, day) };
      parts.push({ symbol, day, digest: await sealColumns(disk, tapeRoot, place, one) });
    }
    await manifest.sealed(parts, day);
    await disk.remove(logPath(tapeRoot, dataset, day));
    await disk.syncDirectory(logDirectory(tapeRoot, dataset));
    counters.daysSealed += 1;
    publisher.sealed(day);
    return true;
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
