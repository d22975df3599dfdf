/** What the log says about the feed of a dataset: each change of its state, and how far it is behind while it catches up. */

import { MINUTE_MS } from '@tapeloom/core/units';
import type { FeedReport } from '../../markets/market.ts';
import type { Log } from '../../platform/log/log.ts';

const BEHIND_MS = 2 * MINUTE_MS;
const EVERY_MS = 10_000;

export interface FeedNews {
  /** Null: nothing is known yet. */
  readonly state: FeedReport['state'] | null;
  /** The time of the last word on how far it is behind; null: it is not. */
  readonly toldMs: number | null;
  /** How far it was behind when it began to catch up; null: it does not. */
  readonly beganMs: number | null;
}

export const NO_NEWS: FeedNews = { state: null, toldMs: null, beganMs: null };

/** Returns what was said until now. `feed`: absent where trades are made here. */
export function tellFeed(
  log: Pick<Log, 'info' | 'warn'>,
  dataset: string,
  { feed, lagMs }: { readonly feed?: FeedReport; readonly lagMs: number },
  before: FeedNews,
  nowMs: number,
): FeedNews {
  if (feed === undefined) return before;
  const { state } = feed;
  const { connection, lastEnd, lastFailure } = feed.venue ?? {};
  if (state !== before.state) {
    const why = state === 'live' ? {} : { connection, lastEnd, lastFailure };
    // Every feed is stale until it has connected.
    const isExpected = state === 'live' || (state === 'stale' && before.state === null);
    log[isExpected ? 'info' : 'warn']({ dataset, state, ...why }, `the feed is ${state}`);
  }
  if (connection !== 'backfilling' || lagMs < BEHIND_MS) {
    if (before.toldMs !== null) log.info({ dataset }, 'the feed has caught up');
    return { state, toldMs: null, beganMs: null };
  }
  if (before.toldMs !== null && nowMs - before.toldMs < EVERY_MS) return { ...before, state };
  // An outage while it catches up puts it further behind.
  const beganMs = Math.max(before.beganMs ?? 0, lagMs);
  const done = `${Math.floor((1 - lagMs / beganMs) * 100)} %`;
  log.info({ dataset, done, behind: durationText(lagMs), lastFailure }, 'the feed is catching up');
  return { state, toldMs: nowMs, beganMs };
}

/** `9 h 12 min`. */
function durationText(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
