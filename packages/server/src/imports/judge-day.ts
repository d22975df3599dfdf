/** Decides the outcome for a contract's day when an imported file has a part of it. */

import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import type { ImportedDay, PlainTrade, StrayTrade } from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { type DayPlace, digestOf } from '../tape/write/seal/encode-day.ts';
import { cutsOf, cutsOfTape, type DayCoverage, meetingsOf } from './file-coverage.ts';
import {
  countIn,
  type Difference,
  EqualAtEdgeError,
  type EqualsAtEdges,
  firstDifference,
  firstOther,
  joined,
  type Meeting,
  rowsOf,
  withoutSpans,
  withoutTrades,
} from './merge-day.ts';
import { differenceOf, intersectionOf, isSameSpans, unionOf } from './spans.ts';
import { isStrayOf, straysIn, withStrays } from './stray-trades.ts';

/**
 * `added`: the day is new. `same`: the tape had all of it. `extended`: it gains trades or hours. `replaced`: existing
 * trades are replaced. `refused`: existing trades contradict the file, or cannot be read.
 */
export type DayStatus = 'added' | 'same' | 'extended' | 'replaced' | 'refused';

export interface DayVerdict {
  readonly status: DayStatus;
  /** The day afterwards; null when it stays unchanged. */
  readonly after: DayAfter | null;
  /** Reason of a rejection; null on one side: it has no more trades. */
  readonly difference: Difference | null;
  /** Reason of a rejection: an equal trade on both sides where the file meets the tape, which may be one or two. */
  readonly equalAtEdge: PlainTrade | null;
}

export interface DayAfter {
  readonly trades: TradeBatch;
  readonly digest: string;
  readonly covered: readonly DaySpan[];
  readonly gaps: readonly DaySpan[];
  /** The number of trades outside open hours. */
  readonly outside: number;
  readonly strays: readonly StrayTrade[];
}

export interface DayQuestion {
  readonly place: DayPlace;
  /** The trades of the file. */
  readonly trades: TradeBatch;
  readonly coverage: DayCoverage;
  /** The market's open hours. */
  readonly open: readonly DaySpan[];
  readonly before: ImportedDay | null;
  /** The tape's coverage of the day and its neighbours, on the clock of the day. */
  readonly around: readonly DaySpan[];
  readonly equalsAtEdges: EqualsAtEdges;
  /** Rejects with `TapeDamagedError`. */
  readonly readBefore: () => Promise<TradeBatch>;
  readonly mayReplace: boolean;
  /** The coverage of earlier files of the same import, like `around`: it is not replaced. */
  readonly own: readonly DaySpan[];
}

const WHOLE_DAY: readonly DaySpan[] = [[0, DAY_NS]];
const UNCHANGED = { after: null, difference: null, equalAtEdge: null } as const;
const SAME: DayVerdict = { ...UNCHANGED, status: 'same' };
const REFUSED: DayVerdict = { ...UNCHANGED, status: 'refused' };

export async function judgeDay(asked: DayQuestion): Promise<DayVerdict> {
  const question = withoutLiveDay(asked);
  const { place, trades, coverage, before, mayReplace } = question;
  const strays = straysIn(trades, coverage);
  if (before === null) {
    return await verdict('added', question, trades, { covered: coverage.covered, strays });
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
    return await verdict('replaced', question, trades, { covered: coverage.covered, strays });
  }
  if (isKnown) return SAME;
  // A later file of an import must not remove what an earlier one brought.
  const held = mayReplace ? question.own : before.covered;
  const around = mayReplace ? question.own : question.around;
  const difference = differenceIn(question, here, held, around);
  if (difference !== null) return { ...REFUSED, difference };
  const base = mayReplace
    ? withoutReplaced(question, here)
    : { kept: here, strays: before.strays ?? [], meetings: [] };
  const meetings = [...new Set([question.around, around])].flatMap((spans) =>
    meetingsOf(coverage.edges, spans, question.equalsAtEdges),
  );
  let all: TradeBatch;
  try {
    all = joined(base.kept, trades, [...base.meetings, ...meetings]);
  } catch (error) {
    if (!(error instanceof EqualAtEdgeError)) throw error;
    return { ...REFUSED, equalAtEdge: error.trade };
  }
  const isReplaced = mayReplace && isOther(question, here, all);
  const after = await verdict(isReplaced ? 'replaced' : 'extended', question, all, {
    covered,
    strays: withStrays(base.strays, strays),
  });
  const isSame = after.after!.digest === before.digest;
  return isSame && isSameSpans(after.after!.covered, before.covered) ? SAME : after;
}

