/**
 * Where a topic goes live: at the newest whole second of the tape it may show, or earlier, so that a returning client
 * finds all missed messages in its flushes. Clients that return after the same disconnect have cursors a little apart,
 * hence the margin. Positions further back than a ring reaches are not worth computing.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { wholeSecond } from '@tapeloom/core/studies/flush-step';
import { entryTime } from '../runs/entry-time.ts';
import type { Tape } from '../tape/tape.ts';

/** How far back a cursor may lie. */
export const RESUME_NS = 900_000_000_000n;
export const MARGIN_NS = 30_000_000_000n;

export async function liveEdge(
  tape: Tape,
  contract: string,
  horizon: EpochNs,
  since: Cursor | null,
): Promise<EpochNs> {
  const newest = wholeSecond(horizon);
  const at = since === null ? null : await entryTime(tape, contract, since);
  if (at === null || at < horizon - RESUME_NS) return newest;
  const wanted = wholeSecond((at - MARGIN_NS) as EpochNs);
  return wanted < newest ? wanted : newest;
}
