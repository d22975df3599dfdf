/** What the parts of one scene share: places of columns and prices, sessions on screen, and where shapes go. */

import type { Column } from '../series/chart-bar.ts';
import type { SessionSpan } from '../series/sessions.ts';
import type { Rect } from './batch.ts';
import { cellShape, type Most } from './cell-shape.ts';
import type { ChartLayout } from './chart-layout.ts';
import { betweenText, priceText } from './number-text.ts';
import type { CellShape, ColumnRange, Mark, SceneInput, Target } from './scene-types.ts';
import { Shapes } from './shapes.ts';
import { shownColumns, type ViewWindow, xOf, yOf } from './window.ts';

/** While the instrument is not known. */
const TICK_UNKNOWN = 10_000_000;

type Paint = (frame: Frame) => void;

/** Painters that not every chart needs; whoever shows a scene loads them. Without them, what they paint is left out. */
export interface SceneParts {
  readonly objects?: ObjectPainters | null;
  readonly drawings?: DrawingPainters | null;
}

/** Of indicators, letters, tape speed and forced colours. */
export interface ObjectPainters {
  readonly paintZones: Paint;
  /** Returns what paints their names, which belong in front. */
  readonly paintLevels: (frame: Frame) => () => void;
  readonly paintPeriodProfiles: Paint;
  readonly paintBubbles: Paint;
  readonly paintLetters: (frame: Frame, left: number, width: number) => void;
  readonly paintSpeed: (frame: Frame, rect: Rect) => void;
  readonly paintSpeedName: (frame: Frame, first: number, line: number, column: number) => void;
  readonly paintForcedCells: Paint;
}

export interface DrawingPainters {
  readonly paintDrawingLines: Paint;
  readonly paintDrawingCards: Paint;
  readonly paintRangeBox: (frame: Frame, range: ColumnRange) => void;
}

export class Frame {
  readonly input: SceneInput;
  readonly layout: ChartLayout;
  readonly parts: SceneParts;
  readonly window: ViewWindow;
  readonly cell: CellShape;
  readonly most: Most;
  readonly columns: readonly Column[];
  /** Columns on screen: [from, to). */
  readonly from: number;
  readonly to: number;
  readonly shapes: Shapes;
  readonly marks: Mark[] | null;
  readonly targets: Target[] = [];
  readonly #left: number;
  readonly #zero: number;
  #sessions: Int32Array | null = null;

  constructor(input: SceneInput, layout: ChartLayout, parts: SceneParts = {}) {
    const { window, content, spec, textScale } = input;
    this.input = input;
    this.layout = layout;
    this.parts = parts;
    this.window = window;
    this.columns = content.bars.columns;
    [this.from, this.to] = shownColumns(window, layout, this.columns.length);
    const { columns, from, to } = this;
    const { cell, most } = cellShape({ window, spec, textScale, columns, from, to });
    this.cell = cell;
    this.most = most;
    this.shapes = new Shapes(input.pool);
    this.marks = input.wantsMarks === true ? [] : null;
    this.#left = xOf(window, layout, 0);
    this.#zero = yOf(window, layout, 0);
  }

  /** The left edge of a column. */
  x(column: number): number {
    return this.#left + column * this.window.columnWidth;
  }

  /** The lower edge of a price. */
  y(ticks: number): number {
    return this.#zero - ticks * this.window.tickHeight;
  }

  /** The middle of a price. */
  priceY(ticks: number): number {
    return this.#zero - (ticks + 0.5) * this.window.tickHeight;
  }

  /** Cells are drawn, and candles stand beside them. */
  get isNear(): boolean {
    return this.cell.weave >= 0.5;
  }

  /** The middle of a bar: of its cells, or of its candle. */
  middleX(column: number): number {
    const { gutter, inner } = this.cell;
    return this.x(column) + (this.isNear ? gutter + inner / 2 : this.window.columnWidth / 2);
  }

  candleX(column: number): number {
    const { weave, gutter } = this.cell;
    const centred = this.window.columnWidth / 2;
    return this.x(column) + centred + (gutter / 2 - centred) * weave;
  }

  /** Text of axes and names grows with the reader's size of text. */
  text(size: number): number {
    return size * this.input.textScale;
  }

  /** Text in rows grows as far as the rows do. */
  rowText(size: number): number {
    return Math.min(this.text(size), Math.max(size, this.layout.stripRowHeight * 0.7));
  }

  get tickSizeNanos(): number {
    return this.input.content.instrument?.tickSizeNanos ?? TICK_UNKNOWN;
  }

  price(ticks: number): string {
    return priceText(ticks, this.tickSizeNanos);
  }

  /** A price between ticks. */
  between(ticks: number): string {
    return betweenText(ticks, this.tickSizeNanos);
  }

  /** Index of the session in which a column of the screen begins; -1: none is known. */
  sessionOf(column: number): number {
    this.#sessions ??= sessionsOf(this.columns, this.from, this.to, this.input.content.sessions);
    return this.#sessions[column - this.from + 1] ?? -1;
  }

  /** The first column of a session. */
  isSessionStart(column: number): boolean {
    const here = this.sessionOf(column);
    return column > 0 && here >= 0 && here !== this.sessionOf(column - 1);
  }

  /** A line does not go from the column before to this one. */
  isBreak(column: number): boolean {
    const before = this.columns[column - 1];
    return before === undefined || before.kind === 'gap' || this.isSessionStart(column);
  }

  mark(
    of: string,
    shape: string,
    id: string,
    numbers: Readonly<Record<string, number>>,
    x: number,
    y: number,
    texts: readonly string[] = [],
  ): void {
    this.marks?.push({ of, shape, id, numbers, texts, x, y });
  }
}

/** By column, beginning with the one before the first on screen. */
function sessionsOf(
  columns: readonly Column[],
  from: number,
  to: number,
  spans: readonly SessionSpan[],
): Int32Array {
  const sessions = new Int32Array(to - from + 2).fill(-1);
  if (spans.length === 0) return sessions;
  let at = 0;
  for (let index = 0; index < sessions.length; index += 1) {
    const column = columns[from - 1 + index];
    if (column === undefined) continue;
    while (at + 1 < spans.length && spans[at + 1]!.openNs <= column.fromNs) at += 1;
    const span = spans[at]!;
    if (span.openNs <= column.fromNs && column.fromNs < span.closeNs) sessions[index] = at;
  }
  return sessions;
}
