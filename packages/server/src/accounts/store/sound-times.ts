/**
 * Guards against stored times that a fast clock wrote. A time further ahead than clocks of nodes may differ counts
 * towards no limit, and nothing lives longer than it may from now on.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';

/** Nodes reject new callers from a difference of 5 s on. */
const CLOCKS_DIFFER_NS = 10n * SECOND_NS_BIG;

/** The latest instant that a node's clock can have written by now. */
export function latest(now: EpochNs): EpochNs {
  return (now + CLOCKS_DIFFER_NS) as EpochNs;
}

/** For work that never waits longer than `waitsNs`: a due time after this result is wrong, so the work is due now. */
export function latestDue(now: EpochNs, waitsNs: bigint): bigint {
  return latest(now) + waitsNs;
}

/** Until when an event at `at` counts, if events count for `countedNs`. */
export function countedUntil(at: bigint, countedNs: bigint, now: EpochNs): EpochNs {
  return ((at < now ? at : now) + countedNs) as EpochNs;
}
