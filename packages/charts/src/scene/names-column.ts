/** Names and values of strip and panes, in a column of their own: nothing lies on the bars. */

import type { ChartBar } from '../series/chart-bar.ts';
import type { Pane } from '../spec/chart-spec.ts';
import type { Dye } from './batch.ts';
import type { Frame } from './frame.ts';
import { firstLayer, objectAtBar } from './layer-objects.ts';
import { countText, shortText, signedText } from './number-text.ts';
import { paint } from './shapes.ts';
import { STRIP_NAMES, STRIP_ROWS, type StripRow, stripRowY } from './strip.ts';

export function paintNames(frame: Frame, column: number): void {
  const bar = paintStripNames(frame, column);
  for (const { pane, rect } of frame.layout.panes) paintPane(frame, pane, rect.y, column, bar);
}

/** On the ground of the whole column. Returns the bar whose values stand here. */
export function paintStripNames(frame: Frame, column: number): ChartBar | null {
  const { shapes, layout } = frame;
  const { names } = layout;
  shapes.rect(paint('ground'), names.x, names.y, names.width, names.height);
  const bar = frame.columns[column];
  const shown = bar?.kind === 'bar' ? bar : null;
  STRIP_ROWS.slice(0, layout.stripRows).forEach((row, at) => {
    const y = stripRowY(frame, at) - 0.5;
    nameAt(frame, STRIP_NAMES[row], y);
    if (shown !== null && layout.side !== null)
      valueAt(frame, stripValue(shown, row), stripDye(shown, row), y);
  });
  return shown;
}

/** The column whose values stand beside strip and panes: the newest bar on screen, unless the input names another. */
export function focusColumn({ input, columns, to }: Frame): number {
  const { focusColumn: wanted = null } = input;
  if (wanted !== null && columns[wanted]?.kind === 'bar') return wanted;
  let column = to - 1;
  while (column >= 0 && columns[column]!.kind === 'gap') column -= 1;
  return column;
}

function paintPane(
  frame: Frame,
  pane: Pane,
  top: number,
  column: number,
  bar: ChartBar | null,
): void {
  const { first, line } = linesAt(frame, top);
  const isWide = frame.layout.side !== null;
  switch (pane) {
    case 'delta':
      nameAt(frame, isWide ? 'Bar delta' : 'Delta', first);
      if (bar !== null) paintDelta(frame, bar, first, line);
      return;
    case 'cumulative-delta':
      paintCumulativeName(frame, top, column);
      return;
    case 'tape-speed':
      nameAt(frame, isWide ? 'Tape speed' : 'Speed', first);
      frame.parts.objects?.paintSpeedName(frame, first, line, column);
      return;
    default:
      pane satisfies never;
  }
}

/** The middle of the first line in a pane, and the distance to the next. */
function linesAt(frame: Frame, top: number): { readonly first: number; readonly line: number } {
  const line = Math.max(16, frame.rowText(11.5) * 1.4);
  return { first: top + Math.max(15, line * 0.8), line };
}

export function paintCumulativeName(frame: Frame, top: number, column: number): void {
  const { first, line } = linesAt(frame, top);
  const isWide = frame.layout.side !== null;
  nameAt(frame, isWide ? 'Cumulative delta' : 'CVD', first);
  const layer = firstLayer(frame.input, 'delta');
  const object = layer === null ? null : objectAtBar(frame, layer, column);
  if (object === null) return;
  const { close } = object.data;
  const text = isWide ? signedText(close) : shortSigned(close);
  bigValue(frame, text, dyeOf(close), first + line + 2);
}

function paintDelta(frame: Frame, bar: ChartBar, first: number, line: number): void {
  if (frame.layout.side === null) {
    bigValue(frame, shortSigned(bar.delta), dyeOf(bar.delta), first + line + 2);
    return;
  }
  valueAt(frame, signedText(bar.delta), dyeOf(bar.delta), first);
  nameAt(frame, 'lowest', first + line + 2);
  valueAt(frame, signedText(bar.deltaMin), 'muted', first + line + 2);
  nameAt(frame, 'highest', first + 2 * line + 2);
  valueAt(frame, signedText(bar.deltaMax), 'muted', first + 2 * line + 2);
}

export function nameAt(frame: Frame, text: string, y: number): void {
  const x = frame.layout.names.x + (frame.layout.side === null ? 6 : 10);
  frame.shapes.word(paint('faint'), frame.rowText(11), 450, 'left', x, y, text);
}

export function valueAt(frame: Frame, text: string, dye: Dye, y: number): void {
  const x = frame.layout.size.width - 10;
  frame.shapes.word(paint(dye), frame.rowText(11.5), 560, 'right', x, y, text);
}

/** Alone in its line; below the name where the column is narrow. */
export function bigValue(frame: Frame, text: string, dye: Dye, y: number): void {
  const { layout, shapes } = frame;
  const isWide = layout.side !== null;
  const size = frame.rowText(isWide ? 12.5 : 10.5);
  const x = isWide ? layout.size.width - 10 : layout.names.x + 6;
  shapes.word(paint(dye), size, 600, isWide ? 'right' : 'left', x, y, text);
}

function stripValue(bar: ChartBar, row: StripRow): string {
  return row === 'delta' ? signedText(bar.delta) : countText(bar[row]);
}

function stripDye(bar: ChartBar, row: StripRow): Dye {
  if (row === 'volume') return 'ink';
  return row === 'delta' ? dyeOf(bar.delta) : row;
}

function dyeOf(delta: number): Dye {
  return delta >= 0 ? 'ask' : 'bid';
}

function shortSigned(count: number): string {
  return `${count > 0 ? '+' : ''}${shortText(count)}`;
}
