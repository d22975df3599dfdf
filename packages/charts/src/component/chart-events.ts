/** What a chart tells its page. */

import type { ChartBar } from '../series/chart-bar.ts';
import type { LiveState } from '../series/chart-content.ts';
import type { Tool } from '../view/view-options.ts';
import type { ChartLayout } from './chart-options.ts';

/** Times are nanoseconds since 1970, prices in ticks. */
export interface ChartPoint {
  /** When the bar under the crosshair begins. */
  readonly ns: bigint;
  /** Null: below the prices. */
  readonly ticks: number | null;
  readonly bar: ChartBar | null;
}

export interface ChartEvents {
  readonly crosshair: ChartPoint | null;
  /** Bars that a reader has dragged over. */
  readonly range: { readonly fromNs: bigint; readonly toNs: bigint; readonly bars: number } | null;
  /** The chart shows something else: keep it, and give it as options the next time. */
  readonly layout: ChartLayout;
  readonly tool: Tool;
  /** Whether the stream runs, and what the chart says about it. */
  readonly status: { readonly live: LiveState; readonly text: string | null };
}
