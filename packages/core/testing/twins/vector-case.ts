/** A case of the golden vectors (`contract/vectors`): a tape for twins, and the log in its published form. */

import type { Indicator, Params } from '../../src/studies/indicator.ts';
import { parseParams } from '../../src/studies/params.ts';
import { type IndicatorTwin, studyOf } from './indicator-twins.ts';
import { everyUpdate } from './study-driver.ts';
import { rankTrades, type TwinObject, type TwinTape } from './twin-tape.ts';

type Span = readonly [open: string, close: string];

/** A line without `t` is an upsert. */
export type LogLine = { readonly t?: 'remove'; readonly cursor: string } & TwinObject;

export interface VectorCase {
  readonly case: string;
  readonly shows: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly barsPerTradeMax?: number;
  readonly sessions: readonly (readonly [open: string, close: string, regular?: Span])[];
  readonly tape: readonly (readonly [ns: string, price: number, size: number, side: number])[];
  readonly until: string;
  /** Missing in a new case; `npm run vectors` adds it. */
  readonly log?: readonly LogLine[];
}

/** Relative to the root of the repository. */
export function vectorsPath(id: string, version: number): string {
  return `contract/vectors/${id}.v${version}.jsonl`;
}

export function vectorParams(indicator: Indicator, vector: VectorCase): Params {
  const parsed = parseParams(indicator, vector.params);
  if ('params' in parsed) return parsed.params;
  throw new RangeError(
    `case ${vector.case}: ${indicator.id} does not accept ${JSON.stringify(vector.params)}`,
  );
}

export function twinLog(indicator: Indicator, twin: IndicatorTwin, vector: VectorCase): LogLine[] {
  const params = vectorParams(indicator, vector);
  return twin
    .twin(vectorTwinTape(vector), params, vector.barsPerTradeMax)
    .map(({ day, rank, k, t, object }) => lineOf({ t, cursor: `${day}.${rank}.${k}`, ...object }));
}

/** The log of the study, stopped after each trade. */
export function studyLog(indicator: Indicator, vector: VectorCase): LogLine[] {
  const study = studyOf(indicator, vectorParams(indicator, vector), vector.barsPerTradeMax);
  return everyUpdate(study, vectorTwinTape(vector)).map(lineOf);
}

export function lineOf({
  t,
  ...update
}: { t: 'upsert' | 'remove'; cursor: string } & TwinObject): LogLine {
  return t === 'remove' ? { t, ...update } : update;
}

export function vectorTwinTape(vector: VectorCase): TwinTape {
  return {
    trades: rankTrades(
      vector.tape.map(([ns, price, size, side]) => ({ ns: BigInt(ns), price, size, side })),
    ),
    sessions: vector.sessions.map(([open, close, regular]) => ({
      ...spanOf([open, close]),
      ...(regular === undefined ? {} : { regular: spanOf(regular) }),
    })),
    until: BigInt(vector.until),
  };
}

function spanOf([open, close]: Span) {
  return { open: BigInt(open), close: BigInt(close) };
}
