/** The objects of a state by id, in order of creation. Of the final ones only the newest `keepFinal` are kept. */

import type { IndicatorObject } from '../indicator-objects.ts';
import { TapeloomError } from '../tapeloom-error.ts';

export class KeptObjects<I extends string> {
  readonly map = new Map<string, IndicatorObject<I>>();
  readonly #keepFinal: number;
  #finals = 0;
  /** The newest by creation; null if it must be searched. */
  #latest: IndicatorObject<I> | null = null;

  constructor(keepFinal: number) {
    this.#keepFinal = keepFinal;
  }

  latest(): IndicatorObject<I> | undefined {
    // After a removal the newest is searched again. Removals are rare, and this is called at every update.
    if (this.#latest === null) for (const object of this.map.values()) this.#latest = object;
    return this.#latest ?? undefined;
  }

  put(object: IndicatorObject<I>): void {
    const before = this.map.get(object.id);
    this.#finals += Number(object.final) - Number(before?.final === true);
    this.map.set(object.id, object);
    if (before === undefined || before === this.#latest) this.#latest = object;
  }

  delete(id: string): void {
    const object = this.map.get(id);
    if (object?.final === true) this.#finals -= 1;
    if (object === this.#latest) this.#latest = null;
    this.map.delete(id);
  }

  clear(): void {
    this.map.clear();
    this.#finals = 0;
    this.#latest = null;
  }

  forgetOldFinals(): void {
    if (this.#finals <= this.#keepFinal) return;
    for (const { id, final } of this.map.values()) {
      if (final) this.delete(id);
      if (this.#finals <= this.#keepFinal) return;
    }
  }
}

/** The option `keepFinal`, validated. Default: all. */
export function keptFinals(keepFinal: number = Number.POSITIVE_INFINITY): number {
  if (keepFinal >= 0 && (Number.isSafeInteger(keepFinal) || keepFinal === Number.POSITIVE_INFINITY))
    return keepFinal;
  throw new TapeloomError('CONFIGURATION', '"keepFinal" must be a whole number from 0 on.');
}
