/** The objects of one indicator as a chart keeps them: removed ones stay, with the time of their removal. */

import type { IndicatorObject } from '@tapeloom/client/stream';
import { compareObjectIds } from './object-order.ts';

export interface KeptObject<I extends string = string> extends IndicatorObject<I> {
  /** Null: it still stands. */
  readonly removedNs: bigint | null;
}

export class ObjectSeries<I extends string = string> {
  readonly #byId = new Map<string, KeptObject<I>>();
  /** Null: to be sorted when somebody asks, as after many objects in any order. */
  #ordered: KeptObject<I>[] | null = null;
  #revision = 0;

  /** Changes whenever the content does. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): KeptObject<I> | undefined {
    return this.#byId.get(id);
  }

  /** Ascending by time, then by id. The array changes with the series. */
  get all(): readonly KeptObject<I>[] {
    this.#ordered ??= [...this.#byId.values()].sort(compareObjects);
    return this.#ordered;
  }

  put(object: IndicatorObject<I>): void {
    this.#place({ ...object, removedNs: null });
  }

  /** Many at once, in any order: one sort instead of one insertion each. */
  putAll(objects: Iterable<IndicatorObject<I>>): void {
    for (const object of objects) this.#byId.set(object.id, { ...object, removedNs: null });
    this.#ordered = null;
    this.#revision += 1;
  }

  /** A removed object stays visible up to its removal; its first removal counts. */
  remove(id: string, removedNs: bigint): void {
    const known = this.#byId.get(id);
    if (known === undefined || known.removedNs !== null) return;
    this.#place({ ...known, removedNs });
  }

  /** Forgets it, as if it had never been. */
  drop(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#ordered?.splice(this.#placeOf(this.#ordered, known), 1);
    this.#byId.delete(id);
    this.#revision += 1;
  }

  clear(): void {
    this.#byId.clear();
    this.#ordered = null;
    this.#revision += 1;
  }

  #place(kept: KeptObject<I>): void {
    const before = this.#byId.get(kept.id);
    this.#byId.set(kept.id, kept);
    this.#revision += 1;
    const ordered = this.#ordered;
    if (ordered === null) return;
    if (before !== undefined) {
      const at = this.#placeOf(ordered, before);
      if (before.ts === kept.ts) {
        ordered[at] = kept;
        return;
      }
      ordered.splice(at, 1);
    }
    ordered.splice(this.#placeOf(ordered, kept), 0, kept);
  }

  /** The index of the object, or where it belongs. Most are the newest. */
  #placeOf(ordered: readonly KeptObject<I>[], object: KeptObject<I>): number {
    const last = ordered.at(-1);
    if (last === undefined || compareObjects(last, object) < 0) return ordered.length;
    if (last === object) return ordered.length - 1;
    let [low, high] = [0, ordered.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareObjects(ordered[middle]!, object) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compareObjects(a: KeptObject, b: KeptObject): number {
  if (a.ts !== b.ts) return a.ts < b.ts ? -1 : 1;
  return compareObjectIds(a.id, b.id);
}
