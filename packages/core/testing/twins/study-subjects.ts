/** Every indicator with a twin: the study and the twin with the same random parameters. */

import type fc from 'fast-check';
import { indicatorNamed } from '../../src/studies/catalogue.ts';
import type { Study } from '../../src/studies/study.ts';
import { type IndicatorTwin, studyOf, TWINS } from './indicator-twins.ts';
import type { TwinTape, TwinUpdate } from './twin-tape.ts';

export interface Subject {
  readonly create: () => Study;
  readonly twin: (tape: TwinTape) => TwinUpdate[];
  /** Sessions that a fresh run must start before the requested one. */
  readonly lookBackSessions: number;
  readonly outlivesSession?: true;
}

/** By id, in the order of the list of twins. */
export const SUBJECTS: Readonly<Record<string, fc.Arbitrary<Subject>>> = Object.fromEntries(
  Object.entries(TWINS).map(([id, twin]) => [id, subjectOf(id, twin)]),
);

function subjectOf(id: string, it: IndicatorTwin): fc.Arbitrary<Subject> {
  const indicator = indicatorNamed(id);
  if (indicator === null) throw new RangeError(`${id} has a twin and is not in the catalogue`);
  const { barsPerTradeMax, outlivesSession } = it;
  return it.params.map((params) => ({
    create: () => studyOf(indicator, params, barsPerTradeMax),
    twin: (tape) => it.twin(tape, params, barsPerTradeMax),
    lookBackSessions: it.lookBackSessions?.(params) ?? 0,
    ...(outlivesSession === undefined ? {} : { outlivesSession }),
  }));
}
