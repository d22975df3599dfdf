/**
 * Stored times that a clock wrote which was ahead: nothing that lies further in the future than clocks of nodes may differ
 * counts towards a limit, and nothing lives longer than it may from now on.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';

/** Nodes refuse new callers from a difference of 5 s on. */
const CLOCKS_DIFFER_NS = 10n * SECOND_NS_BIG;

/** The latest instant that a clock can have written by now. */
export function latest(now: EpochNs): EpochNs {
  return (now + CLOCKS_DIFFER_NS) as EpochNs;
}

/** What is due later than this, though it never waits longer than so long, is due now. */
export function latestDue(now: EpochNs, waitsNs: bigint): bigint {
  return latest(now) + waitsNs;
}

/** Until when something of then counts that counts for so long. */
export function countedUntil(at: bigint, countedNs: bigint, now: EpochNs): EpochNs {
  return ((at < now ? at : now) + countedNs) as EpochNs;
}
