/** A definition with lists of integers, which no indicator of the catalogue has: for tests of what reads definitions. */

import fc from 'fast-check';
import type { IndicatorDefinition } from '../src/studies/indicator.ts';

export const LIST_DEFINITION: IndicatorDefinition = {
  id: 'shares-of-volume',
  version: 1,
  name: 'Shares of volume',
  description: 'The prices that hold each of some shares of the volume.',
  parameters: [
    {
      name: 'of',
      type: 'string',
      default: 'bar',
      values: ['bar', 'session'],
      description: 'What the volume is of.',
    },
    {
      name: 'shares',
      type: 'integers',
      default: [50, 70],
      defaultBy: { by: 'of', values: { session: [70] } },
      minimum: 1,
      maximum: 100,
      minItems: 1,
      maxItems: 4,
      unit: 'percent',
      description: 'Which shares.',
    },
    {
      name: 'offsets',
      type: 'integers',
      default: [],
      minimum: -5,
      maximum: 5,
      minItems: 0,
      maxItems: 3,
      category: 'view',
      description: 'Which offsets a snapshot has.',
    },
  ],
  data: { type: 'object', properties: {}, required: [], additionalProperties: false },
  computeUnitsPerTrade: 1,
  presets: [{ id: 'three', name: 'Three shares', params: { shares: [50, 70, 90] } }],
  example: { id: '20261113.48211', final: true, ts: '1794580260000000000', data: {} },
};

/** Lists that `shares` takes, in any order. */
export const anyShares: fc.Arbitrary<readonly number[]> = fc.uniqueArray(
  fc.integer({ min: 1, max: 100 }),
  { minLength: 1, maxLength: 4 },
);
