/**
 * Indicators that the page sums from the bars it has, instead of subscribing to them: equal to the service's objects,
 * object by object, for every session that is wholly loaded. Only what changed is summed again. Two things are coarser:
 * when an unfinished auction was traded (the begin of that bar), and the `end` of a profile that forms (unfinished-sum,
 * session-sum).
 */

import type { GivenParams } from '@tapeloom/core/studies/indicator';
import type { BarChoice } from '../spec/chart-spec.ts';
import type { BarSeries } from './bar-series.ts';
import { ObjectSeries } from './object-series.ts';
import { type Span, spansOf } from './session-spans.ts';
import { SessionSum, type SumTargets } from './session-sum.ts';
import type { SessionSpan } from './sessions.ts';
import { canSum, profileOf, SUMMED, type Summed, unfinishedOf } from './sum-parameters.ts';
import { UnfinishedSum } from './unfinished-sum.ts';
import { VwapSum } from './vwap-sum.ts';

export { canSum, SUMMED, type Summed } from './sum-parameters.ts';

export interface SumsOptions {
  /** Those of the bars that will be summed. */
  readonly bar: BarChoice;
  /** Ticks per row of their levels; null: they have none. Absent: 1. */
  readonly levelsGroup?: number | null;
  /** Absent: all that the bars permit. */
  readonly wanted?: readonly Summed[];
  /** Parameters of the profile and the unfinished auctions; absent ones have the defaults of the indicator. */
  readonly profile?: GivenParams;
  readonly unfinished?: GivenParams;
}

/** What the feed knows beyond the bars. */
export interface LoadedExtent {
  /** All bars since this instant are loaded; null: not known. A session is also whole if an earlier column is here. */
  readonly fromNs: bigint | null;
  /** How far the chart has the tape; null: not known. */
  readonly tapeNs: bigint | null;
}

const NOTHING_KNOWN: LoadedExtent = { fromNs: null, tapeNs: null };

export class SessionSums {
  readonly delta = new ObjectSeries<'delta'>();
  readonly vwap = new ObjectSeries<'vwap'>();
  readonly profile = new ObjectSeries<'volume-profile'>();
  readonly unfinished = new ObjectSeries<'unfinished-auctions'>();
  readonly #kind: BarChoice['session'];
  readonly #targets: SumTargets;
  readonly #unfinished: UnfinishedSum | null;
  /** By the open of the session. */
  readonly #sums = new Map<bigint, SessionSum>();
  #days: readonly SessionSpan[] | null = null;
  #spans: readonly Span[] = [];
  #counted: { bars: BarSeries; revision: number; extent: LoadedExtent } | null = null;

  constructor({ bar, levelsGroup = 1, wanted = SUMMED, ...params }: SumsOptions) {
    const { profile = {}, unfinished = {} } = params;
    const isSummed = (id: Summed, given: GivenParams) =>
      wanted.includes(id) && canSum(id, given, bar, levelsGroup);
    const hasProfile = isSummed('volume-profile', profile);
    this.#kind = bar.session;
    this.#targets = {
      delta: isSummed('delta', {}) ? this.delta : null,
      vwap: isSummed('vwap', {}) ? () => new VwapSum(this.vwap) : null,
      profile: hasProfile ? this.profile : null,
      profileParameters: hasProfile ? profileOf(profile, bar, levelsGroup ?? 1) : null,
      isEndedByTrades: bar.kind !== 'time',
      isRenko: bar.kind === 'renko',
    };
    this.#unfinished = isSummed('unfinished-auctions', unfinished)
      ? new UnfinishedSum(this.unfinished, unfinishedOf(unfinished))
      : null;
  }

  /** `days`: the trading days around the bars, whatever the kind of the bars' sessions is. */
  update(bars: BarSeries, days: readonly SessionSpan[], extent = NOTHING_KNOWN): void {
    const isSameDays = days === this.#days;
    if (!isSameDays) this.#spans = spansOf(this.#kind, days);
    this.#days = days;
    const { revision } = bars;
    const counted = this.#counted;
    const isSameExtent =
      counted?.extent.fromNs === extent.fromNs && counted.extent.tapeNs === extent.tapeNs;
    if (isSameDays && isSameExtent && counted.bars === bars && counted.revision === revision)
      return;
    this.#counted = { bars, revision, extent };
    this.#updateSessions(bars, extent);
    this.#unfinished?.update(bars.columns, this.#spans, extent.tapeNs);
  }

  #updateSessions(bars: BarSeries, { fromNs, tapeNs }: LoadedExtent): void {
    const { columns } = bars;
    const seen = new Set<bigint>();
    const first = columns[0];
    const last = columns.at(-1);
    for (const span of first === undefined ? [] : this.#spans) {
      if (span.closeNs <= first!.fromNs || span.openNs > last!.fromNs) continue;
      const isWhole = first!.fromNs < span.openNs || (fromNs !== null && fromNs <= span.openNs);
      const from = bars.columnAt(span.openNs - 1n) + 1;
      const to = bars.columnAt(span.closeNs - 1n) + 1;
      if (!isWhole || from === to) continue;
      seen.add(span.openNs);
      const known = this.#sums.get(span.openNs);
      const isKnown = known !== undefined && known.span.closeNs === span.closeNs;
      if (!isKnown) known?.drop();
      const sum = isKnown ? known : new SessionSum(span, this.#targets);
      this.#sums.set(span.openNs, sum);
      const isOver = to < columns.length;
      sum.update(columns, from, to, isOver ? span.closeNs : tapeNs);
    }
    for (const [openNs, sum] of this.#sums) {
      if (seen.has(openNs)) continue;
      sum.drop();
      this.#sums.delete(openNs);
    }
  }
}
