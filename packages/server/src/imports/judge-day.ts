/** What becomes of a day of a contract when a file is imported that has something of it. */

import type { TradeBatch } from '@tapeloom/core/trade-batch';
import type { ImportedDay } from '../tape/imported/imported-manifest.ts';
import type { DaySpan } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { type DayPlace, digestOf } from '../tape/write/encode-day.ts';
import { type DayCoverage, withQuietEdges } from './file-coverage.ts';
import { type Difference, firstDifference, joined, withoutSpans } from './merge-day.ts';
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
  /** Rejects with `TapeDamagedError`. */
  readonly readBefore: () => Promise<TradeBatch>;
  readonly mayReplace: boolean;
}

const SAME: DayVerdict = { status: 'same', after: null, difference: null };

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
    if (!mayReplace) return { status: 'refused', after: null, difference: null };
    return await verdict('replaced', question, trades, coverage.covered);
  }
  if (isKnown) return SAME;
  const both = intersectionOf(coverage.sure, before.covered);
  const difference = firstDifference(here, trades, both);
  if (difference !== null && !mayReplace) return { status: 'refused', after: null, difference };
  const isReplaced = difference !== null;
  const kept = isReplaced ? withoutSpans(here, coverage.covered) : here;
  const after = await verdict(
    isReplaced ? 'replaced' : 'extended',
    question,
    joined(kept, trades),
    covered,
  );
  const isSame = after.after!.digest === before.digest;
  return isSame && isSameSpans(after.after!.covered, before.covered) ? SAME : after;
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
  return { status, after: { trades, digest, covered, gaps }, difference: null };
}
