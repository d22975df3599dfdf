/** The arguments that every history query has. */

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
    .record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.array(z.number())]))
    .optional()
    .describe(
      'Parameters of the indicator, such as {"size": 300}; list_indicators with its id lists them. Omitted parameters have their defaults.',
    ),
  from: z.string().min(1).describe(`Start of the range, included: ${TIME}.`),
  to: z
    .string()
    .min(1)
    .optional()
    .describe(`End of the range, not included: ${TIME}. Omitted: the newest time the key can see.`),
  dataset: z
    .string()
    .min(1)
    .optional()
    .describe('Only for a contract that is no longer streamed: its dataset.'),
  gaps: z
    .enum(['refuse', 'allow'])
    .optional()
    .describe(
      'refuse (default): a range with missing days or hours is refused. allow: existing data is read, and the gaps are listed.',
    ),
};

export const indicatorInput = z
  .string()
  .min(1)
  .describe('The id of an indicator, such as bars or footprint, of list_indicators.');
