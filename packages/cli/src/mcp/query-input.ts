/** The arguments that every question about the past has. */

import * as z from 'zod';

const TIME =
  'a time like 2026-11-12T14:30:00Z, a date like 2026-11-12 (its midnight UTC), or nanoseconds since 1970 as text';

export const queryInput = {
  instrument: z
    .string()
    .min(1)
    .describe(
      'An alias such as ES.c.0 or a contract such as ESZ6, of list_instruments. An alias means the contract it meant at `from`.',
    ),
  params: z
    .record(z.string(), z.union([z.number(), z.string(), z.boolean()]))
    .optional()
    .describe(
      'Parameters of the indicator, such as {"size": 300}; list_indicators with its id tells which there are. What is left out has its default.',
    ),
  from: z.string().min(1).describe(`Start of the range, included: ${TIME}.`),
  to: z
    .string()
    .min(1)
    .optional()
    .describe(`End of the range, not included: ${TIME}. Left out: the newest time the key sees.`),
  dataset: z
    .string()
    .min(1)
    .optional()
    .describe('Only for a contract that is no longer streamed: its dataset.'),
  gaps: z
    .enum(['refuse', 'allow'])
    .optional()
    .describe(
      'refuse (default): a range of which days or hours are missing is refused. allow: what is there is read, and what is missing is listed.',
    ),
};

export const indicatorInput = z
  .string()
  .min(1)
  .describe('The id of an indicator, such as bars or footprint, of list_indicators.');
