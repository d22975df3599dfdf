/**
 * Puts bars of the stream and of history into one series: each bar once, in one row without a hole. Bars of a contract
 * stand only where an alias meant it.
 */

import type { HistoryEntry } from '@tapeloom/client';
import type { IndicatorObject, Snapshot } from '@tapeloom/client/stream';
import type { BarObject, BarSeries } from '../series/bar-series.ts';
import { compareObjectIds } from '../series/object-order.ts';
import { endAfterRoll, isAt, type PastEnd } from './past-end.ts';
import type { Segment } from './segments.ts';
import { isWholeSnapshot } from './whole-snapshot.ts';

export class BarSink {
  readonly #bars: BarSeries;
  readonly #depth: number;
  /** Where the alias began to mean the present contract; null: it always has. */
  #beginNs: bigint | null = null;
  #reachedNs: bigint | null = null;
  #end: PastEnd | null = null;
  #isWhole = false;
  #generation = 0;
  /** When the newest bar of the first snapshot began; null: it was empty. */
  #snapshotNs: bigint | null = null;

  /** `depth`: the most bars of a snapshot. */
  constructor(bars: BarSeries, depth: number) {
    this.#bars = bars;
    this.#depth = depth;
  }

  /** All bars since this instant are here; null: not known. */
  get reachedNs(): bigint | null {
    return this.#reachedNs;
  }

  /** Where history continues backwards; null: there was no snapshot yet. */
  get end(): PastEnd | null {
    return this.#end;
  }

  /** Changes when what history joins has become another. */
  get generation(): number {
    return this.#generation;
  }

  get snapshotNs(): bigint | null {
    return this.#snapshotNs;
  }

  /** The segment of all bars that the stream brings from now on. Earlier ones stay. */
  begin({ fromNs }: Segment): void {
    this.#beginNs = fromNs;
  }

  /** The first state of all. */
  start({ cursor, objects }: Snapshot<string>): void {
    this.clear();
    const shown = this.#ours(objects);
    this.#bars.putAll(shown as readonly BarObject[]);
    this.#isWhole = isWholeSnapshot(objects, this.#depth);
    this.#snapshotNs = objects.at(-1)?.ts ?? null;
    const first = shown[0];
    if (shown.length < objects.length) this.#reach(this.#beginNs!);
    else if (first === undefined) this.#end = { cursor };
    else {
      this.#reachedNs = first.ts;
      // Another bar may have begun and ended in the same nanosecond before it.
      this.#end = { ns: first.ts + 1n };
    }
  }

  /** A later state. Whether it continues what is here without a hole; otherwise nothing changes. */
  continue({ objects }: Snapshot<string>): boolean {
    const shown = this.#ours(objects);
    const [first, last] = [shown[0], this.#bars.last];
    const isContinued =
      first !== undefined && last !== null && compareObjectIds(first.id, last.id) <= 0;
    if (isContinued) this.#bars.putAll(shown as readonly BarObject[]);
    return isContinued;
  }

  /** The state of the next contract at the roll: nothing is missing between. */
  follow({ objects }: Snapshot<string>, ended: Segment): void {
    this.#end = endAfterRoll(this.#end, ended);
    this.#generation += 1;
    this.#bars.putAll(this.#ours(objects) as readonly BarObject[]);
  }

  /** The session of the first snapshot opened then: if nothing of it can be missing, all since then is here. */
  reachOpen(openNs: bigint, isTimeBars: boolean): void {
    const isFirst = isTimeBars && this.#reachedNs === openNs;
    if (!this.#isWhole && !isFirst) return;
    const begin = this.#beginNs;
    const from = begin !== null && begin > openNs ? begin : openNs;
    if (this.#reachedNs === null || this.#reachedNs >= from) this.#reach(from);
  }

  upsert(object: IndicatorObject<string>): void {
    if (this.#beginNs === null || object.ts >= this.#beginNs) this.#bars.put(object as BarObject);
  }

  remove(id: string): void {
    this.#bars.remove(id);
  }

  /** Pages of a segment, from `fromNs` to the end. The bar that a roll cut off stays unfinished. */
  past(entries: readonly HistoryEntry<string>[], fromNs: bigint, segment: Segment): void {
    const isLastOfContract = segment.endNs !== null && isAt(this.#end, segment.endNs);
    const found: BarObject[] = [];
    for (const entry of entries) {
      if (entry.t !== 'upsert') continue;
      const { object } = entry;
      const isWanted = object.final || isLastOfContract;
      const isOurs = segment.fromNs === null || object.ts >= segment.fromNs;
      if (!isWanted || !isOurs || this.#bars.get(object.id) !== undefined) continue;
      found.push(object as BarObject);
    }
    this.#bars.putAll(found);
    this.#reach(fromNs);
  }

  clear(): void {
    this.#bars.clear();
    this.#reachedNs = null;
    this.#end = null;
    this.#isWhole = false;
    this.#snapshotNs = null;
    this.#generation += 1;
  }

  #reach(ns: bigint): void {
    this.#reachedNs = ns;
    this.#end = { ns };
  }

  #ours(objects: readonly IndicatorObject<string>[]): readonly IndicatorObject<string>[] {
    const begin = this.#beginNs;
    return begin === null ? objects : objects.filter(({ ts }) => ts >= begin);
  }
}
