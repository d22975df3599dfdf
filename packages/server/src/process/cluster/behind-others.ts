/** Whether a node may lack what other nodes have: then a cursor that it does not know is sent elsewhere, and not refused. */

import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';

/** Who appends is heard of more often. */
const SILENT_MS_MAX = 2_000;

export function isBehindOthers(tape: SharedTapeReport | undefined, isIngestDown: boolean): boolean {
  if (tape === undefined) return false;
  // What it last heard says nothing of now.
  if (isIngestDown) return true;
  const { role, sequence, end, silentMs } = tape;
  return role === 'joining' || sequence < end || silentMs >= SILENT_MS_MAX;
}
