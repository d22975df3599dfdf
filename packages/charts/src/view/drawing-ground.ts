/** Where places of drawings are on screen. */

import type { ChartLayout } from '../scene/chart-layout.ts';
import { textWidth } from '../scene/text-width.ts';
import { type ViewWindow, xOf, yOf } from '../scene/window.ts';
import type { BarSeries } from '../series/bar-series.ts';
import type { DrawingGround } from './drawing-hit.ts';
import { columnTimes } from './drawing-places.ts';

const TEXT_SIZE = 11;

export function drawingGround(
  window: ViewWindow,
  layout: ChartLayout,
  bars: BarSeries,
  textScale: number,
): DrawingGround {
  const { columnOf } = columnTimes(() => bars);
  return {
    plotWidth: layout.plotWidth,
    plotHeight: layout.main.height,
    xOf: (ns) => xOf(window, layout, columnOf(ns)),
    centreXOf: (ns) => xOf(window, layout, columnOf(ns) + 0.5),
    endXOf: (ns) => xOf(window, layout, columnOf(ns) + 1),
    yOf: (ticks) => yOf(window, layout, ticks + 0.5),
    widthOf: (text) => textWidth(text, TEXT_SIZE * textScale, 560),
  };
}
