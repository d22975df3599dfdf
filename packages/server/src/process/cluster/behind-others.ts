/**
 * Whether a node may be missing data that others have: then a client with an unknown cursor is sent to another node.
 */

import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';

/** Messages of the appending node arrive more often than this. */
const SILENT_MS_MAX = 2_000;

export function isBehindOthers(tape: SharedTapeReport | undefined, isIngestDown: boolean): boolean {
  if (tape === undefined) return false;
  // The last report is outdated.
  if (isIngestDown) return true;
  const { role, sequence, end, silentMs } = tape;
  return role === 'joining' || sequence < end || silentMs >= SILENT_MS_MAX;
}
