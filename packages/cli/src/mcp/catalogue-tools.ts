/** The free tools: the catalogue and the usage. */

import { formatPrice } from '@tapeloom/core/price';
import * as z from 'zod';
import { dataResult, FREE, type Tool, tool } from './tool.ts';
import { isoText } from './wire-text.ts';

const listIndicators = tool({
  name: 'list_indicators',
  title: 'List indicators',
  description:
    'What can be computed: all indicators in brief, or with `id` one of them in full: its exact definition, every parameter with range and default, presets, and the meaning of each field of its results. Free.',
  annotations: FREE,
  input: z.strictObject({
    id: z.string().min(1).optional().describe('One indicator in full, such as footprint.'),
  }),
  output: z.object({
    indicators: z.array(z.looseObject({ id: z.string(), name: z.string() })),
  }),
  async run({ id }, { known }) {
    if (id !== undefined) {
      // The schema repeats the list of parameters.
      const { paramsSchema: _, ...indicator } = await known.named(id);
      return dataResult({ indicators: [indicator] });
    }
    const indicators = (await known.all()).map((it) => ({
      id: it.id,
      name: it.name,
      summary: firstSentence(it.description),
      defaults: Object.fromEntries(
        it.parameters.map((parameter) => [parameter.name, parameter.default]),
      ),
      computeUnitsPerTrade: it.computeUnitsPerTrade,
    }));
    return dataResult({ indicators });
  },
});

const listInstruments = tool({
  name: 'list_instruments',
  title: 'List instruments',
  description:
    'What trades: contracts with their aliases, tick sizes, whether the market is open, and when they last traded. Also returns the current time. Free.',
  annotations: FREE,
  input: z.strictObject({
    dataset: z
      .string()
      .min(1)
      .optional()
      .describe('All contracts of a dataset, also those that are no longer streamed.'),
  }),
  output: z.object({
    now: z.string().describe('The time on this machine, UTC.'),
    instruments: z.array(z.looseObject({ symbol: z.string(), alias: z.string().nullable() })),
  }),
  async run({ dataset }, { service, now }, signal) {
    const listed = await service.instruments({ signal, ...(dataset && { dataset }) });
    const instruments = listed.map((it) => ({
      symbol: it.symbol,
      alias: it.alias,
      name: it.name,
      exchange: it.exchange,
      currency: it.currency,
      tickSize: formatPrice(1, it.tickSizeNanos),
      status: it.status,
      updatedAt: isoText(it.updatedAt),
      expiresAt: isoText(it.expiresAt),
      streamed: it.streamed,
      dataset: it.dataset,
    }));
    return dataResult({ now: new Date(now()).toISOString(), instruments });
  },
});

const usage = tool({
  name: 'usage',
  title: 'Show usage',
  description:
    "The plan of the account with its limits, what was used this month and what is left, and what this session has spent of the user's limit. Free.",
  annotations: FREE,
  input: z.strictObject({}),
  output: z.looseObject({
    plan: z.string(),
    session: z.object({
      spentComputeUnits: z.number(),
      leftComputeUnits: z.number(),
      maxComputeUnitsPerCall: z.number(),
      maxComputeUnitsTotal: z.number(),
    }),
  }),
  async run(_input, { service, spending }, signal) {
    const used = await service.usage({ signal });
    return dataResult({
      ...used,
      resetsAt: isoText(used.resetsAt),
      session: {
        spentComputeUnits: spending.spent,
        leftComputeUnits: spending.left,
        maxComputeUnitsPerCall: spending.limits.perCall,
        maxComputeUnitsTotal: spending.limits.total,
      },
    });
  },
});

export const catalogueTools: readonly Tool[] = [listIndicators, listInstruments, usage];

function firstSentence(text: string): string {
  return text.split(/(?<=\.) /, 1)[0]!;
}
