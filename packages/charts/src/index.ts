/** Order-flow charts of Tapeloom for web pages. */

import { Chart } from './component/chart.ts';
import type { ChartOptions } from './component/chart-options.ts';

export type { Chart } from './component/chart.ts';
export type { ChartEvents, ChartPoint } from './component/chart-events.ts';
export type {
  ChartClient,
  ChartLayer,
  ChartLayout,
  ChartLook,
  ChartOptions,
  ChartSource,
} from './component/chart-options.ts';
export type { ChartBar, Levels } from './series/chart-bar.ts';
export type { LiveState } from './series/chart-content.ts';
export type {
  BarChoice,
  CellRules,
  ChartSpec,
  Look,
  Pane,
  TimeZoneChoice,
} from './spec/chart-spec.ts';
export type { Drawing, DrawingPoint } from './spec/drawing.ts';
export type { Tool } from './view/view-options.ts';

/** Puts a chart into an element of your page. The element needs a height. */
export function createChart(element: HTMLElement, options: ChartOptions): Chart {
  return new Chart(element, options);
}
