/**
 * The tapes and parameters on which every indicator's results are compared with its version. They follow from the
 * published definition, so a new indicator has cases at once: every kind of bar and session, every named value, one or
 * two numbers for each other parameter, and the presets.
 */

import type { GivenParams, Indicator, ParameterDefinition, ParamValue } from '../indicator.ts';
import { isSameValue } from '../params.ts';
import { generatedTapes } from './generated-tapes.ts';
import type { StudyTape } from './study-tape.ts';

export interface DigestCase {
  /** Names the tape and the parameters. Equal names mean equal cases, for ever. */
  readonly name: string;
  readonly tape: StudyTape;
  /** In the form that a customer sends. */
  readonly params: GivenParams;
}

/** Sizes that give many bars on the generated tapes. */
const BARS: readonly GivenParams[] = [
  { bar: 'tick', size: 7 },
  { bar: 'time', size: 60 },
  { bar: 'time', size: 3_600 },
  { bar: 'volume', size: 40 },
  { bar: 'range', size: 4 },
  { bar: 'delta', size: 15 },
  { bar: 'renko', size: 3 },
];

/** Base parameters to vary the others on, where the defaults find too little on such small tapes. */
const BASES: Readonly<Record<string, GivenParams>> = {
  footprint: { minVolume: 2 },
  imbalances: { minVolume: 1, zero: 'count', stack: 1, lookback: 2 },
  'large-trades': { perSession: 20 },
  absorption: { perSession: 20 },
  sweeps: { gapMs: 20, levels: 2 },
};

/**
 * Numbers and lists to vary with, by the parameter's name. A name that is missing here gets the least number it may be; a
 * list, as few and as many of the least numbers as it may have.
 */
const NUMBERS: Readonly<Record<string, readonly ParamValue[]>> = {
  gapMs: [3, 5_000],
  minSize: [5, 40],
  perSession: [2],
  windowMs: [20, 4_000],
  holdMs: [3, 700],
  slip: [0, 3],
  levels: [2, 4],
  group: [2, 5],
  valueArea: [1, 50],
  ratio: [1, 1.15],
  minVolume: [1, 4],
  stack: [1, 2],
  lookback: [1, 3],
  bracketMinutes: [7, 1_440],
  initialBalanceMinutes: [10, 600],
  windowSeconds: [1, 600],
  pace: [1, 4.25],
  period: [60, 7_000],
};

export function digestCases(indicator: Indicator): readonly DigestCase[] {
  const sets = new Map(paramSets(indicator).map((params) => [JSON.stringify(params), params]));
  return Object.entries(generatedTapes()).flatMap(([tapeName, tape]) =>
    Array.from(sets, ([text, params]) => ({ name: `${tapeName} ${text}`, tape, params })),
  );
}

function paramSets({ id, parameters, presets }: Indicator): readonly GivenParams[] {
  const isComputing = ({ category }: ParameterDefinition) => category !== 'view';
  const names = parameters.filter(isComputing).map(({ name }) => name);
  const base = BASES[id] ?? {};
  const bars = (names.includes('bar') ? BARS : [{}]).map((bar) => ({ ...bar, ...base }));
  const others = parameters.filter((parameter) => {
    return isComputing(parameter) && !['bar', 'size'].includes(parameter.name);
  });
  const varied = others.flatMap((parameter) =>
    valuesOf(parameter).map((value) => ({ ...bars[0], [parameter.name]: value })),
  );
  return [{}, ...bars, ...varied, ...presets.map(({ params }) => params)];
}

/** The values that differ from the default. */
function valuesOf(parameter: ParameterDefinition): readonly ParamValue[] {
  const { name, type, values = [] } = parameter;
  const all = [
    ...values,
    ...(NUMBERS[name] ?? leastOf(parameter)),
    ...(type === 'boolean' ? [true, false] : []),
  ];
  return all.filter((value) => !isSameValue(value, parameter.default));
}

function leastOf(parameter: ParameterDefinition): readonly ParamValue[] {
  const { type, minimum } = parameter;
  if (type === 'integers') {
    const { minItems, maxItems } = parameter;
    return [minItems, maxItems].map((length) => Array.from({ length }, (_, at) => minimum + at));
  }
  return minimum === undefined ? [] : [minimum];
}
