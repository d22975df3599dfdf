/**
 * The tools that estimate and read history. A response fits into a model's context: each page is sized to the space
 * left, so little is charged beyond what is shown. `next` is the position to resume from.
 */

import {
  type CatalogueIndicator,
  type Estimate,
  type HistoryPage,
  type HistoryRequest,
  type ListedGaps,
  nsOf,
} from '@tapeloom/client';
import { formatPrice } from '@tapeloom/core/price';
import * as z from 'zod';
import { indicatorInput, queryInput } from './query-input.ts';
import type { Service } from './service.ts';
import { CHARGED, dataResult, FREE, type Tool, tool } from './tool.ts';
import { isoText, type RowWriter, rowWriter } from './wire-text.ts';

/** Results of one call, and their characters: some 20,000 tokens. */
const ROWS_MAX = 2_000;
const ROWS_DEFAULT = 200;
const CHARACTERS_MAX = 48_000;
/** The first page reveals the length of a row. */
const FIRST_ROWS = 20;
const GAPS_MAX = 50;

const query = {
  indicator: indicatorInput,
  ...queryInput,
  mode: z
    .enum(['live', 'confirmed'])
    .optional()
    .describe(
      'live (default): ends with what still forms at `to`, marked final false. confirmed: final results only.',
    ),
  cursor: z
    .string()
    .min(1)
    .optional()
    .describe('`next` of an earlier result with the same arguments: continues there.'),
};

const estimate = tool({
  name: 'estimate',
  title: 'Estimate the cost of history',
  description:
    'What history would cost for these arguments, in compute units, what is left this month, and whether the limits that the user has set allow it. Free, and computes nothing.',
  annotations: FREE,
  input: z.strictObject(query),
  output: z.looseObject({
    computeUnits: z.number(),
    allowed: z.boolean().describe('Whether history would be allowed now.'),
    refusal: z.string().nullable().describe('Why it would be refused.'),
  }),
  async run(input, { service, spending }, signal) {
    const estimated = await service.estimate({ ...requestOf(input), signal });
    const refusal = spending.refusal(estimated.computeUnits);
    const lacks = gapsData(estimated);
    return dataResult({ ...estimated, ...lacks, allowed: refusal === null, refusal });
  },
});

const history = tool({
  name: 'history',
  title: 'Read history',
  description:
    'Results of an indicator over a range of the past, as rows with named columns, oldest first. What the definition of the indicator gives in ticks is converted to prices here, and times are UTC. Costs one compute unit per trade read; refused, without cost, where the estimate of the whole range exceeds what the user allows. Long results are cut: `next` then continues after the cut. For a picture use chart.',
  annotations: CHARGED,
  input: z.strictObject({
    ...query,
    limit: z
      .int()
      .min(1)
      .max(ROWS_MAX)
      .optional()
      .describe(
        `Results at most, default ${ROWS_DEFAULT}. Reading ends there, and so does the cost.`,
      ),
  }),
  output: z.object({
    instrument: z.string(),
    contract: z.string().describe('The contract that was read.'),
    indicator: z.string(),
    tickSize: z.string(),
    to: z.string().nullable().describe('The end of the range.'),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.unknown())),
    next: z
      .string()
      .nullable()
      .describe('Pass it as `cursor` for what follows; null: that was all.'),
    computeUnits: z.number().describe('What this call cost.'),
    gaps: z
      .array(z.object({ from: z.string(), to: z.string(), why: z.string() }))
      .optional()
      .describe('With gaps allow: what of the range is missing, `to` not included.'),
    gapsTotal: z.number().optional().describe('How many there are; the first ones are listed.'),
    note: z.string().optional(),
  }),
  async run({ limit = ROWS_DEFAULT, ...input }, { service, known, spending, progress }, signal) {
    const indicator = await known.named(input.indicator);
    const request = { ...requestOf(input), signal };
    const estimated = await service.estimate(request);
    using reservation = spending.reserve(estimated.computeUnits);
    const reading = await readRows(service, request, indicator, limit, async (cost, rows) => {
      reservation.spend(cost);
      await progress(rows, limit, `${rows} of ${limit} results at most.`);
    });
    return dataResult(historyData(estimated, indicator, reading, limit));
  },
});

