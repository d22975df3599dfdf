/**
 * A live source whose trades are known before their time has come. It hands every one of them to the intake
 * exactly once, in order of time, and after them the promise that nothing earlier will follow. Where it goes on
 * after a restart is read from the tape alone: at the durable promise, behind each contract's last feed number.
 *
 * 1. Catching up: from the tape's end to the clock's now, one offer per stretch, as fast as the disk takes
 *    them. The next stretch is made while the last one is being written.
 * 2. Live: at every step of 20 ms the trades whose time has come, with now as promise. One more step
 *    follows trades, so that what they started is closed at once; then a promise every 200 ms, or at the next
 *    step when a reader requests one.
 *
 * A clock that jumps ahead leads back to 1. One that jumps back makes the source wait: what was
 * promised stays promised, nothing is repeated.
 *
 * After days without service, only the day whose log is open is finished here, because a log must end
 * where it was going to; the whole days after it and before `resumeDay` are filled, which passes over days that
 * have a log. The open day's last offer promises the midnight of `resumeDay`, so no log begins for a day in
 * between. A crash right after that offer leaves a tape without open log, whose promise is an earlier midnight:
 * then the source goes straight to `resumeDay`.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS, MS_NS } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import type { Clock } from '../platform/clock.ts';
import { sleep } from '../platform/waiting/sleep.ts';
import type { Intake, IntakeBatch } from '../tape/write/intake.ts';
import type { SourceOptions, TradeSource } from './market.ts';

const STEP_MS = 20;
const STEP_NS = 20_000_000n;
/** Without trades, a promise this often, */
const QUIET_NS = 200_000_000n;
/** and this often at most while readers request one: at most 20 commits a second more. */
const REQUESTED_NS = 50_000_000n;
/** Further behind the clock than this it is catching up again: half a second at the greatest speed. */
const LIVE_LAG_NS_MAX = 5_000_000_000_000n;
/** One offer carries at most about this many trades; a busier stretch is cut into shorter ones. */
const OFFER_TRADES_MAX = 60_000;
const OFFER_NS_MIN = 1_000_000;

/** The trades, one stretch of a day at a time. */
export interface KnownTrades {
  /**
   * Goes to the stretch this time of the day lies in, unless it is there already, and behind everything that is
   * earlier or on the tape. Resolves to where the stretch ends, at the end of the day at the latest.
   */
  enter(day: UtcDay, fromNs: number): number | Promise<number>;
  /** How many trades of the stretch are earlier than `untilNs` and not handed out yet. */
  pending(untilNs: number): number;
  /** Hands these out. */
  take(untilNs: number): IntakeBatch[];
}

export type ClockedOptions = Omit<SourceOptions, 'disk'>;

export class ClockedSource implements TradeSource {
  readonly #trades: KnownTrades;
  readonly #intake: Intake;
  readonly #clock: Clock;
  readonly #resumeDay: UtcDay;
  /** Everything before this instant was offered and promised. */
  #position: EpochNs;
  #state: 'catching-up' | 'live' = 'catching-up';
  /** Requests for a watermark, and how many of them were answered. */
  #requests = 0;
  #requestsAnswered = 0;

  constructor(trades: KnownTrades, { intake, clock, resumeDay, openDay }: ClockedOptions) {
    this.#trades = trades;
    this.#intake = intake;
    this.#clock = clock;
    this.#resumeDay = resumeDay;
    const { promise } = intake;
    const goesOn = promise !== null && (dayOf(promise) === openDay || dayOf(promise) >= resumeDay);
    this.#position = goesOn ? promise : epochNs(resumeDay, 0);
  }

  get state(): 'catching-up' | 'live' {
    return this.#state;
  }

  /** How far the source is behind the clock, in milliseconds; 0 when the clock is behind it. */
  get lagMs(): number {
    return Math.max(0, Number(this.#clock.now() - this.#position) / MS_NS);
  }

  requestWatermark(): void {
    this.#requests += 1;
  }

  /** Runs until aborted. Rejects when the intake fails: nothing more can be taken then. */
  async run(signal: AbortSignal): Promise<void> {
    let followsTrades = false;
    let writing: Promise<void> = Promise.resolve();
    while (!signal.aborted) {
      // Counted before the clock is read: a request that comes later needs a later promise.
      const requests = this.#requests;
      const now = this.#clock.now();
      const behind = now - this.#position;
      if (behind > LIVE_LAG_NS_MAX) this.#state = 'catching-up';
      if (behind > 0n) {
        const { batches, promise } = await this.#collect(now);
        // At the end of a stretch as well: behind it there may be trades that are due.
        const isCut = promise < now;
        const quietNs = requests > this.#requestsAnswered ? REQUESTED_NS : QUIET_NS;
        if (batches.length > 0 || followsTrades || isCut || behind >= quietNs) {
          await writing;
          if (signal.aborted) return;
          this.#position = promise;
          if (!isCut) this.#requestsAnswered = requests;
          writing = this.#intake.offer(batches, promise);
          // A failure is thrown where it is awaited; until then it must not count as unhandled.
          writing.catch(() => undefined);
          followsTrades = batches.length > 0;
        }
        if (isCut) continue;
      }
      await writing;
      this.#state = 'live';
      await this.#wait(signal, this.#clock.now());
    }
    await writing;
  }

  /** What there is to offer up to `now`: within one stretch, and not too much at once. */
  async #collect(now: EpochNs): Promise<{ batches: IntakeBatch[]; promise: EpochNs }> {
    const day = dayOf(this.#position);
    const fromNs = nsOfDay(this.#position);
    const nowNs = Number(now - epochNs(day, 0));
    let untilNs = Math.min(nowNs, await this.#trades.enter(day, fromNs));
    while (untilNs - fromNs > OFFER_NS_MIN && this.#trades.pending(untilNs) > OFFER_TRADES_MAX) {
      untilNs = Math.trunc((fromNs + untilNs) / 2);
    }
    return { batches: this.#trades.take(untilNs), promise: this.#promiseAt(day, untilNs) };
  }

  #promiseAt(day: UtcDay, untilNs: number): EpochNs {
    if (untilNs < DAY_NS) return epochNs(day, untilNs);
    const next = addDays(day, 1);
    return epochNs(next < this.#resumeDay ? this.#resumeDay : next, 0);
  }

  /** Waits for the next step of the clock, or at least one millisecond, or the abort. */
  #wait(signal: AbortSignal, now: EpochNs): Promise<void> {
    const intoStepMs = Number(now % STEP_NS) / MS_NS;
    return sleep(this.#clock, STEP_MS - intoStepMs, signal);
  }
}
