/** Progress of `tapeloom cache warm`: one changing line on a terminal, otherwise one line per day. */

import { SECOND_NS } from '@tapeloom/core/units';
import type { CommandIo } from '../command.ts';
import { dateText } from '../day-text.ts';
import { ERASE_LINE } from '../progress-line.ts';
import { spanText, wholeText } from '../stream/text-format.ts';
import type { DayOutcome, WarmedDay, WarmPlan } from './warm-run.ts';

export const OUTCOME_TEXT: Readonly<Record<DayOutcome, string>> = {
  kept: 'cached',
  there: 'already cached',
  quiet: 'without a session',
  'not-kept': 'computed, but not cached',
  damaged: 'damaged',
};

export class WarmProgress {
  readonly #io: CommandIo;
  readonly #plan: WarmPlan;
  readonly #isQuiet: boolean;
  readonly #startedMs: number;
  #days = 0;
  #tradesLeft: number;
  /** Of computed days only; cached days take no time. */
  #computed = { trades: 0, ms: 0 };
  #lastMs: number;

  constructor(io: CommandIo, plan: WarmPlan, isQuiet: boolean) {
    this.#io = io;
    this.#plan = plan;
    this.#isQuiet = isQuiet;
    this.#startedMs = io.now();
    this.#lastMs = this.#startedMs;
    this.#tradesLeft = plan.days.reduce((sum, { trades }) => sum + trades, 0);
    this.#draw(plan.days[0] === undefined ? '' : dateText(plan.days[0].day));
  }

  get seconds(): number {
    return (this.#io.now() - this.#startedMs) / 1_000;
  }

  /** Computed trades per second; 0 when nothing was computed. */
  get rate(): number {
    const { trades, ms } = this.#computed;
    return trades === 0 ? 0 : trades / Math.max(ms / 1_000, 0.001);
  }

  show({ day, trades, outcome }: WarmedDay): void {
    const now = this.#io.now();
    this.#days += 1;
    this.#tradesLeft -= trades;
    if (outcome === 'kept' || outcome === 'not-kept') {
      this.#computed.trades += trades;
      this.#computed.ms += now - this.#lastMs;
    }
    this.#lastMs = now;
    if (this.#io.isTerminal) {
      this.#draw(dateText(day));
    } else if (!this.#isQuiet) {
      const done = `(${this.#days} of ${this.#plan.days.length})`;
      const what = `${wholeText(trades)} trades  ${OUTCOME_TEXT[outcome]}`;
      this.#io.stderr(`${dateText(day)}  ${what}  ${done}\n`);
    }
  }

  erase(): void {
    if (this.#io.isTerminal) this.#io.stderr(ERASE_LINE);
  }

  #draw(place: string): void {
    if (!this.#io.isTerminal) return;
    const parts = [`${this.#days} of ${wholeText(this.#plan.days.length)} days`];
    if (this.rate > 0) {
      const leftNs = BigInt(Math.ceil(this.#tradesLeft / this.rate)) * BigInt(SECOND_NS);
      parts.push(`${wholeText(this.rate)} trades/s`, `${spanText(leftNs)} left`);
    }
    this.#io.stderr(`${ERASE_LINE}${[...parts, place].join('  ')}`);
  }
}
