/**
 * What a gap of a source becomes on the tape. Readers were shown everything before the watermark, so nothing there may
 * change: a new gap begins at the watermark at the earliest, no gap shrinks below what was shown, and a gap that ended
 * before the watermark is final. So a gap that is offered again after a crash changes nothing.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { later } from '@tapeloom/core/utc-day';
import type { TapeGap } from '../../tape-gap.ts';
import type { KeptNotes } from './kept-notes.ts';
import type { LoggedGap } from './logged-note.ts';

/** Null when nothing is to be recorded. */
export function takenGap(kept: KeptNotes, gap: TapeGap, watermark: EpochNs): LoggedGap | null {
  const from = later(gap.from, watermark);
  const before = kept.find(gap.symbol, gap.from) ?? kept.find(gap.symbol, from);
  if (before !== null) return replaced(before, gap, watermark);
  if (gap.to !== null && gap.to <= from) return null;
  return { kind: 'gap', gap: { ...gap, from }, asked: gap.from };
}

function replaced(before: LoggedGap, gap: TapeGap, watermark: EpochNs): LoggedGap | null {
  const { from, to: endBefore } = before.gap;
  if (endBefore !== null && endBefore < watermark) return null;
  // No end was shown beyond the watermark.
  const to = gap.to === null ? null : later(gap.to, later(watermark, from));
  const next = { ...gap, from, to };
  return isSame(next, before.gap) ? null : { ...before, gap: next };
}

function isSame(a: TapeGap, b: TapeGap): boolean {
  const { to, firstId, lastId, reason } = b;
  return a.to === to && a.firstId === firstId && a.lastId === lastId && a.reason === reason;
}
