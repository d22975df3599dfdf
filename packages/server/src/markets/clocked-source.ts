/**
 * A live source whose trades are known in advance. It offers each trade to the intake exactly once, in order of time,
 * and then the watermark (`promise`). After a restart it resumes from the tape alone: at the durable watermark, behind
 * each contract's last feed number.
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
/** Without trades, a watermark this often. */
const QUIET_NS = 200_000_000n;
/** While readers request watermarks, at most this often: at most 20 more commits per second. */
const REQUESTED_NS = 50_000_000n;
/** Further behind the clock than this, it is catching up: half a second at the greatest speed. */
const LIVE_LAG_NS_MAX = 5_000_000_000_000n;
/** Trades per offer, roughly; a busier stretch is cut into shorter ones. */
const OFFER_TRADES_MAX = 60_000;
const OFFER_NS_MIN = 1_000_000;

/** The trades, one stretch of a day at a time. */
export interface KnownTrades {
  /** Moves to the stretch at this time, skipping trades earlier or on the tape. Resolves to its end, within the day. */
  enter(day: UtcDay, fromNs: number): number | Promise<number>;
  /** The number of trades of the stretch before `untilNs` that were not returned yet. */
  pending(untilNs: number): number;
  /** Returns these trades. */
  take(untilNs: number): IntakeBatch[];
}

export type ClockedOptions = Pick<SourceOptions, 'intake' | 'clock' | 'resumeDay' | 'openDay'>;

/**
 * 1. `catching-up`: from the tape's end to the clock's now, one offer per stretch, as fast as the disk accepts them.
 *    The next stretch is made while the last one is written.
 * 2. `live`: at every step of 20 ms the trades that are due, with now as watermark. One more watermark follows trades,
 *    so that their results are completed at once. Without trades a watermark follows every 200 ms, or soon after a
 *    reader's request.
 *
 * If the clock jumps ahead, it returns to 1. If the clock jumps back, it waits: watermarks stay valid.
 *
 * After days without service, only the day with an open log is finished here, because a log needs its end. The whole
 * days before `resumeDay` are filled, except days with a log. The open day's last offer has the midnight of `resumeDay`
 * as watermark, so no log begins for a day in between. A crash right after that offer leaves a tape without an open log
 * and with an earlier watermark: then the source starts at `resumeDay`.
 */
export class ClockedSource implements TradeSource {
  readonly #trades: KnownTrades;
  readonly #intake: Intake;
  readonly #clock: Clock;
  readonly #resumeDay: UtcDay;
  /** Everything before this instant was offered, and the watermark is there. */
  #position: EpochNs;
  #state: 'catching-up' | 'live' = 'catching-up';
  /** Requests for a watermark, and how many of them have one. */
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

  /** Time behind the clock, in milliseconds; 0 when the clock is behind. */
  get lagMs(): number {
    return Math.max(0, Number(this.#clock.now() - this.#position) / MS_NS);
  }

  requestWatermark(): void {
    this.#requests += 1;
  }

  /** Runs until aborted. Rejects when the intake fails, because it accepts nothing more. */
  async run(signal: AbortSignal): Promise<void> {
    let followsTrades = false;
    let writing: Promise<unknown> = Promise.resolve();
    while (!signal.aborted) {
      // Read before the clock: a later request needs a later watermark.
      const requests = this.#requests;
      const now = this.#clock.now();
      const behind = now - this.#position;
      if (behind > LIVE_LAG_NS_MAX) this.#state = 'catching-up';
      if (behind > 0n) {
        const { batches, promise } = await this.#collect(now);
        // Also at the end of a stretch: the next one may have trades that are due.
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

  /** The offer up to `now`: within one stretch, and limited in size. */
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

  /** Waits for the next step of the clock (at least one millisecond), or the abort. */
  #wait(signal: AbortSignal, now: EpochNs): Promise<void> {
    const intoStepMs = Number(now % STEP_NS) / MS_NS;
    return sleep(this.#clock, STEP_MS - intoStepMs, signal);
  }
}
