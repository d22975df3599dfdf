/** The year's chart: the months since the account's creation, on a scale that keeps little usage visible. */

import type { UsageView } from '../../api/portal-shapes.ts';
import { roundAbove } from './usage-pace.ts';

type Month = UsageView['months'][number];

/** Below this share of the budget, the bars would have almost no height beside it. */
const SHARE_SEEN = 0.2;

/** Includes earlier months with usage. */
export function monthsSince(months: readonly Month[], createdMs: number): readonly Month[] {
  const began = new Date(createdMs).toISOString().slice(0, 7);
  const first = months.findIndex(({ period, used }) => period >= began || used.computeUnits > 0);
  return first === -1 ? months.slice(-1) : months.slice(first);
}

export interface YearScale {
  readonly top: number;
  /** Whether the scale reaches the budget. */
  readonly hasLimit: boolean;
}

export function yearScale(limit: number, largest: number): YearScale {
  const hasLimit = limit > 0 && largest >= limit * SHARE_SEEN;
  return { top: hasLimit && limit >= largest ? limit : roundAbove(largest), hasLimit };
}
