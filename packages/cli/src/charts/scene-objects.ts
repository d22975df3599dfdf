/** Keeps the newest version of every object for drawing, removed objects included. */

import type { SceneObject } from './scene.ts';

export class SceneObjects<Data> {
  readonly #objects = new Map<string, SceneObject<Data>>();
  readonly #countMax: number;

  /** Beyond `countMax` objects, the oldest are dropped. */
  constructor(countMax = Number.POSITIVE_INFINITY) {
    this.#countMax = countMax;
  }

  get size(): number {
    return this.#objects.size;
  }

  put(object: Omit<SceneObject<Data>, 'ns' | 'removedNs'> & { readonly ts: bigint }): void {
    const { id, final, ts, data } = object;
    this.#objects.set(id, { id, final, ns: ts, data, removedNs: null });
    if (this.#objects.size <= this.#countMax) return;
    const [oldest] = this.#objects.keys();
    this.#objects.delete(oldest!);
  }

  remove(id: string, ns: bigint): void {
    const object = this.#objects.get(id);
    if (object !== undefined) this.#objects.set(id, { ...object, removedNs: ns });
  }

  clear(): void {
    this.#objects.clear();
  }

  inOrder(): SceneObject<Data>[] {
    return [...this.#objects.values()].sort((a, b) => (a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0));
  }
}
