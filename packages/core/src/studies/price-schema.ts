/**
 * Marks values in ticks in the schema of an indicator's data, so that programs can convert them to currency without
 * reading descriptions: `x-unit` is `price` for a price, and `ticks` for a distance between prices.
 */

import type { JsonSchema } from './indicator.ts';

export const PRICE_UNIT = { 'x-unit': 'price' } as const;
export const TICKS_UNIT = { 'x-unit': 'ticks' } as const;

export const price = (description: string) =>
  ({ type: 'integer', ...PRICE_UNIT, description }) as const satisfies JsonSchema;

/** The first member of a row. */
export const ROW_PRICE_MEMBER = { title: 'price', type: 'integer', ...PRICE_UNIT } as const;