/**
 * In the hours that the live tape has of a day with gaps, a file may replace without being asked to: late trades were
 * stamped later than they were traded, so they cannot be equal to those of any file.
 */
function withoutLiveDay(question: DayQuestion): DayQuestion {
  const { before, around, own, mayReplace } = question;
  const live = before?.live ?? [];
  if (mayReplace || live.length === 0 || before!.gaps.length === 0) return question;
  return { ...question, mayReplace: true, own: unionOf(own, differenceOf(around, live)) };
}

interface Kept {
  readonly kept: TradeBatch;
  /** The strays among the kept trades. */
  readonly strays: readonly StrayTrade[];
  /** Where equal trades of the file are others than the kept ones. */
  readonly meetings: readonly Meeting[];
}

/**
 * The trades that a replacement keeps: none in the file's coverage, except strays of another file, and trades at the
 * time of a row where the file may have been cut, if the file has no others there.
 */
function withoutReplaced({ coverage, before, trades, own }: DayQuestion, here: TradeBatch): Kept {
  const cuts = cutsOf(coverage, 'row').filter((cut) => firstOther(here, trades, [cut]) === null);
  const spans = differenceOf(differenceOf(coverage.covered, cuts), own);
  const strays = before!.strays ?? [];
  const others = strays.filter((stray) => !isStrayOf(stray, coverage));
  const isIn = ({ ns }: PlainTrade) => spans.some(([from, to]) => from <= ns && ns < to);
  const gone = strays.filter((stray) => isStrayOf(stray, coverage) && !isIn(stray));
  const staying = others.filter(isIn);
  const rest = withoutTrades(withoutSpans(here, spans), gone);
  const meeting = ({ ns }: PlainTrade, isFileFirst: boolean): Meeting => {
    return { span: [ns, ns + 1], isFileFirst, equals: 'two' };
  };
  return {
    kept: joined(rest, rowsOf(here.day, staying)),
    strays: others,
    meetings: [
      ...staying.map((stray) => meeting(stray, true)),
      ...gone.map((stray) => meeting(stray, false)),
    ],
  };
}

/** Whether an existing trade is gone, or at another position. */
function isOther({ coverage, before }: DayQuestion, here: TradeBatch, all: TradeBatch): boolean {
  const common = intersectionOf(coverage.covered, before!.covered);
  return firstOther(all, here, WHOLE_DAY) !== null || firstDifference(here, all, common) !== null;
}

/**
 * The first trades that differ where both have all of them. Where the file was cut, the trades it has must be on the
 * tape. Where the tape's coverage ends inside the file, the trades it has must be in the file.
 */
function differenceIn(
  { trades, coverage }: DayQuestion,
  here: TradeBatch,
  held: readonly DaySpan[],
  around: readonly DaySpan[],
): Difference | null {
  const cuts = { row: cutsOf(coverage, 'row'), capture: cutsOf(coverage, 'capture') };
  const tapeCuts = cutsOfTape(coverage, around);
  const sure = intersectionOf(differenceOf(coverage.sure, cuts.row), held);
  const difference = firstDifference(here, trades, differenceOf(sure, tapeCuts));
  if (difference !== null) return difference;
  const isHeld = ([from]: DaySpan) => held.some(([begin, end]) => begin <= from && from < end);
  const inside = cuts.row.filter(
    (cut) => isHeld(cut) && around.some(([begin, end]) => begin < cut[0] && end > cut[1]),
  );
  const margins = intersectionOf(cuts.capture, intersectionOf(coverage.covered, held));
  const there = firstOther(here, trades, [...inside, ...differenceOf(margins, tapeCuts)]);
  if (there !== null) return { here: null, there };
  const missing = firstOther(trades, here, intersectionOf(sure, tapeCuts));
  return missing === null ? null : { here: missing, there: null };
}

async function verdict(
  status: DayStatus,
  { place, open }: DayQuestion,
  trades: TradeBatch,
  { covered, strays }: Pick<DayAfter, 'covered' | 'strays'>,
): Promise<DayVerdict> {
  const digest = await digestOf([trades], place);
  const gaps = differenceOf(open, covered);
  const outside = trades.count - countIn(trades, open);
  return { ...UNCHANGED, status, after: { trades, digest, covered, gaps, outside, strays } };
}
