/** A golden vector (`contract/vectors`) as a tape that a study can run over. */

import { createSessionTable } from '../../calendar/session-table.ts';
import type { EpochNs } from '../../numbers.ts';
import { dayOf, epochNs } from '../../utc-day.ts';
import type { GivenParams } from '../indicator.ts';
import { batchesOf, type StudyTape } from './study-tape.ts';

type Hours = readonly [open: string, close: string];
type VectorTrade = readonly [ts: string, price: number, size: number, side: number];

export interface GoldenVector {
  readonly case: string;
  readonly shows: string;
  /** In the form that a customer sends. */
  readonly params: GivenParams;
  /** Present if the case tests a limit that no customer's parameters reach. */
  readonly barsPerTradeMax?: number;
  readonly sessions: readonly (readonly [open: string, close: string, regular?: Hours])[];
  readonly tape: readonly VectorTrade[];
  readonly until: string;
}

/** Parses a file with one case per line. */
export function goldenVectors(text: string): readonly GoldenVector[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GoldenVector);
}

/** The vector's sessions serve for every kind. */
export function vectorTape({ sessions, tape, until }: GoldenVector): StudyTape {
  const table = createSessionTable(
    sessions.map(([open, close, regular]) => ({
      date: dayOf(instant(open)),
      ...spanOf([open, close]),
      ...(regular === undefined ? {} : { regular: spanOf(regular) }),
    })),
  );
  const times = [sessions[0]?.[0] ?? until, tape[0]?.[0] ?? until].map(instant);
  const first = times.reduce((a, b) => (b < a ? b : a));
  return {
    sessionsOf: () => table,
    isWholeUpTo: () => true,
    start: epochNs(dayOf(first), 0),
    batches: batchesOf(
      tape.map(([ts, price, size, side]) => ({ at: instant(ts), price, size, side })),
    ),
    until: instant(until),
  };
}

function spanOf([open, close]: Hours) {
  return { open: instant(open), close: instant(close) };
}

function instant(text: string): EpochNs {
  return BigInt(text) as EpochNs;
}
