/** The objects of indicators, with the types of the catalogue that this client was built with. */

import type { IndicatorId, IndicatorTypes } from './indicator-types.ts';

/** An indicator of the catalogue. Any other text is an indicator without a known type: its data is `unknown`. */
export type IndicatorName = IndicatorId | (string & Record<never, never>);

/**
 * An indicator that a request may name: one of the catalogue, or a text known only at run time. The compiler rejects
 * any other literal as a misspelling. For an indicator newer than your types, write `'new-one' as string`.
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
  /** The data will never change again. The object may still be removed. */
  readonly final: boolean;
  /** The object's own time, such as the open of a bar, in nanoseconds since 1970. */
  readonly ts: bigint;
  readonly data: DataOf<I>;
}

/** Creates the object, or replaces it as a whole. */
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
  /** The time of the removal, in nanoseconds since 1970. */
  readonly ts: bigint;
}

/** The newest objects at a cursor, up to the parameter `depth`. For older ones use history or `client.joined()`. */
export interface Snapshot<I extends string> {
  readonly t: 'snapshot';
  readonly cursor: string;
  readonly objects: readonly IndicatorObject<I>[];
}
