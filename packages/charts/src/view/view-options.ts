/** What a page gives to a chart, and what the chart tells the page. */

import type { ClientClock } from '@tapeloom/client/stream';
import type { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { Drawing } from '../spec/drawing.ts';

/** What the pointer does. `crosshair` pans. */
export const TOOLS = [
  'crosshair',
  'range',
  'line',
  'trend',
  'rectangle',
  'text',
  'measure',
] as const;
export type Tool = (typeof TOOLS)[number];

/** Keys that the page around the chart answers. */
export type ViewCommand =
  | 'indicators'
  | 'play'
  | 'step-back'
  | 'step-on'
  | 'wire'
  | 'table'
  | 'full-screen'
  | 'keys';

/** Where a crosshair stands: a time and a price, so that linked charts of other bars can show it. */
export interface ViewHover {
  /** When the column under the crosshair begins. */
  readonly ns: bigint;
  /** Null: below the prices, or linked from a chart of another instrument. */
  readonly ticks: number | null;
}

/** Bars that a reader has dragged over: columns, first and last included. */
export interface ViewRange {
  readonly from: number;
  readonly to: number;
}

/** Which time a chart shows; linked charts follow it. */
export interface ViewTime {
  /** At the right edge of the plot. Null: the chart follows its end. */
  readonly rightNs: bigint | null;
}

/** What a page writes around a chart. */
export interface ViewState {
  /** Ticks per row as drawn: the automatic choice, if the spec leaves it to the chart. */
  readonly group: number;
  readonly cell: 'candles' | 'weave' | 'numbers';
  readonly isAtEnd: boolean;
  /** Prices fit by themselves. */
  readonly isAutoFit: boolean;
  /** First and last column on screen; null without bars in view. */
  readonly shown: ViewRange | null;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Key of the selected drawing. */
  readonly selected: string | null;
}

export interface ChartViewOptions {
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  readonly clock: ClientClock;
  /** A small chart of a grid: numbers of the crosshair go to the page's row instead of a card. */
  readonly isCompact?: boolean;
  /** Keys of new drawings, and nothing else. */
  readonly newKey?: () => string;
  /** A gesture or a key changed the spec: look, group, drawings, zone. */
  readonly onSpec?: (spec: ChartSpec) => void;
  readonly onHover?: (hover: ViewHover | null) => void;
  /** The left edge of the loaded bars comes into view. At most once per gesture and loaded page. */
  readonly onNeedBack?: () => void;
  readonly onRange?: (range: ViewRange | null) => void;
  readonly onTool?: (tool: Tool) => void;
  readonly onTime?: (time: ViewTime) => void;
  readonly onCommand?: (command: ViewCommand) => void;
  /** After a frame in which something of it changed. */
  readonly onState?: (state: ViewState) => void;
  /** The first zoom, drag or key of this chart: a hint about gestures may go. */
  readonly onFirstGesture?: () => void;
  /** The chart received focus or a pointer: it is the one in use. */
  readonly onUse?: () => void;
  /** A finished drawing; the page may offer to save it. */
  readonly onDrawn?: (drawing: Drawing) => void;
}

export interface PictureOptions {
  /** Without it the picture has the colours of the page. */
  readonly theme?: 'light' | 'dark';
}
