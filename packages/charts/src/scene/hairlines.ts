/** The hairlines between the parts of a chart. */

import type { Frame } from './frame.ts';
import { paint } from './shapes.ts';

export function paintHairlines({ shapes, layout }: Frame): void {
  const { size, main, strip, panes, timeAxis, plotWidth, side } = layout;
  const hairlines = shapes.rects(paint('line'));
  const tops = [strip?.y, ...panes.map(({ rect }) => rect.y), timeAxis.y];
  for (const y of tops) if (y !== undefined) hairlines.add4(0, Math.round(y), size.width, 1);
  hairlines.add4(plotWidth, 0, 1, size.height);
  if (side !== null) hairlines.add4(side.x + side.width, 0, 1, main.height);
}