export const historyTools: readonly Tool[] = [estimate, history];

interface Reading {
  readonly page: HistoryPage<string>;
  readonly writer: RowWriter;
  readonly rows: readonly (readonly unknown[])[];
  /** The cursor to resume from; null: everything was shown. */
  readonly next: string | null;
  readonly computeUnits: number;
  /** Whether the character limit ended it, not the result limit. */
  readonly isFull: boolean;
}

async function readRows(
  service: Service,
  first: HistoryRequest<string>,
  indicator: CatalogueIndicator,
  limit: number,
  onPage: (computeUnits: number, rows: number) => Promise<void>,
): Promise<Reading> {
  const rows: (readonly unknown[])[] = [];
  let request = first;
  let computeUnits = 0;
  let characters = 0;
  for (;;) {
    const wanted = Math.min(limit - rows.length, roomFor(rows.length, characters));
    const page = await firstPage(service, { ...request, limit: wanted });
    computeUnits += page.computeUnits;
    const writer = rowWriter(indicator, page.tickSizeNanos);
    let next = page.next;
    let isFull = false;
    for (const [index, entry] of page.items.entries()) {
      const row = writer.row(entry);
      const length = JSON.stringify(row).length;
      if (rows.length > 0 && characters + length > CHARACTERS_MAX) {
        // A result's cursor is as valid a position on the tape as a page's end.
        next = index === 0 ? (request.cursor ?? null) : page.items[index - 1]!.cursor;
        isFull = true;
        break;
      }
      rows.push(row);
      characters += length;
    }
    await onPage(page.computeUnits, rows.length);
    const isDone = isFull || next === null || rows.length >= limit;
    if (isDone || roomFor(rows.length, characters) === 0) {
      return {
        page,
        writer,
        rows,
        next,
        computeUnits,
        isFull: next !== null && rows.length < limit,
      };
    }
    const end = page.to === undefined ? {} : { to: page.to };
    request = { ...request, ...end, cursor: next! };
  }
}

/** How many rows of the average length still fit; 0: none. */
function roomFor(rows: number, characters: number): number {
  if (rows === 0) return FIRST_ROWS;
  return Math.floor((CHARACTERS_MAX - characters) / (characters / rows));
}

/** One page only: the next one is requested with another limit. */
async function firstPage(
  service: Service,
  request: HistoryRequest<string>,
): Promise<HistoryPage<string>> {
  for await (const page of service.history<string>(request).pages()) return page;
  throw new TypeError('a history has no page');
}

function historyData(
  estimated: Estimate,
  indicator: CatalogueIndicator,
  { page, writer, rows, next, computeUnits, isFull }: Reading,
  limit: number,
): Readonly<Record<string, unknown>> {
  const why = isFull ? 'a result cannot hold more' : `the limit is ${limit}`;
  const note =
    next === null
      ? {}
      : {
          note: `Cut after ${rows.length} results: ${why}. There are more: pass next as cursor and ${isoEnd(page)} as to, or ask for a shorter range or larger bars.`,
        };
  return {
    instrument: estimated.instrument,
    contract: page.contract,
    indicator: indicator.id,
    tickSize: formatPrice(1, page.tickSizeNanos),
    to: page.to === undefined ? null : isoText(page.to),
    columns: writer.columns,
    rows,
    next,
    computeUnits,
    ...gapsData(estimated),
    ...note,
  };
}

/** The gaps of the range, if gaps were allowed. The list is cut, because a long one would displace rows. */
function gapsData({ gaps, gapsTotal }: ListedGaps): Readonly<Record<string, unknown>> {
  if (gaps === undefined) return {};
  const told = gaps.slice(0, GAPS_MAX).map(({ from, to, why }) => {
    return { from: isoText(nsOf(from)), to: isoText(nsOf(to)), why };
  });
  return { gaps: told, gapsTotal };
}

function isoEnd({ to }: HistoryPage<string>): string {
  return to === undefined ? 'the same end' : isoText(to);
}

type QueryInput = z.infer<z.ZodObject<typeof query>>;

function requestOf(input: QueryInput): HistoryRequest<string> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as HistoryRequest<string>;
}
