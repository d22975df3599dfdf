/** What becomes of a day of a contract when a file is imported that has something of it. */

import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { ImportedDay } from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { type DayPlace, digestOf } from '../tape/write/encode-day.ts';
import { type DayCoverage, meetingsOf, withQuietEdges } from './file-coverage.ts';
import {
  type Difference,
  EqualAtEdgeError,
  type EqualsAtEdges,
  firstDifference,
  firstOther,
  joined,
  type PlainTrade,
  withoutSpans,
} from './merge-day.ts';
import { differenceOf, intersectionOf, isSameSpans, unionOf } from './spans.ts';

/**
 * `added`: it was not there. `same`: all of it was. `extended`: trades or hours came to it. `replaced`: trades that were
 * there are others now. `refused`: trades that are there are others, or cannot be read.
 */
export type DayStatus = 'added' | 'same' | 'extended' | 'replaced' | 'refused';

export interface DayVerdict {
  readonly status: DayStatus;
  /** As it is afterwards; null where it stays as it is. */
  readonly after: DayAfter | null;
  /** Why it is refused; null on either side: no trade any more. */
  readonly difference: Difference | null;
  /** Why it is refused: a trade that both have where the file meets what is there, one or two. */
  readonly equalAtEdge: PlainTrade | null;
}

export interface DayAfter {
  readonly trades: TradeBatch;
  readonly digest: string;
  readonly covered: readonly DaySpan[];
  readonly gaps: readonly DaySpan[];
}

export interface DayQuestion {
  readonly place: DayPlace;
  /** What the file has. */
  readonly trades: TradeBatch;
  readonly coverage: DayCoverage;
  /** Hours in which the market was open. */
  readonly open: readonly DaySpan[];
  readonly before: ImportedDay | null;
  /** What is there of the day, and of its neighbours, by the clock of the day. */
  readonly around: readonly DaySpan[];
  readonly equalsAtEdges: EqualsAtEdges;
  /** Rejects with `TapeDamagedError`. */
  readonly readBefore: () => Promise<TradeBatch>;
  readonly mayReplace: boolean;
}

const UNCHANGED = { after: null, difference: null, equalAtEdge: null } as const;
const SAME: DayVerdict = { ...UNCHANGED, status: 'same' };
const REFUSED: DayVerdict = { ...UNCHANGED, status: 'refused' };

export async function judgeDay(question: DayQuestion): Promise<DayVerdict> {
  const { place, trades, coverage, before, mayReplace } = question;
  if (before === null) {
    return await verdict('added', question, trades, coverage.covered);
  }
  const covered = unionOf(before.covered, coverage.covered);
  const isCovered = isSameSpans(covered, before.covered);
  const isKnown = isCovered && (await digestOf([trades], place)) === before.digest;
  if (isKnown && !mayReplace) return SAME;
  let here: TradeBatch;
  try {
    here = await question.readBefore();
  } catch (error) {
    if (!(error instanceof TapeDamagedError)) throw error;
    if (!mayReplace) return REFUSED;
    return await verdict('replaced', question, trades, coverage.covered);
  }
  if (isKnown) return SAME;
  const difference = differenceIn(question, here);
  if (difference !== null && !mayReplace) return { ...REFUSED, difference };
  const isReplaced = difference !== null;
  const kept = isReplaced ? withoutSpans(here, coverage.covered) : here;
  const meetings = meetingsOf(coverage.edges, question.around);
  let all: TradeBatch;
  try {
    all = joined(kept, trades, meetings, question.equalsAtEdges);
  } catch (error) {
    if (!(error instanceof EqualAtEdgeError)) throw error;
    return { ...REFUSED, equalAtEdge: error.trade };
  }
  const after = await verdict(isReplaced ? 'replaced' : 'extended', question, all, covered);
  const isSame = after.after!.digest === before.digest;
  return isSame && isSameSpans(after.after!.covered, before.covered) ? SAME : after;
}

/**
 * The first trades that differ where both have all of them. A file whose rows alone tell what it has may have been cut
 * among the trades of its first and of its last time: those it has must be there, where that time is no edge of what is.
 */
function differenceIn(
  { trades, coverage, around, before }: DayQuestion,
  here: TradeBatch,
): Difference | null {
  const cuts = coverage.edges
    .filter(({ by }) => by === 'row')
    .map(({ ns, isBegin }): DaySpan => (isBegin ? [ns, ns + 1] : [ns - 1, ns]));
  const sure = differenceOf(coverage.sure, cuts);
  const difference = firstDifference(here, trades, intersectionOf(sure, before!.covered));
  if (difference !== null) return difference;
  const inside = cuts.filter(([from, to]) =>
    around.some(([begin, end]) => begin < from && end > to),
  );
  const there = firstOther(here, trades, inside);
  return there === null ? null : { here: null, there };
}

async function verdict(
  status: DayStatus,
  { place, coverage, open }: DayQuestion,
  trades: TradeBatch,
  spans: readonly DaySpan[],
): Promise<DayVerdict> {
  const covered = coverage.isGuessed ? withQuietEdges(spans, coverage.covered, open) : spans;
  const digest = await digestOf([trades], place);
  const gaps = differenceOf(open, covered);
  return { ...UNCHANGED, status, after: { trades, digest, covered, gaps } };
}
