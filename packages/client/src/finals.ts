/**
 * The final objects of a series, each once, in the order in which they became final: of a stream from its snapshot on,
 * of history and exports in the whole range. A later snapshot, after a slow read for example, fills in missed objects.
 */

import type { ExportLine } from './export/export-lines.ts';
import type { IndicatorObject, Snapshot, Upsert } from './indicator-objects.ts';
import type { Update } from './stream/update.ts';

/** A snapshot has at most 5,000 objects, so an id this old is in none. */
const REMEMBERED_MAX = 10_000;

/** Any series; only the kinds named here are used. */
type FinalsSource<I extends string> = AsyncIterable<
  | Upsert<I>
  | Snapshot<I>
  | { readonly t: Exclude<(Update<I> | ExportLine<I>)['t'], 'upsert' | 'snapshot'> }
>;

/** The final objects of a series, each once: iterate over it, or wait for `toArray()`. */
export class Finals<I extends string> implements AsyncIterable<IndicatorObject<I>> {
  readonly #source: FinalsSource<I>;

  /** @internal */
  constructor(source: FinalsSource<I>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<IndicatorObject<I>, void, undefined> {
    const given = new Set<string>();
    const noted = (object: IndicatorObject<I>) => {
      given.add(object.id);
      if (given.size > REMEMBERED_MAX) given.delete(given.values().next().value!);
      return object;
    };
    for await (const update of this.#source) {
      if (update.t === 'upsert') {
        if (update.object.final) yield noted(update.object);
      } else if (update.t === 'snapshot') {
        for (const object of update.objects) {
          if (object.final && !given.has(object.id)) yield noted(object);
        }
      } else if (update.t === 'reset') {
        // Another contract may use the same ids.
        given.clear();
      }
    }
  }

  /** All of them. Resolves when the series has ended. */
  toArray(): Promise<IndicatorObject<I>[]> {
    return arrayOf(this);
  }
}

export async function arrayOf<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}
