/**
 * Where the tape of each contract ends on a day: its last trade of that day, or the day's midnight. A binary search
 * over cursors finds it, for sealed days and for the open day alike.
 */

import { formatCursor } from '@tapeloom/core/cursor';
import { RANK_MAX, type Rank, type UtcDay } from '@tapeloom/core/numbers';
import type { Replays } from '../../runs/replay.ts';
import type { TapeEnd } from '../../topics/epoch-floors.ts';

export async function tapeEnds(
  replays: Pick<Replays, 'locate'>,
  contracts: Iterable<string>,
  day: UtcDay,
): Promise<ReadonlyMap<string, TapeEnd>> {
  const ends = new Map<string, TapeEnd>();
  for (const contract of contracts) {
    let [low, high] = [0, RANK_MAX];
    // Invariant: rank `low` is on the tape, or is 0 (midnight); no rank above `high` is on it.
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const cursor = formatCursor({ day, rank: middle as Rank, k: 0 });
      const place = await replays.locate(contract, cursor, null);
      if (place.t === 'on-tape') low = middle;
      else high = middle - 1;
    }
    ends.set(contract, { day, rank: low as Rank });
  }
  return ends;
}
