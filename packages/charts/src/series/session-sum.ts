/**
 * The sums of one session that is wholly loaded: cumulative delta, VWAP and profiles, bar by bar. A newer version of the
 * newest bar adds only its difference; any other change begins the session again.
 */

import { pocIndex } from '@tapeloom/core/studies/poc';
import { valueArea } from '@tapeloom/core/studies/value-area';
import type { VolumeProfileData } from '@tapeloom/protocol/indicators';
import type { ChartBar, Column } from './chart-bar.ts';
import { isGrown, visitAdded } from './level-changes.ts';
import type { ObjectSeries } from './object-series.ts';
import { PriceLevels } from './price-levels.ts';
import type { Span } from './session-spans.ts';
import type { ProfileParameters } from './sum-parameters.ts';
import type { VwapSum } from './vwap-sum.ts';

const SECOND_NS = 1_000_000_000n;

/** Where the objects go. Null: not wanted, or the bars do not permit it. */
export interface SumTargets {
  readonly delta: ObjectSeries<'delta'> | null;
  /** Of one session; a page that never wants it does not load it. */
  readonly vwap: (() => VwapSum) | null;
  readonly profile: ObjectSeries<'volume-profile'> | null;
  readonly profileParameters: ProfileParameters | null;
  /** Only trades end these bars, so the end of a finished one is the time of a trade. */
  readonly isEndedByTrades: boolean;
  readonly isRenko: boolean;
}

interface Profile {
  readonly id: string;
  readonly openNs: bigint;
  readonly endNs: bigint;
  readonly levels: PriceLevels;
  high: number;
  low: number;
  isFinal: boolean;
}

export class SessionSum {
  readonly span: Span;
  readonly #targets: SumTargets;
  /** The bars as they were summed. */
  readonly #bars: ChartBar[] = [];
  /** Cumulative delta before the newest bar. */
  #cumulative = 0;
  readonly #vwap: VwapSum | null;
  #profile: Profile | null = null;
  #profileIds: string[] = [];
  /** The time of the last trade, as far as the bars tell it. */
  #lastTradeNs = 0n;

  constructor(span: Span, targets: SumTargets) {
    this.span = span;
    this.#targets = targets;
    this.#vwap = targets.vwap?.() ?? null;
  }

  /** The bars among columns [from, to) are those of the session; `isOver`: the tape has passed its close. */
  update(columns: readonly Column[], from: number, to: number, tapeNs: bigint | null): void {
    let at = from;
    let known = 0;
    for (; at < to; at += 1) {
      const column = columns[at]!;
      if (column.kind === 'gap') continue;
      if (column !== this.#bars[known]) break;
      known += 1;
    }
    const isSame = at === to && known === this.#bars.length;
    if (!isSame) {
      const next = columns[at];
      const isNewest = known === this.#bars.length - 1;
      const hasGrown =
        isNewest && next?.kind === 'bar' && at < to && isGrown(next, this.#bars[known]!);
      if (known < this.#bars.length && !hasGrown) {
        this.drop();
        at = from;
      }
      this.#takeAll(columns, at, to);
    }
    const profile = this.#profile;
    if (profile === null || profile.isFinal) return;
    const isOver = this.#isPast(profile.endNs, tapeNs);
    if (isOver || !isSame) this.#publishProfile(profile, isOver);
  }

  /** Forgets all bars and takes the session's objects back. */
  drop(): void {
    const { delta, profile } = this.#targets;
    for (const { id } of this.#bars) delta?.drop(id);
    this.#vwap?.drop(this.#bars);
    for (const id of this.#profileIds) profile?.drop(id);
    this.#bars.length = 0;
    this.#cumulative = 0;
    this.#profile = null;
    this.#profileIds = [];
    this.#lastTradeNs = 0n;
  }

  #takeAll(columns: readonly Column[], from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const column = columns[at]!;
      if (column.kind === 'bar') this.#take(column);
    }
  }

  /** The next bar, or the newest one grown. */
  #take(bar: ChartBar): void {
    const newest = this.#bars.at(-1) ?? null;
    const before = newest?.id === bar.id ? newest : null;
    if (before === null) {
      if (newest !== null) this.#cumulative += newest.delta;
      this.#bars.push(bar);
    } else this.#bars[this.#bars.length - 1] = bar;
    const { delta, profile } = this.#targets;
    if (delta !== null) this.#putDelta(bar, delta);
    this.#vwap?.put(bar, before);
    if (profile !== null) this.#addToProfile(bar, before);
    this.#noteLastTrade(bar, before);
  }

  #putDelta(bar: ChartBar, series: ObjectSeries<'delta'>): void {
    const open = this.#cumulative;
    const { id, isFinal, fromNs, volume } = bar;
    const [high, low, close] = [open + bar.deltaMax, open + bar.deltaMin, open + bar.delta];
    series.put({ id, final: isFinal, ts: fromNs, data: { open, high, low, close, volume } });
  }

