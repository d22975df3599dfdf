/**
 * Puts objects of a layer into one series, from the stream and from history, whichever comes first: a removal may be
 * known before the object that it removed. At a roll, levels of the old contract end.
 */

import type { HistoryEntry } from '@tapeloom/client';
import type { IndicatorObject, Remove, Snapshot } from '@tapeloom/client/stream';
import type { ObjectSeries } from '../series/object-series.ts';
import { endAfterRoll, isAt, type PastEnd } from './past-end.ts';
import type { Segment } from './segments.ts';
import type { Lasting } from './topics.ts';
import { isWholeSnapshot } from './whole-snapshot.ts';

export class LayerSink {
  readonly #objects: ObjectSeries;
  readonly #lasting: Lasting | null;
  readonly #depth: number;
  #beginNs: bigint | null = null;
  #end: PastEnd | null = null;
  #isWhole = false;
  #generation = 0;
  /** When the newest object of the first snapshot began; null: it was empty. */
  #snapshotNs: bigint | null = null;
  /** Removals of objects that are not here, by id. */
  readonly #removals = new Map<string, bigint>();
  /** Ids of objects of earlier contracts. */
  readonly #earlier = new Set<string>();

  /** `lasting`: null if this page does not know the indicator. `depth`: the most objects of a snapshot. */
  constructor(objects: ObjectSeries, lasting: Lasting | null, depth: number) {
    this.#objects = objects;
    this.#lasting = lasting;
    this.#depth = depth;
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

  /** The segment of all objects that the stream brings from now on. */
  begin({ fromNs }: Segment): void {
    this.#beginNs = fromNs;
  }

  start(snapshot: Snapshot<string>): void {
    this.clear();
    this.#isWhole = isWholeSnapshot(snapshot.objects, this.#depth);
    this.#end = { cursor: snapshot.cursor };
    this.#snapshotNs = snapshot.objects.at(-1)?.ts ?? null;
    this.#putAll(snapshot.objects);
  }

  /** The contract of `ended` is over: its objects stay under other ids, and levels that still stood end. */
  roll(ended: Segment, snapshot: Snapshot<string>): void {
    const known = [...this.#objects.all];
    this.#objects.clear();
    this.#removals.clear();
    for (const { removedNs, ...object } of known) {
      const isEarlier = this.#earlier.has(object.id);
      const id = isEarlier ? object.id : idOf(object.id, ended);
      this.#earlier.add(id);
      this.#objects.put({ ...object, id });
      const removed = removedNs ?? (isEarlier ? null : this.#endOf(object, ended));
      if (removed !== null) this.#objects.remove(id, removed);
    }
    this.#putAll(snapshot.objects);
    this.#end = endAfterRoll(this.#end, ended);
    this.#generation += 1;
  }

  /**
   * The session of the snapshot opened then. If nothing of it can be missing, history need only reach its open: of
   * levels that are removed within a session, a snapshot has no trace.
   */
  reachOpen(openNs: bigint): void {
    const isAll = this.#lasting === 'point' || this.#lasting === 'session';
    if (!isAll || !this.#isWhole || this.#end === null || 'ns' in this.#end) return;
    const begin = this.#beginNs;
    this.#end = { ns: begin !== null && begin > openNs ? begin : openNs };
  }

  upsert(object: IndicatorObject<string>): void {
    this.#removals.delete(object.id);
    const shown = this.#shown(object, this.#beginNs);
    if (shown !== null) this.#objects.put(shown);
  }

  remove({ id, ts }: Pick<Remove, 'id' | 'ts'>): void {
    if (this.#objects.get(id) === undefined) this.#removals.set(id, ts);
    else this.#objects.remove(id, ts);
  }

  /** Pages of a segment, from `fromNs` to the end. */
  past(entries: readonly HistoryEntry<string>[], fromNs: bigint, segment: Segment): void {
    const isLastOfContract = segment.endNs !== null && isAt(this.#end, segment.endNs);
    const isKnown = new Set(this.#objects.all.map(({ id }) => id));
    for (const entry of entries) {
      if (entry.t === 'snapshot') continue;
      const id = idOf(entry.t === 'upsert' ? entry.object.id : entry.id, segment);
      // What is here is of the same time or newer.
      if (isKnown.has(id)) continue;
      if (entry.t === 'remove') this.remove({ id, ts: entry.ts });
      else if (entry.object.final || isLastOfContract) this.#putPast(id, entry.object, segment);
    }
    this.#end = { ns: fromNs };
  }

  clear(): void {
    this.#objects.clear();
    this.#removals.clear();
    this.#earlier.clear();
    this.#end = null;
    this.#isWhole = false;
    this.#snapshotNs = null;
    this.#generation += 1;
  }

  #putPast(id: string, object: IndicatorObject<string>, segment: Segment): void {
    const shown = this.#shown({ ...object, id }, segment.fromNs);
    if (shown === null) return;
    const removed = this.#removals.get(id) ?? this.#endOf(object, segment);
    this.#removals.delete(id);
    if (segment.endNs !== null) this.#earlier.add(id);
    this.#objects.put(shown);
    if (removed !== null) this.#objects.remove(id, removed);
  }

  #putAll(objects: readonly IndicatorObject<string>[]): void {
    this.#objects.putAll(objects.flatMap((object) => this.#shown(object, this.#beginNs) ?? []));
  }

  /** An alias began to mean the contract at `beginNs`: what was over before is not shown, and levels begin there. */
  #shown(object: IndicatorObject<string>, beginNs: bigint | null): IndicatorObject<string> | null {
    if (beginNs === null || object.ts >= beginNs || this.#lasting === null) return object;
    return this.#lasting === 'point' ? null : { ...object, ts: beginNs };
  }

  /** When an object ends because its contract's time is over. */
  #endOf({ final }: IndicatorObject<string>, { endNs }: Segment): bigint | null {
    if (endNs === null) return null;
    const isLasting = this.#lasting === 'carried' || (this.#lasting === 'session' && !final);
    return isLasting ? endNs : null;
  }
}

/** Ids of several contracts of one alias may be equal, so those of earlier ones get two numbers more. */
function idOf(id: string, { endNs, number }: Segment): string {
  return endNs === null ? id : `${id}.0.${number}`;
}
