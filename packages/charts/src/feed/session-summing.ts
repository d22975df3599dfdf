/**
 * Sums of a chart's sessions, and whether they can be right: all bars of the session must be here, and of one contract.
 * Missing bars of the session that is shown first are loaded once, if that needs no asking.
 */

import type { ChartContent } from '../series/chart-content.ts';
import { spansOf } from '../series/session-spans.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { BarSink } from './bar-sink.ts';
import type { SumAbility } from './layer-set.ts';
import { spanAt } from './past-window.ts';
import type { Segments } from './segments.ts';
import type { SessionDays } from './session-days.ts';
import { daysToSum, sumsFor, sumsKey } from './sums-for.ts';

export interface SessionSummingOptions {
  readonly content: ChartContent;
  readonly days: SessionDays;
  readonly bars: BarSink;
  readonly segments: () => Segments;
  readonly hasHistory: () => boolean;
  /** Loads the bars since then, if that needs no asking. */
  readonly fill: (openNs: bigint) => Promise<void>;
  readonly onChange: () => void;
}

export class SessionSumming {
  readonly #options: SessionSummingOptions;
  #sums: SessionSums | null = null;
  #key = '';
  #fill: 'none' | 'running' | 'done' = 'none';
  #days: { readonly key: string; readonly days: SessionDays['days'] } | null = null;

  constructor(options: SessionSummingOptions) {
    this.#options = options;
  }

  get sums(): SessionSums | null {
    return this.#sums;
  }

  /** Other sums for another spec. */
  choose(spec: ChartSpec): void {
    const key = sumsKey(spec);
    if (key === this.#key) return;
    this.#sums = sumsFor(spec);
    this.#key = key;
  }

  /** The bars begin anew. */
  restart(): void {
    this.#fill = 'none';
  }

  ability({ bar: { session } }: ChartSpec): SumAbility {
    const { content, days, bars, segments, hasHistory } = this.#options;
    if (days.isMissing) return 'impossible';
    if (!days.isKnown || bars.end === null) return 'waiting';
    const { last } = content.bars;
    const span = last === null ? null : spanAt(spansOf(session, days.days), last.fromNs);
    if (span === null) return 'possible';
    const rolledNs = segments().current.fromNs;
    if (rolledNs !== null && span.openNs < rolledNs && rolledNs < span.closeNs) return 'impossible';
    if (bars.reachedNs !== null && bars.reachedNs <= span.openNs) return 'possible';
    if (this.#fill === 'done' || !hasHistory()) return 'impossible';
    this.#fillFrom(span.openNs);
    return 'waiting';
  }

  update(spec: ChartSpec, tapeNs: bigint | null): void {
    const { content, bars } = this.#options;
    this.#sums?.update(content.bars, this.#daysOf(spec), { fromNs: bars.reachedNs, tapeNs });
  }

  #fillFrom(openNs: bigint): void {
    if (this.#fill !== 'none') return;
    this.#fill = 'running';
    void this.#options.fill(openNs).then(() => {
      if (this.#fill !== 'running') return;
      this.#fill = 'done';
      this.#options.onChange();
    });
  }

  /** The same list as long as nothing has changed. */
  #daysOf(spec: ChartSpec): SessionDays['days'] {
    const { rolls, sessions } = this.#options.content;
    const key = `${rolls.length} ${sessions.length} ${sessions[0]?.openNs}`;
    if (this.#days?.key !== key) this.#days = { key, days: daysToSum(spec, sessions, rolls) };
    return this.#days.days;
  }
}