  #addToProfile(bar: ChartBar, before: ChartBar | null): void {
    if (this.#profile === null || bar.fromNs >= this.#profile.endNs) {
      if (this.#profile !== null) this.#publishProfile(this.#profile, true);
      this.#profile = this.#profileFrom(bar);
      this.#profileIds.push(this.#profile.id);
    }
    const { levels } = this.#profile;
    if (before === null && bar.levels !== null) levels.append(bar.levels);
    else {
      visitAdded(bar, before, (price, bid, ask, unknown) => levels.add(price, bid, ask, unknown));
    }
    if (this.#targets.isRenko) {
      this.#profile.high = levels.high;
      this.#profile.low = levels.low;
    } else {
      this.#profile.high = Math.max(this.#profile.high, bar.high);
      this.#profile.low = Math.min(this.#profile.low, bar.low);
    }
  }

  #profileFrom({ id, fromNs }: ChartBar): Profile {
    const { periodSeconds, group } = this.#targets.profileParameters!;
    let { openNs, closeNs: endNs } = this.span;
    if (periodSeconds !== null) {
      const periodNs = BigInt(periodSeconds) * SECOND_NS;
      openNs += ((fromNs - openNs) / periodNs) * periodNs;
      if (openNs + periodNs < endNs) endNs = openNs + periodNs;
    }
    const [day, rank] = id.split('.');
    return {
      id: `${day}.${rank}`,
      openNs,
      endNs,
      levels: new PriceLevels(group),
      high: Number.NEGATIVE_INFINITY,
      low: Number.POSITIVE_INFINITY,
      isFinal: false,
    };
  }

  #publishProfile(profile: Profile, isFinal: boolean): void {
    profile.isFinal = isFinal;
    const endNs = isFinal ? profile.endNs : this.#lastTradeNs;
    const data = profileData(profile, this.#targets.profileParameters!, endNs);
    this.#targets.profile!.put({ id: profile.id, final: isFinal, ts: profile.openNs, data });
  }

  /**
   * The clock ends a time bar some time after its last trade. If the last version before had the same trades, that time
   * is known; otherwise the end of the bar stands for it.
   */
  #noteLastTrade(bar: ChartBar, before: ChartBar | null): void {
    const isSameTrades = before !== null && before.trades === bar.trades;
    if (bar.isFinal && !this.#targets.isEndedByTrades && isSameTrades) return;
    this.#lastTradeNs = bar.endNs;
  }

  #isPast(ns: bigint, tapeNs: bigint | null): boolean {
    const newest = this.#bars.at(-1)!;
    return (tapeNs !== null && tapeNs >= ns) || (newest.isFinal && newest.endNs >= ns);
  }
}

function profileData(
  { levels, high, low }: Profile,
  rules: ProfileParameters,
  endNs: bigint,
): VolumeProfileData {
  const { count, price, bid, ask, unknown } = levels;
  const poc = pocIndex(levels, rules.pocTie);
  const [val, vah] = valueArea(levels, poc, rules.valueArea);
  const rows: [number, number, number, number?][] = [];
  let [volume, delta] = [0, 0];
  for (let row = 0; row < count; row += 1) {
    const [sold, bought, other] = [bid[row]!, ask[row]!, unknown[row]!];
    rows.push(other === 0 ? [price[row]!, sold, bought] : [price[row]!, sold, bought, other]);
    volume += sold + bought + other;
    delta += bought - sold;
  }
  return {
    ...{ levels: rows, poc: price[poc]!, vah: price[vah]!, val: price[val]!, volume, delta },
    ...{ high, low, end: String(endNs) },
  };
}
