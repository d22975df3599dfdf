/** Parses results of the past from the service's JSON, in pages and in export lines. */

import type { IndicatorObject, Remove, Snapshot, Upsert } from '../indicator-objects.ts';
import { TapeloomError } from '../tapeloom-error.ts';

/** A settled version of an object, or its removal. With `snapshot`: every version that a stream published. */
export type HistoryEntry<I extends string> = Upsert<I> | Remove | Snapshot<I>;

/** As sent by the service. */
interface RawObject {
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
  readonly data: unknown;
}
interface RawEntry extends RawObject {
  readonly t: string;
  readonly cursor: string;
  readonly items?: readonly RawObject[];
}

/** `place` names the entry in the error message for an invalid one. */
export function entryOf<I extends string>(value: unknown, place: string): HistoryEntry<I> {
  try {
    const { t, cursor, id, final, ts, data, items } = value as RawEntry;
    if (typeof cursor === 'string') {
      if (t === 'upsert') return { t, cursor, object: objectOf<I>({ id, final, ts, data }) };
      if (t === 'remove' && typeof id === 'string') return { t, cursor, id, final, ts: BigInt(ts) };
      if (t === 'snapshot') return { t, cursor, objects: items!.map((item) => objectOf<I>(item)) };
    }
  } catch (error) {
    throw notAnEntry(place, error);
  }
  throw notAnEntry(place);
}

function objectOf<I extends string>({ id, final, ts, data }: RawObject): IndicatorObject<I> {
  if (typeof id !== 'string') throw new TypeError('an object without an id');
  return { id, final, ts: BigInt(ts), data: data as IndicatorObject<I>['data'] };
}

function notAnEntry(place: string, cause?: unknown): TapeloomError {
  const message = `${place} is not a result as the service writes them.`;
  return new TapeloomError('INVALID_RESPONSE', message, cause === undefined ? {} : { cause });
}
