/**
 * Makes the text of a file of golden vectors. Cases are written by hand; their logs come from the twin, never from the
 * study. An existing log is published and stays: a twin or a study that disagrees with it is a fault.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Indicator } from '../../src/studies/indicator.ts';
import { firstCases } from './first-cases.ts';
import type { IndicatorTwin } from './indicator-twins.ts';
import { type LogLine, studyLog, twinLog, type VectorCase } from './vector-case.ts';

export interface MadeVectors {
  readonly text: string;
  /** Names of the cases with new logs. */
  readonly added: readonly string[];
  readonly cases: number;
  /** Why the text may not be written, each in a sentence; empty: it may. */
  readonly faults: readonly string[];
}

/**
 * @param written The text of this version's file.
 * @param earlier The text of an earlier version's file, whose cases a new version takes over.
 */
export function madeVectors(
  indicator: Indicator,
  twin: IndicatorTwin,
  written: string | null,
  earlier: string | null = null,
): MadeVectors {
  const cases = casesFor(indicator, written, earlier);
  const faults: string[] = [];
  const added: string[] = [];
  const lines = cases.map(({ log: published, ...vector }) => {
    const log = twinLog(indicator, twin, vector);
    if (published === undefined) added.push(vector.case);
    else if (!isDeepStrictEqual(log, published)) {
      faults.push(
        `${differenceOf(vector, ['the file has', published], ['the twin gives', log])} A published log does not change: ` +
          'correct the twin, or raise the version of the indicator.',
      );
    }
    const studied = studyLog(indicator, vector);
    if (!isDeepStrictEqual(studied, log)) {
      faults.push(
        `${differenceOf(vector, ['the twin gives', log], ['the study gives', studied])} ` +
          'Find out which of the two follows the definition, and correct the other.',
      );
    }
    return JSON.stringify({ ...vector, log });
  });
  return { text: `${lines.join('\n')}\n`, added, cases: cases.length, faults };
}

function casesFor(
  indicator: Indicator,
  written: string | null,
  earlier: string | null,
): readonly VectorCase[] {
  const parse = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as VectorCase);
  if (written !== null) return parse(written);
  if (earlier !== null) return parse(earlier).map(({ log: _, ...vector }) => vector);
  return firstCases(indicator);
}

type Log = readonly [of: string, log: readonly LogLine[]];

function differenceOf({ case: name }: VectorCase, [one, log]: Log, [two, other]: Log): string {
  const at = log.findIndex((line, index) => !isDeepStrictEqual(line, other[index]));
  const index = at < 0 ? log.length : at;
  const told = (line: LogLine | undefined) =>
    line === undefined ? 'no more updates' : JSON.stringify(line);
  return `case ${name}, update ${index + 1}: ${one} ${told(log[index])}, ${two} ${told(other[index])}.`;
}
