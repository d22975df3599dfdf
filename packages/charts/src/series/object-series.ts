/** The objects of one indicator as a chart keeps them: removed ones stay, with the time of their removal. */

import type { IndicatorObject } from '@tapeloom/client/stream';
import { compareObjectIds } from './object-order.ts';

export interface KeptObject<I extends string = string> extends IndicatorObject<I> {
  /** Null: it still stands. */
  readonly removedNs: bigint | null;
}

export class ObjectSeries<I extends string = string> {
  readonly #byId = new Map<string, KeptObject<I>>();
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

  /** Ascending by time, then by id. */
  get all(): readonly KeptObject<I>[] {
    this.#ordered ??= [...this.#byId.values()].sort(compareObjects);
    return this.#ordered;
  }

  put(object: IndicatorObject<I>): void {
    const kept: KeptObject<I> = { ...object, removedNs: null };
    const ordered = this.#ordered;
    const before = this.#byId.get(object.id);
    this.#byId.set(object.id, kept);
    this.#revision += 1;
    if (ordered === null) return;
    const last = ordered.at(-1);
    if (before !== undefined && before === last && before.ts === kept.ts) {
      ordered[ordered.length - 1] = kept;
    } else if (before === undefined && (last === undefined || compareObjects(last, kept) < 0)) {
      ordered.push(kept);
    } else this.#ordered = null;
  }

  /** A removed object stays visible up to its removal. */
  remove(id: string, removedNs: bigint): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.set(id, { ...known, removedNs });
    this.#ordered = null;
    this.#revision += 1;
  }

  clear(): void {
    this.#byId.clear();
    this.#ordered = null;
    this.#revision += 1;
  }
}

function compareObjects(a: KeptObject, b: KeptObject): number {
  if (a.ts !== b.ts) return a.ts < b.ts ? -1 : 1;
  return compareObjectIds(a.id, b.id);
}
