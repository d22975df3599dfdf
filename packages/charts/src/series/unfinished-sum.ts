/**
 * Unfinished auctions from the levels of finished bars, carried until a later bar trades their price, as the indicator
 * carries them. Only the instant of a removal is coarser: the begin of the bar that traded there.
 */

import type { ChartBar, Column, GapColumn } from './chart-bar.ts';
import { isGrown } from './level-changes.ts';
import type { ObjectSeries } from './object-series.ts';
import type { Span } from './session-spans.ts';
import type { UnfinishedParameters } from './sum-parameters.ts';

/** As the studies: a birth beyond it removes the oldest. */
const CARRIED_MAX = 5_000;

interface Carried {
  readonly id: string;
  readonly side: 1 | -1;
  /** Price times side: a bar whose extreme times side reaches it removes the object. */
  readonly key: number;
  /** The open of the session of its birth. */
  readonly session: number;
}

export class UnfinishedSum {
  readonly #series: ObjectSeries<'unfinished-auctions'>;
  readonly #parameters: UnfinishedParameters;
  #spans: readonly Span[] = [];
  #bars: ChartBar[] = [];
  #gaps: readonly GapColumn[] = [];
  /** The session of the newest bar, in `#spans`; -1 before the first. */
  #session = -1;
  /** Whether the close of that session has been dealt with. */
  #isClosed = false;
  /** By id, the oldest first. */
  readonly #alive = new Map<string, Carried>();
  /** By descending key: the nearest is the last. */
  readonly #lists: Readonly<Record<1 | -1, Carried[]>> = { 1: [], [-1]: [] };

  constructor(series: ObjectSeries<'unfinished-auctions'>, parameters: UnfinishedParameters) {
    this.#series = series;
    this.#parameters = parameters;
  }

  update(columns: readonly Column[], spans: readonly Span[], tapeNs: bigint | null): void {
    const gaps = columns.filter((column) => column.kind === 'gap');
    const isSameGaps =
      gaps.length === this.#gaps.length && gaps.every((gap, at) => gap === this.#gaps[at]);
    const isMoved = spans[0]?.openNs !== this.#spans[0]?.openNs;
    this.#spans = spans;
    this.#gaps = gaps;
    const known = isMoved || !isSameGaps ? null : this.#firstNew(columns);
    if (known === null) this.#restart();
    for (let at = known ?? 0; at < columns.length; at += 1) {
      const column = columns[at]!;
      if (column.kind === 'bar') this.#take(column);
    }
    this.#pass(tapeNs);
  }

  /** The first column that is not counted yet; null if counted bars have changed. */
  #firstNew(columns: readonly Column[]): number | null {
    let known = 0;
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at]!;
      if (column.kind === 'gap') continue;
      if (column === this.#bars[known]) known += 1;
      else if (known === this.#bars.length) return at;
      else if (known === this.#bars.length - 1 && isGrown(column, this.#bars[known]!)) return at;
      else return null;
    }
    return known === this.#bars.length ? columns.length : null;
  }

  #restart(): void {
    if (this.#series.size > 0) this.#series.clear();
    this.#bars = [];
    this.#session = -1;
    this.#isClosed = false;
    this.#alive.clear();
    this.#lists[1].length = 0;
    this.#lists[-1].length = 0;
  }

  #take(bar: ChartBar): void {
    if (this.#bars.at(-1)?.id === bar.id) this.#bars[this.#bars.length - 1] = bar;
    else this.#bars.push(bar);
    this.#pass(bar.fromNs);
    const { levels } = bar;
    if (levels === null || levels.count === 0 || !this.#isIn(bar.fromNs)) return;
    const [low, high] = [levels.price[0]!, levels.price[levels.count - 1]!];
    this.#removeReached(1, high, bar.fromNs);
    this.#removeReached(-1, -low, bar.fromNs);
    if (!bar.isFinal || !this.#isWholeUpTo(bar.endNs)) return;
    this.#bear(bar, 1, levels.count - 1);
    this.#bear(bar, -1, 0);
  }

  /** Closes and opens the sessions up to an instant. */
  #pass(ns: bigint | null): void {
    if (ns === null) return;
    if (this.#session < 0) {
      if (this.#bars.length === 0) return;
      this.#session = this.#spans.findIndex(({ openNs, closeNs }) => openNs <= ns && ns < closeNs);
      return;
    }
    for (;;) {
      const span = this.#spans[this.#session]!;
      if (span.closeNs > ns) return;
      if (!this.#isClosed) this.#close(span);
      this.#isClosed = true;
      const next = this.#spans[this.#session + 1];
      if (next === undefined || next.openNs > ns) return;
      this.#session += 1;
      this.#isClosed = false;
    }
  }

  #close({ closeNs }: Span): void {
    const isComplete = this.#isWholeUpTo(closeNs);
    const lastGone = isComplete ? this.#session - this.#parameters.lookback : this.#session;
    for (const carried of this.#alive.values()) {
      if (carried.session > lastGone) return;
      this.#forget(carried, closeNs);
    }
  }

  #isIn(ns: bigint): boolean {
    const span = this.#spans[this.#session];
    return span !== undefined && span.openNs <= ns && ns < span.closeNs;
  }

  /** The service knows of no missing trade of the session before this instant. */
  #isWholeUpTo(ns: bigint): boolean {
    const { openNs } = this.#spans[this.#session]!;
    return !this.#gaps.some((gap) => gap.fromNs < ns && gap.endNs > openNs);
  }

  #removeReached(side: 1 | -1, reach: number, ns: bigint): void {
    const list = this.#lists[side];
    while (list.length > 0 && list.at(-1)!.key <= reach) {
      const { id } = list.pop()!;
      this.#alive.delete(id);
      this.#series.remove(id, ns);
    }
  }

  #bear({ id: barId, fromNs, endNs, levels }: ChartBar, side: 1 | -1, row: number): void {
    const [price, bid, ask] = [levels!.price[row]!, levels!.bid[row]!, levels!.ask[row]!];
    if (Math.min(bid, ask) < this.#parameters.minVolume) return;
    const id = `${barId}.${side === 1 ? 1 : 2}`;
    const kind = side === 1 ? 'high' : 'low';
    if (this.#alive.size === CARRIED_MAX) {
      const [oldest] = this.#alive.values();
      this.#forget(oldest!, endNs);
    }
    const carried: Carried = { id, side, key: price * side, session: this.#session };
    this.#alive.set(id, carried);
    const list = this.#lists[side];
    list.splice(placeOf(list, carried.key), 0, carried);
    this.#series.put({ id, final: true, ts: fromNs, data: { kind, price, bid, ask, barId } });
  }

  #forget(carried: Carried, ns: bigint): void {
    this.#alive.delete(carried.id);
    const list = this.#lists[carried.side];
    list.splice(list.indexOf(carried), 1);
    this.#series.remove(carried.id, ns);
  }
}

/** After all greater keys, before equal ones. */
function placeOf(list: readonly Carried[], key: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.key > key) low = middle + 1;
    else high = middle;
  }
  return low;
}
