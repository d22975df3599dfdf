/** Renders the gaps of a range requested with `--gaps allow`. */

import { type ListedGaps, nsOf } from '@tapeloom/client';
import type { EpochNs } from '@tapeloom/core/numbers';
import { timeText } from '../accounts/time-text.ts';
import { wholeText } from '../stream/text-format.ts';

/** Gaps that are listed; the rest are counted. */
const GAPS_TOLD_MAX = 12;

/** One line per gap; none when nothing is missing. */
export function gapLines({ gaps = [], gapsTotal = gaps.length }: ListedGaps): readonly string[] {
  const told = gaps.slice(0, GAPS_TOLD_MAX).map(({ from, to, why }) => {
    const [begin, end] = [from, to].map((time) => timeText(nsOf(time) as EpochNs));
    return `${begin} to ${end} (${why})`;
  });
  const more = gapsTotal - told.length;
  return more > 0 ? [...told, `and ${wholeText(more)} more`] : told;
}

/** A paragraph for stderr; empty when nothing is missing. */
export function gapsText(listed: ListedGaps): string {
  const lines = gapLines(listed);
  return lines.length === 0 ? '' : `Missing:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
