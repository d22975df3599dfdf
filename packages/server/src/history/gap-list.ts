/** The gaps of a range requested with `gaps=allow`, as responses list them. */

import type { Coverage } from '../runs/coverage.ts';
import type { CoveredQuery } from './covered-query.ts';

/** The most gaps named in one response. */
export const GAPS_NAMED_MAX = 1_000;

/** Times are nanoseconds since 1970, `to` not included. */
export interface ListedGap {
  readonly from: string;
  readonly to: string;
  readonly why: Coverage['gaps'][number]['why'];
}

export interface GapList {
  readonly gaps: ListedGap[];
  readonly gapsTotal: number;
}

/** The gaps of studies over one range; null unless the request allows gaps. */
export function gapListOf(covered: readonly CoveredQuery[]): GapList | null {
  if (covered[0]?.query.allowsGaps !== true) return null;
  const gaps = widest(covered);
  return {
    gaps: gaps.slice(0, GAPS_NAMED_MAX).map(({ from, to, why }) => ({
      from: String(from),
      to: String(to),
      why,
    })),
    gapsTotal: gaps.length,
  };
}

/** All studies end at the same place, so the one whose session opens first has all gaps. */
function widest(covered: readonly CoveredQuery[]): Coverage['gaps'] {
  return covered
    .map(({ coverage }) => coverage.gaps)
    .reduce((one, other) => {
      const isWider = one.length === 0 || (other.length > 0 && other[0]!.from < one[0]!.from);
      return isWider ? other : one;
    });
}
