/**
 * The place of an open line on the tape: the number it gave to its last trade, and the texts of all trades of that
 * instant, since the venue's pages may order them otherwise.
 */

import type { FeedTrade } from './line.ts';

/** More trades of one instant are not told apart. */
const KEYS_MAX = 256;

type Instant = Pick<FeedTrade, 'day' | 'ns'>;

export interface OpenPlace extends Instant {
  readonly id: number;
  readonly keys: readonly string[];
}

/** The place behind these trades, which follow `before`. */
export function placeBehind(before: OpenPlace | null, trades: readonly FeedTrade[]): OpenPlace {
  const { id, day, ns } = trades.at(-1)!;
  const begin = trades.findLastIndex((trade) => !isSameInstant(trade, { day, ns })) + 1;
  const goesOn = begin === 0 && before !== null && isSameInstant(before, { day, ns });
  const keys = trades.slice(begin).map(({ key = '' }) => key);
  return { id, keys: [...(goesOn ? before.keys : []), ...keys].slice(-KEYS_MAX), day, ns };
}

export function isSameInstant(one: Instant, other: Instant): boolean {
  return one.day === other.day && one.ns === other.ns;
}

export function isLater(one: Instant, other: Instant): boolean {
  return one.day > other.day || (one.day === other.day && one.ns > other.ns);
}
