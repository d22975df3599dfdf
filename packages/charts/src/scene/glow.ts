/** The half cells of the forming bar that have just traded. */

import type { Frame } from './frame.ts';
import { type Ladder, rowGap } from './ladder.ts';
import { paint } from './shapes.ts';

const STRENGTH = 0.55;
/** Few steps, so few batches. */
const STEPS = 5;
/** Of a row of many ticks, the highest ones are asked. */
const TICKS_MAX = 32;

export function paintGlow(frame: Frame, ladder: Ladder | undefined): void {
  const { glow } = frame.input;
  const bar = ladder === undefined ? undefined : frame.columns[ladder.column];
  if (glow === undefined || ladder === undefined || bar?.kind !== 'bar' || bar.isFinal) return;
  const { rows, left, spine, askRight, from, to, base } = ladder;
  const height = frame.window.tickHeight * rows.group;
  const isHalved = frame.input.spec.look === 'bidask' || frame.input.spec.look === 'two';
  for (let row = from; row <= to; row += 1) {
    const top = Math.round(base - (row + 1) * height);
    const cellHeight = Math.round(base - row * height) - top - rowGap(frame);
    for (const side of [-1, 1] as const) {
      const share = glowOf(glow, rows.first + row * rows.group, rows.group, side);
      if (share === 0) continue;
      const x = side < 0 || !isHalved ? left : spine;
      const end = side < 0 && isHalved ? spine : askRight;
      const lit = paint(side < 0 ? 'bid' : 'ask', STRENGTH * share);
      frame.shapes.rect(lit, x, top, end - x, cellHeight);
    }
  }
}

function glowOf(
  glow: (ticks: number, side: -1 | 1) => number,
  first: number,
  group: number,
  side: -1 | 1,
): number {
  let most = 0;
  for (let tick = Math.max(0, group - TICKS_MAX); tick < group; tick += 1) {
    most = Math.max(most, glow(first + tick, side));
  }
  return Math.ceil(Math.min(1, most) * STEPS) / STEPS;
}
