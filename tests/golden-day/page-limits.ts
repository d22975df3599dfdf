/**
 * The page limit of a topic's history. It derives from the topic's name alone, so a new indicator
 * leaves the pages of all others unchanged.
 */

import { hash } from 'node:crypto';

const LIMITS = [97, 1_000, 10_000, 311] as const;

/** Topics whose digests are older than this rule, with their recorded limits. Add none here. */
const WRITTEN: Readonly<Record<(typeof LIMITS)[number], readonly string[]>> = {
  97: [
    'bars',
    'volume-profile',
    'sweeps',
    'tape-speed',
    'bars bar=range size=3',
    'footprint bar=time size=300 session=rth',
    'tpo session=rth bracketMinutes=15',
    'imbalances bar=tick size=20 stack=1 zero=count lookback=1',
  ],
  1000: [
    'footprint',
    'vwap',
    'tpo',
    'session-levels',
    'bars bar=renko size=4',
    'delta bar=delta size=50',
    'large-trades gapMs=100 minSize=10',
    'naked-levels session=rth lookback=5',
  ],
  10000: [
    'large-trades',
    'imbalances',
    'naked-levels',
    'bars bar=tick size=1',
    'bars bar=time size=1 session=utc',
    'vwap session=rth',
    'sweeps levels=2 minSize=1',
    'tape-speed windowSeconds=1 pace=5',
  ],
  311: [
    'delta',
    'absorption',
    'unfinished-auctions',
    'bars bar=volume size=37',
    'footprint bar=volume size=211',
    'volume-profile period=1800 group=4',
    'absorption minSize=20',
  ],
};

export function pageLimitOf(topicName: string): number {
  const written = LIMITS.find((limit) => WRITTEN[limit].includes(topicName));
  if (written !== undefined) return written;
  const byName = Number.parseInt(hash('sha256', topicName, 'hex').slice(0, 8), 16);
  return LIMITS[byName % LIMITS.length]!;
}
