/** Places of drawings: pixels to times and prices that snap, times to columns. */

import type { ChartLayout } from '../scene/chart-layout.ts';
import { nsOfPlace, placeAtX, placeOfNs, ticksAtY, type ViewWindow } from '../scene/window.ts';
import type { BarSeries } from '../series/bar-series.ts';
import type { ColumnTimes, Place } from './drawing-tool.ts';

/** A bar's open, high, low or close this near attracts the pointer. */
const SNAP_PX = 7;
/** A free price has this many parts of a tick. */
const FREE_PARTS = 100;

/** Whole columns; beyond the newest bar they go on in columns of usual length. */
export function columnTimes(bars: () => BarSeries): ColumnTimes {
  return {
    columnOf: (ns) => Math.floor(placeOfNs(bars(), ns) + 1e-9),
    nsOf: (column) => nsOfPlace(bars(), column),
  };
}

/** Snapped to a whole tick, and to a price of the bar if that is near. `isFree`: to nothing but the column. */
export function placeAt(
  point: { readonly x: number; readonly y: number },
  window: ViewWindow,
  layout: ChartLayout,
  bars: BarSeries,
  isFree: boolean,
): Place {
  const column = Math.floor(placeAtX(window, layout, point.x));
  const ns = nsOfPlace(bars, column);
  const { main } = layout;
  const y = Math.min(main.y + main.height, Math.max(main.y, point.y));
  const exact = ticksAtY(window, layout, y);
  // A price of t ticks is drawn at the middle of [t, t + 1).
  if (isFree) return { ns, ticks: Math.round((exact - 0.5) * FREE_PARTS) / FREE_PARTS };
  const whole = Math.floor(exact);
  const bar = bars.columns[column];
  if (bar === undefined || bar.kind === 'gap') return { ns, ticks: whole };
  const reach = SNAP_PX / window.tickHeight;
  const near = [bar.high, bar.low, bar.close, bar.open].filter(
    (ticks) => Math.abs(ticks + 0.5 - exact) <= reach,
  );
  near.sort((a, b) => Math.abs(a + 0.5 - exact) - Math.abs(b + 0.5 - exact));
  return { ns, ticks: near[0] ?? whole };
}
