/** What a scene is made from, and what it is. */

import type { ChartContent } from '../series/chart-content.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { Drawing } from '../spec/drawing.ts';
import type { Batch, Rect } from './batch.ts';
import type { ChartLayout, ChartSize } from './chart-layout.ts';
import type { ShapePool } from './shapes.ts';
import type { ViewWindow } from './window.ts';

/** Times in words, in the zone that the reader chose. `timeTexts` of `time-text.ts` makes it. */
export interface TimeText {
  /** 14:05, or 14:05:30 with seconds. */
  clock(ns: bigint, hasSeconds?: boolean): string;
  /** Tue 17 Nov */
  day(ns: bigint): string;
  /** Seconds since 1970 as the zone's clock shows them: multiples are round times there. */
  localSeconds(ns: bigint): number;
  /** CT */
  readonly zone: string;
  /** Exchange time */
  readonly zoneTitle: string;
}

/** The crosshair. */
export interface Hover {
  readonly column: number;
  /** Null: no price, such as a linked crosshair of another instrument. */
  readonly y: number | null;
  /** It is a linked chart's: only lines, no cell. */
  readonly isLinked: boolean;
}

/** Columns of a dragged range: [from, to). */
export interface ColumnRange {
  readonly from: number;
  readonly to: number;
}

export interface SceneInput {
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  readonly window: ViewWindow;
  readonly size: ChartSize;
  /** Absent indicators are taken from it. */
  readonly sums: SessionSums | null;
  readonly range: ColumnRange | null;
  /** Of the spec and the one that is being drawn. */
  readonly drawings: readonly Drawing[];
  readonly timeText: TimeText;
  /** Prices stand still: the price tag is grey, without the time left. */
  readonly isStale: boolean;
  /** The time left in the forming bar, "1:40"; null: none is written. */
  readonly countdownText: string | null;
  /** 1 is the usual size of text, 2 is 200 %. */
  readonly textScale: number;
  /** Of the column whose values stand beside strip and panes; null: the newest bar on screen. */
  readonly focusColumn?: number | null;
  /** The key of the drawing whose handles are shown. */
  readonly selectedDrawing?: string | null;
  /** Drawings are not shown. */
  readonly areDrawingsHidden?: boolean;
  /** The glow of a half cell of the forming bar: 0 to 1, by price and side. Absent: none. */
  readonly glow?: (ticks: number, side: -1 | 1) => number;
  /** Whether ghost columns show that older bars are loading; default: whenever they are. */
  readonly hasGhosts?: boolean;
  /** Names the live edge: "14:03, 10 min ago". */
  readonly edgeText?: string | null;
  /** Borders and patterns instead of tones. */
  readonly hasForcedColours?: boolean;
  /** Lists what was drawn, for proofs. */
  readonly wantsMarks?: boolean;
  /** Without it a scene stays valid for ever; with it, until the pool's next scene. */
  readonly pool?: ShapePool;
}

export type CellKind = 'candles' | 'weave' | 'numbers';

/** How a bar is drawn at this width. */
export interface CellShape {
  readonly kind: CellKind;
  /** 0 candles, 1 cells; between them, one fades into the other. */
  readonly weave: number;
  /** 0 no numbers, 1 numbers; between, they fade. */
  readonly numbers: number;
  /** From a column's left edge to its cells: the candle's place. */
  readonly gutter: number;
  /** The width of the cells. */
  readonly inner: number;
  /** The width of a half cell, or of one of two columns. */
  readonly half: number;
  /** From the cells to the next column: the bracket's place. */
  readonly tail: number;
  /** Ticks per row. */
  readonly group: number;
  readonly rowHeight: number;
  /** Of the figures, in pixels. */
  readonly textSize: number;
}

/** What was drawn of which object, with the numbers that decided it. */
export interface Mark {
  /** `bars`, `strip`, `pane`, or the key of a layer. */
  readonly of: string;
  /** candle, cell, poc, value-area, imbalance, stack, unfinished, line, disc, … */
  readonly shape: string;
  /** Of the object; empty: it has none. */
  readonly id: string;
  readonly numbers: Readonly<Record<string, number>>;
  /** As written; empty: nothing is. */
  readonly texts: readonly string[];
  readonly x: number;
  readonly y: number;
}

/** Where an object of a layer was drawn, for the pointer. */
export interface Target extends Rect {
  readonly layerKey: string;
  readonly id: string;
}

export interface ChartScene {
  readonly layout: ChartLayout;
  readonly window: ViewWindow;
  readonly cell: CellShape;
  /** Columns on screen: [from, to). */
  readonly shown: readonly [from: number, to: number];
  readonly batches: readonly Batch[];
  readonly marks: readonly Mark[];
  readonly targets: readonly Target[];
  /** Left of the first bar, where nothing more comes by itself; null: not on screen. */
  readonly hem: Rect | null;
}
