/** The chart tool: any indicator over candles, as a PNG to look at or an SVG to keep. */

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { drawFigure } from '@tapeloom/charts/figures/draw-figure';
import { type CatalogueIndicator, TapeloomError } from '@tapeloom/client';
import * as z from 'zod';
import { gapLines } from '../history/gaps-text.ts';
import { type ChartPlan, chartPlan } from './chart-plan.ts';
import { type ChartReading, readChart } from './chart-reading.ts';
import { PngMissingError } from './png.ts';
import { indicatorInput, queryInput } from './query-input.ts';
import { units } from './spending.ts';
import { CHARGED, type ToolContext, textContent, tool } from './tool.ts';
import { isoText } from './wire-text.ts';

/** Some 60,000 tokens. A chart has a tenth of that, unless it carries thousands of marks. */
const SVG_CHARACTERS_MAX = 150_000;
const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

export const chartTool = tool({
  name: 'chart',
  title: 'Draw a chart',
  description:
    'Draws an indicator over candles: footprint, bars, delta, volume profile, VWAP, large trades, TPO, levels and all others. For bars the size is chosen to fit the range unless params has one; a footprint shows numbers for up to about 8 bars, so ask for an hour or less, and pass params.group (ticks per row) where prices move far. Costs one compute unit per trade read, twice that where candles are read beside the indicator; refused, without cost, above what the user allows.',
  annotations: CHARGED,
  input: z.strictObject({
    indicator: indicatorInput.default('bars'),
    ...queryInput,
    format: z
      .enum(['png', 'svg'])
      .default('png')
      .describe('png: a picture. svg: the document as text, to be saved or embedded.'),
    theme: z.enum(['dark', 'light']).default('dark').describe('The colours.'),
  }),
  async run({ indicator: id, format, theme, params = {}, ...range }, context, signal) {
    const { service, known, now } = context;
    const indicator = await known.named(id);
    const { from, to, instrument, dataset, gaps } = range;
    const plan = chartPlan(indicator, { params, from, to, nowMs: now() });
    const reading = await readChart(service, context, indicator, plan, {
      instrument,
      from,
      ...(to === undefined ? {} : { to }),
      ...(dataset === undefined ? {} : { dataset }),
      ...(gaps === undefined ? {} : { gaps }),
      signal,
    });
    const first = reading.candles[0];
    if (first === undefined) {
      throw new TapeloomError(
        'NOTHING_TRADED',
        `Nothing traded in ${reading.contract} in that range, so there is nothing to draw; it cost ${units(reading.computeUnits)}. Is the market closed then?`,
      );
    }
    const span = spanText(reading);
    const svg = drawFigure(indicator.id, {
      title: `${instrument} · ${indicator.name}`,
      subtitle: [
        paramsText(plan, params),
        instrument === reading.contract ? '' : reading.contract,
        span,
      ]
        .filter((part) => part !== '')
        .join(' · '),
      colours: theme,
      tickSizeNanos: reading.tickSizeNanos,
      params: plan.params,
      candles: reading.candles,
      objects: reading.objects,
    });
    const told = summary(indicator, reading, span);
    if (format === 'png') return await pngResult(svg, told, context, signal);
    if (svg.length <= SVG_CHARACTERS_MAX) return svgResult(svg, told);
    const length = svg.length.toLocaleString('en');
    const why = `As PNG: the SVG has ${length} characters, too many for an assistant; a shorter range has less.`;
    return await pngResult(svg, `${told} ${why}`, context, signal);
  },
});

async function pngResult(
  svg: string,
  told: string,
  { png }: ToolContext,
  signal: AbortSignal,
): Promise<CallToolResult> {
  try {
    const picture = Buffer.from(await png(svg, signal)).toString('base64');
    return {
      content: [{ type: 'image', data: picture, mimeType: 'image/png' }, textContent(told)],
    };
  } catch (error) {
    if (!(error instanceof PngMissingError)) throw error;
    return svgResult(svg, `${told} As SVG instead of PNG: ${error.message}.`);
  }
}

function svgResult(svg: string, told: string): CallToolResult {
  return { content: [textContent(svg), textContent(told)] };
}

function summary(indicator: CatalogueIndicator, reading: ChartReading, span: string): string {
  const { candles, objects, computeUnits, contract, isCut, lacks } = reading;
  const isOwn = (candles as readonly unknown[]) === objects;
  const what = isOwn
    ? counted(objects, 'bar')
    : `${counted(objects, 'object')} over ${counted(candles, 'candle')}`;
  const cut = isCut ? ' There was more than a chart shows: it ends early.' : '';
  const missing = gapLines(lacks);
  const gaps = missing.length === 0 ? '' : ` Not there: ${missing.join('; ')}.`;
  return `${indicator.name} of ${contract}, ${span}: ${what}, for ${units(computeUnits)}.${cut}${gaps}`;
}

function counted(things: readonly unknown[], noun: string): string {
  return `${things.length} ${noun}${things.length === 1 ? '' : 's'}`;
}

/** `5 min bars, group 4`: the bars, and the other given parameters. */
function paramsText(
  { params, candles }: ChartPlan,
  given: Readonly<Record<string, unknown>>,
): string {
  const { bar = 'time', size } = { ...params, ...candles };
  const bars = bar === 'time' ? `${spanOfSeconds(Number(size))} bars` : `${bar} bars of ${size}`;
  const others = Object.entries(given)
    .filter(([name]) => name !== 'bar' && name !== 'size')
    .map(([name, value]) => `${name} ${value}`);
  return [bars, ...others].join(', ');
}

function spanOfSeconds(seconds: number): string {
  const [size, unit] = UNITS.find(([it]) => seconds % it === 0)!;
  return `${seconds / size} ${unit}`;
}

/** `2026-11-12 14:30 to 15:00 UTC`. */
function spanText({ candles }: ChartReading): string {
  const [start, end] = [candles[0]!.ts, BigInt(candles.at(-1)!.data.end)].map((ns) =>
    isoText(ns).slice(0, 16).replace('T', ' '),
  ) as [string, string];
  const until = start.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end;
  return `${start} to ${until} UTC`;
}
