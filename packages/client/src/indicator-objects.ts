/** The objects of indicators, with the types of those the catalogue had when this client was made. */

import type { IndicatorId, IndicatorTypes } from './indicator-types.ts';

/** An indicator of the catalogue; any other text is one the types do not know, and its data is `unknown`. */
export type IndicatorName = IndicatorId | (string & Record<never, never>);

/**
 * What a request may name: an indicator of the catalogue, or a text that is known only when the program runs. A literal that
 * the catalogue does not have is a misspelling; for one that the types do not know yet, write `'new-one' as string`.
 */
export type NamedIndicator<I extends string> = string extends I
  ? I
  : I extends IndicatorId
    ? I
    : never;

export type ParamsOf<I extends string> = I extends IndicatorId
  ? IndicatorTypes[I]['params']
  : Readonly<Record<string, unknown>>;

export type DataOf<I extends string> = I extends IndicatorId ? IndicatorTypes[I]['data'] : unknown;

export interface IndicatorObject<I extends string> {
  readonly id: string;
  /** Its data will never change again; it may still be removed. */
  readonly final: boolean;
  /** The object's own time, such as the open of a bar: nanoseconds since 1970. */
  readonly ts: bigint;
  readonly data: DataOf<I>;
}

/** The object is created, or replaced as a whole. */
export interface Upsert<I extends string> {
  readonly t: 'upsert';
  readonly cursor: string;
  readonly object: IndicatorObject<I>;
}

export interface Remove {
  readonly t: 'remove';
  readonly cursor: string;
  readonly id: string;
  readonly final: boolean;
  /** When it was removed: nanoseconds since 1970. */
  readonly ts: bigint;
}

/** The newest objects at a cursor, as many as `depth` says; older ones are in history, and in `client.joined()`. */
export interface Snapshot<I extends string> {
  readonly t: 'snapshot';
  readonly cursor: string;
  readonly objects: readonly IndicatorObject<I>[];
}
