/** The trading days around the bars of a chart, asked for as the chart reaches further. */

import type { ClientClock } from '@tapeloom/client/stream';
import type { SessionSpan } from '../series/sessions.ts';
import { pastFault } from './past-fault.ts';
import type { FeedSources, SessionsAnswer } from './sources.ts';

const DAY_NS = 86_400_000_000_000n;
/** Asked for beyond what is needed, so that a chart that scrolls asks seldom. */
const BACK_DAYS = 14n;
const AHEAD_DAYS = 7n;
/** Of one request. */
const DAYS_MAX = 90n;
const RETRY_MS = [2_000, 5_000, 15_000, 60_000] as const;
const FAILED = Number.POSITIVE_INFINITY;

export interface SessionDaysOptions {
  readonly sources: Pick<FeedSources, 'sessions'>;
  readonly instrument: string;
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  /** There are more days, or it is certain that there will be none. */
  readonly onChange: () => void;
}

export class SessionDays {
  readonly #options: SessionDaysOptions;
  #days: readonly SessionSpan[] = [];
  timeZone: string | null = null;
  /** Days that were answered, as numbers of days since 1970: [from, to]. */
  #known: { readonly from: bigint; readonly to: bigint } | null = null;
  #wanted: { from: bigint; to: bigint } | null = null;
  #isAsking = false;
  #failures = 0;

  constructor(options: SessionDaysOptions) {
    this.#options = options;
  }

  /** Ascending. */
  get days(): readonly SessionSpan[] {
    return this.#days;
  }

  get isKnown(): boolean {
    return this.#known !== null;
  }

  /** There is no such source, or it has failed for good. */
  get isMissing(): boolean {
    return (
      this.#known === null && (this.#options.sources.sessions === undefined || this.#hasFailed)
    );
  }

  get #hasFailed(): boolean {
    return this.#failures === FAILED;
  }

  /** Days from before the first instant until after the second. */
  want(fromNs: bigint, toNs: bigint): void {
    const [from, to] = [fromNs / DAY_NS - 1n, toNs / DAY_NS + 1n];
    const { from: before, to: after } = this.#wanted ?? { from, to };
    this.#wanted = { from: before < from ? before : from, to: after > to ? after : to };
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const { sources, signal, onChange } = this.#options;
    if (sources.sessions === undefined || this.#isAsking || signal.aborted || this.#hasFailed) {
      return;
    }
    const range = this.#next();
    if (range === null) return;
    this.#isAsking = true;
    try {
      const { instrument } = this.#options;
      const [from, to] = [dayText(range.from), dayText(range.to)];
      const answer = await sources.sessions({ instrument, from, to, signal });
      if (signal.aborted) return;
      this.#take(answer, range);
      this.#failures = 0;
      this.#isAsking = false;
      onChange();
      void this.#ask();
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const { clock, onChange } = this.#options;
    const waitMs = pastFault(error).t === 'passing' ? RETRY_MS[this.#failures] : undefined;
    this.#failures = waitMs === undefined ? FAILED : this.#failures + 1;
    if (waitMs === undefined) {
      this.#isAsking = false;
      onChange();
      return;
    }
    clock.after(waitMs, () => {
      this.#isAsking = false;
      void this.#ask();
    });
  }

  /** What is wanted and not known, one request long; null: nothing. */
  #next(): { readonly from: bigint; readonly to: bigint } | null {
    const [wanted, known] = [this.#wanted, this.#known];
    if (wanted === null) return null;
    if (known === null) {
      const to = wanted.to + AHEAD_DAYS;
      const from = wanted.from - BACK_DAYS;
      return { from: to - from > DAYS_MAX ? to - DAYS_MAX : from, to };
    }
    if (wanted.from < known.from) {
      const from = wanted.from - BACK_DAYS;
      const to = known.from - 1n;
      return { from: to - from > DAYS_MAX ? to - DAYS_MAX : from, to };
    }
    if (wanted.to > known.to) return { from: known.to + 1n, to: wanted.to + AHEAD_DAYS };
    return null;
  }

  #take({ sessions, timeZone }: SessionsAnswer, { from, to }: { from: bigint; to: bigint }): void {
    this.timeZone = timeZone;
    // A session belongs to two UTC days, so two answers may have it.
    const byOpen = new Map(this.#days.map((day) => [day.openNs, day]));
    for (const { date, open, close, regular } of sessions) {
      const span: SessionSpan = {
        date,
        openNs: BigInt(open),
        closeNs: BigInt(close),
        regular:
          regular === null
            ? null
            : { openNs: BigInt(regular.open), closeNs: BigInt(regular.close) },
      };
      byOpen.set(span.openNs, span);
    }
    this.#days = [...byOpen.values()].sort((a, b) => (a.openNs < b.openNs ? -1 : 1));
    const known = this.#known ?? { from, to };
    this.#known = {
      from: from < known.from ? from : known.from,
      to: to > known.to ? to : known.to,
    };
  }
}

function dayText(day: bigint): string {
  return new Date(Number(day) * 86_400_000).toISOString().slice(0, 10);
}
