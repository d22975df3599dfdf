/**
 * Plans the reads of a chart: which candles, and with which parameters. Open sizes are chosen so that it stays legible.
 */

import { type CatalogueIndicator, TapeloomError } from '@tapeloom/client';
import { parseInstant } from '@tapeloom/core/instant-text';
import type { IndicatorDefinition, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { MS_NS_BIG, SECOND_NS } from '@tapeloom/core/units';

/** Candle sizes in seconds, ascending. */
const SIZES = [
  1, 5, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800,
];
/** The number of candles a size is chosen for, and the most a chart has. */
const CANDLES_WANTED = 110;
const CANDLES_MAX = 500;
/** Fewer for a footprint, whose bars are columns of numbers. */
const COLUMNS_WANTED = 8;
const COLUMNS_MAX = 60;

/** Indicators whose objects are candles. */
const OWN_CANDLES = new Set(['bars', 'footprint']);

export interface ChartPlan {
  /** All parameters, defaults included. */
  readonly params: Params;
  /** The candles to read besides; null: the objects are the candles. */
  readonly candles: Params | null;
  readonly candlesMax: number;
  /** Whether objects may outlive the range's start, so that the state at the start is needed. */
  readonly hasPast: boolean;
}

export interface ChartQuestion {
  readonly params: Readonly<Record<string, unknown>>;
  readonly from: string;
  readonly to: string | undefined;
  /** Milliseconds since 1970: the end of an open range. */
  readonly nowMs: number;
}

export function chartPlan(indicator: CatalogueIndicator, question: ChartQuestion): ChartPlan {
  const { id, parameters } = indicator;
  const isFootprint = id === 'footprint';
  const seconds = secondsOf(question);
  const fitting = sizeFor(seconds, isFootprint ? COLUMNS_WANTED : CANDLES_WANTED);
  const given = question.params;
  const hasBars = parameters.some(({ name }) => name === 'bar');
  const isTime = hasBars && (given.bar ?? 'time') === 'time';
  const isChosen = isTime && given.size === undefined;
  const parsed = parseParams(
    indicator as unknown as IndicatorDefinition,
    isChosen ? { ...given, size: fitting } : given,
  );
  if ('faults' in parsed) {
    throw new TapeloomError('INVALID_PARAMETERS', 'A parameter of the indicator is wrong.', {
      errors: parsed.faults.map(({ path, message }) => ({ path: `/params${path}`, message })),
    });
  }
  const { params } = parsed;
  const candlesMax = isFootprint ? COLUMNS_MAX : CANDLES_MAX;
  if (isTime && !isChosen && seconds / Number(params.size) > candlesMax) {
    throw new TapeloomError(
      'INVALID_PARAMETERS',
      `The range is ${Math.ceil(seconds / Number(params.size)).toLocaleString('en')} bars of ${params.size} s, and a chart shows ${candlesMax} at most: a size of ${sizeFor(seconds, candlesMax)} s or more fits, or a shorter range.`,
    );
  }
  const session = params.session === undefined ? {} : { session: params.session };
  const bars = hasBars
    ? { bar: params.bar!, size: params.size! }
    : { size: sizeFor(seconds, CANDLES_WANTED) };
  return {
    params,
    candles: OWN_CANDLES.has(id) ? null : { ...bars, ...session },
    candlesMax,
    hasPast: id === 'session-levels' || parameters.some(({ name }) => name === 'lookback'),
  };
}

function sizeFor(seconds: number, wanted: number): number {
  return SIZES.find((size) => seconds / size <= wanted) ?? Math.ceil(seconds / wanted);
}

/** The service rejects an invalid time by its field. */
function secondsOf({ from, to, nowMs }: ChartQuestion): number {
  const start = parseInstant(from);
  const end = to === undefined ? BigInt(Math.trunc(nowMs)) * MS_NS_BIG : parseInstant(to);
  if (start === null || end === null || end <= start) return SIZES[0]!;
  return Number(end - start) / SECOND_NS;
}
