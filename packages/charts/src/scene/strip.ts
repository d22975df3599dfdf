/** Below each bar its delta, volume, bid and ask: numbers where there is room, tones below that, threads far out. */

import type { ChartBar } from '../series/chart-bar.ts';
import type { Numbers } from './batch.ts';
import { TONES, type ToneDye, tonePaint, toneStep } from './cell-sink.ts';
import type { Frame } from './frame.ts';
import { countText, shortText, signedText } from './number-text.ts';
import { paint, write } from './shapes.ts';
import { textWidth } from './text-width.ts';

export const STRIP_ROWS = ['delta', 'volume', 'bid', 'ask'] as const;
export type StripRow = (typeof STRIP_ROWS)[number];
export const STRIP_NAMES: Readonly<Record<StripRow, string>> = {
  delta: 'Delta',
  volume: 'Volume',
  bid: 'Bid',
  ask: 'Ask',
};

const NUMBERS_FROM_PX = 52;
const PADDING = 5;
/** Numbers stay readable on their tones: volume, bid and ask are fainter. */
const STRENGTH: Readonly<Record<StripRow, number>> = {
  delta: 1,
  volume: 0.7,
  bid: 0.42,
  ask: 0.42,
};
const TEXT = { least: 9.5, most: 11.5 };

/** The middle of a row of the strip. */
export function stripRowY({ layout }: Frame, row: number): number {
  return (layout.strip?.y ?? 0) + PADDING + row * layout.stripRowHeight + layout.stripRowHeight / 2;
}

export function paintStrip(frame: Frame): void {
  const { layout, shapes } = frame;
  const { strip } = layout;
  if (strip === null) return;
  paintPaneGround(frame, strip.y, strip.height);
  shapes.clip(strip);
  STRIP_ROWS.slice(0, layout.stripRows).forEach((row, at) => {
    paintTones(frame, row, Math.round(strip.y + PADDING + at * layout.stripRowHeight));
  });
  if (frame.window.columnWidth >= NUMBERS_FROM_PX) {
    STRIP_ROWS.slice(0, layout.stripRows).forEach((row, at) => {
      paintNumbers(frame, row, stripRowY(frame, at));
    });
  }
  shapes.unclip();
}

/** Covers the bars' ground, but not what is left of the first bar. */
export function paintPaneGround(frame: Frame, y: number, height: number): void {
  const hasHem = frame.input.content.edge.t === 'hem' && frame.columns.length > 0;
  const left = hasHem ? Math.max(0, Math.min(frame.x(0), frame.layout.plotWidth)) : 0;
  frame.shapes.rect(paint('ground'), left, y, frame.layout.plotWidth - left, height);
}

/** Left edge and width of a bar's cell in strip and panes. */
export function cellSpan(frame: Frame): readonly [inset: number, width: number] {
  const { cell, window, isNear } = frame;
  return isNear
    ? [cell.gutter, cell.inner]
    : [window.columnWidth * 0.12, window.columnWidth * 0.76];
}

function paintTones(frame: Frame, row: StripRow, y: number): void {
  const { columns, from, to, layout, shapes } = frame;
  const most = mostOf(frame, row);
  const [inset, width] = cellSpan(frame);
  const bins = new Map<number, Numbers>();
  for (let at = from; at < to; at += 1) {
    const bar = columns[at]!;
    if (bar.kind === 'gap') continue;
    const value = bar[row];
    const step = Math.round(toneStep(Math.abs(value), most) * STRENGTH[row]);
    const key = value >= 0 ? step : step + TONES + 1;
    const bin = bins.get(key) ?? shapes.numbers();
    bins.set(key, bin);
    const left = Math.round(frame.x(at) + inset);
    const right = Math.round(frame.x(at) + inset + width);
    bin.add4(left, y, Math.max(1, right - left), layout.stripRowHeight - 1);
  }
  for (const [key, rects] of bins) {
    shapes.rects(tonePaint(dyeOf(row, key <= TONES), key % (TONES + 1)), 0, rects);
  }
}

function dyeOf(row: StripRow, isPositive: boolean): ToneDye {
  if (row === 'volume') return 'neutral';
  if (row !== 'delta') return row;
  return isPositive ? 'ask' : 'bid';
}

function mostOf({ columns, from, to }: Frame, row: StripRow): number {
  let most = 1;
  for (let at = from; at < to; at += 1) {
    const bar = columns[at]!;
    if (bar.kind === 'gap') continue;
    // Bid and ask share a scale, so that they can be compared.
    const value = row === 'bid' || row === 'ask' ? Math.max(bar.bid, bar.ask) : Math.abs(bar[row]);
    if (value > most) most = value;
  }
  return most;
}

function paintNumbers(frame: Frame, row: StripRow, y: number): void {
  const { columns, from, to } = frame;
  const [inset, width] = cellSpan(frame);
  const size = Math.min(TEXT.most, Math.max(TEXT.least, (width - 4) / 4.6));
  const isDelta = row === 'delta';
  const ink = paint(isDelta ? 'ink' : 'muted');
  const grown = Math.max(size, frame.rowText(size));
  const words = frame.shapes.words(ink, grown, isDelta ? 600 : 450, 'center');
  for (let at = from; at < to; at += 1) {
    const bar = columns[at]!;
    if (bar.kind === 'gap') continue;
    const x = frame.x(at) + inset + width / 2;
    const text = stripText(bar, row, width, grown);
    write(words, x, y, text);
    frame.mark('strip', row, bar.id, { [row]: bar[row] }, x, y, [text]);
  }
}

function stripText(bar: ChartBar, row: StripRow, width: number, size: number): string {
  const text = row === 'delta' ? signedText(bar.delta) : countText(bar[row]);
  if (textWidth(text, size, 600) <= width + 4) return text;
  return (row === 'delta' && bar.delta > 0 ? '+' : '') + shortText(bar[row]);
}
