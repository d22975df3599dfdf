/** The edges of the session's value area, as dotted lines across the chart. */

import type { Frame } from './frame.ts';
import { paint, segment } from './shapes.ts';
import { profileShown } from './side-objects.ts';

const DOTTED = [1, 3];
const EDGE_PX = 4;

/** The session's point of control is named at the side; the edges of its value area cross the chart. */
export function paintValueArea(frame: Frame): void {
  const profile = frame.layout.side === null ? null : profileShown(frame);
  if (profile === null) return;
  const lines = frame.shapes.lines(paint('neutral', 0.55), 1, DOTTED);
  for (const price of [profile.vah, profile.val]) {
    const y = Math.round(frame.priceY(price)) + 0.5;
    if (y > EDGE_PX && y < frame.layout.main.height - EDGE_PX) {
      segment(lines, 0, y, frame.layout.plotWidth, y);
    }
  }
}
