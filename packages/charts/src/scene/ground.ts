/**
 * Behind the bars: regular hours on the chart's ground and the night sunken, prices of the grid, where sessions begin,
 * where an alias changed its contract, and what is left of the first bar.
 */

import type { Rect } from './batch.ts';
import { tradingDateText } from './date-text.ts';
import type { Frame } from './frame.ts';
import { plate } from './plates.ts';
import { priceSteps } from './price-steps.ts';
import { paint } from './shapes.ts';
import { textWidth } from './text-width.ts';
import { placeOfNs } from './window.ts';

const LABEL_Y = 14;
/** Sessions that are closer are not marked. */
const SESSION_PX_MIN = 10;
const GHOST_HEIGHTS = [0.34, 0.42, 0.3, 0.5, 0.38, 0.46, 0.28, 0.4];
const GHOST_SHIFTS = [0, -0.05, 0.04, 0.02, -0.07, 0.06, 0.01, -0.03];
const GHOST_COLUMNS_MAX = 60;

/** Above the ground outside of regular hours: by the light theme, by the dark one. */
export const NIGHT = [paint('sunken', 0.55, 0), paint('page', 0, 0.75)];

export function paintGround(frame: Frame): void {
  const { shapes, layout } = frame;
  shapes.rect(paint('ground'), 0, 0, layout.size.width, layout.size.height);
  shapes.clip({ x: 0, y: 0, width: layout.plotWidth, height: layout.timeAxis.y });
  paintNight(frame);
  paintLeftEdge(frame);
  paintGrid(frame);
  paintSessions(frame);
  paintRolls(frame);
  paintPartial(frame);
  shapes.unclip();
}

/** Left of the first bar, if it is on screen and nothing more comes by itself. */
export function hemOf(frame: Frame): Rect | null {
  const { content } = frame.input;
  const width = Math.min(frame.layout.plotWidth, frame.x(0));
  if (content.edge.t !== 'hem' || frame.columns.length === 0 || width <= 0) return null;
  return { x: 0, y: 0, width, height: frame.layout.timeAxis.y };
}

function paintNight(frame: Frame): void {
  const { shapes, layout, from, to } = frame;
  const grounds = NIGHT.map((night) => shapes.rects(night));
  let start = -1;
  for (let at = from; at <= to; at += 1) {
    const isNight = at < to && isOvernight(frame, at);
    if (isNight && start < 0) start = at;
    if (isNight || start < 0) continue;
    const x = frame.x(start);
    const end = at === frame.columns.length ? nightEnd(frame) : frame.x(at);
    for (const ground of grounds) ground.add4(x, 0, end - x, layout.timeAxis.y);
    start = -1;
  }
}

/** The night that the newest bar is in goes on beside it, until regular hours. */
function nightEnd(frame: Frame): number {
  const last = frame.columns.length - 1;
  const regular = regularOf(frame, last);
  const isBefore = regular !== null && frame.columns[last]!.fromNs < regular.openNs;
  const open = isBefore ? placeOfNs(frame.input.content.bars, regular.openNs) : Infinity;
  return Math.max(frame.x(last + 1), Math.min(frame.layout.plotWidth, frame.x(open)));
}

/** In a session with regular hours, outside of them. */
export function isOvernight(frame: Frame, column: number): boolean {
  const regular = regularOf(frame, column);
  if (regular === null) return false;
  const { fromNs } = frame.columns[column]!;
  return fromNs < regular.openNs || fromNs >= regular.closeNs;
}

function regularOf(frame: Frame, column: number) {
  const session = frame.input.content.sessions[frame.sessionOf(column)];
  return session?.regular ?? null;
}

function paintLeftEdge(frame: Frame): void {
  const { shapes, layout, input } = frame;
  const { edge } = input.content;
  const width = Math.min(layout.plotWidth, frame.x(0));
  if (width <= 0 || frame.columns.length === 0) return;
  if (edge.t === 'loading' && input.hasGhosts !== false) paintGhosts(frame, width);
  if (edge.t !== 'hem') return;
  const { y: height } = layout.timeAxis;
  shapes.rect(paint('sunken'), 0, 0, width, height);
  const hem = shapes.rects(paint('line-strong'));
  const x = Math.round(width);
  hem.add4(x - 4, 0, 1, height);
  hem.add4(x - 1, 0, 1, height);
}

/** In the shape of bars, near the price of the first one. */
function paintGhosts(frame: Frame, width: number): void {
  const { shapes, layout, window, columns, cell } = frame;
  const first = columns.find((column) => column.kind === 'bar');
  const { columnWidth } = window;
  const count = Math.min(GHOST_COLUMNS_MAX, Math.ceil(width / columnWidth));
  const middle = first?.kind === 'bar' ? frame.priceY((first.high + first.low) / 2) : 0;
  const ghosts = shapes.rects(paint('neutral', 0.1, 0.13), Math.min(3, columnWidth / 6));
  const inset = frame.isNear ? cell.gutter : columnWidth * 0.19;
  const across = frame.isNear ? cell.inner : Math.max(1, columnWidth * 0.62);
  for (let back = 1; back <= count; back += 1) {
    const at = back % GHOST_HEIGHTS.length;
    const height = layout.main.height * GHOST_HEIGHTS[at]! * 0.6;
    const y = middle + layout.main.height * GHOST_SHIFTS[at]!;
    ghosts.add4(frame.x(-back) + inset, y - height / 2, across, height);
  }
}

export function paintGrid(frame: Frame): void {
  const { shapes, layout } = frame;
  const grid = shapes.rects(paint('grid'));
  for (const ticks of priceSteps(frame)) {
    grid.add4(0, Math.round(frame.priceY(ticks)), layout.plotWidth, 1);
  }
}

function paintSessions(frame: Frame): void {
  const { shapes, layout, from, to, input } = frame;
  const strong = shapes.rects(paint('line-strong'));
  const weak = shapes.rects(paint('line'));
  const size = frame.text(11);
  const names = shapes.words(paint('faint'), size, 500);
  let [lastX, textEnd] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = from; at < to; at += 1) {
    const isStart = frame.isSessionStart(at);
    if (!isStart && !isRegularStart(frame, at)) continue;
    const x = Math.round(frame.x(at));
    if (x - lastX < SESSION_PX_MIN) continue;
    lastX = x;
    (isStart ? strong : weak).add4(x, 0, 1, layout.timeAxis.y);
    if (isStart) strong.add4(x + 3, 0, 1, layout.timeAxis.y);
    const session = input.content.sessions[frame.sessionOf(at)]!;
    const text = isStart ? tradingDateText(session.date) : 'Regular hours';
    if (x < textEnd + 8) continue;
    names.places.add2(x + 9, LABEL_Y);
    names.texts.push(text);
    textEnd = x + 9 + textWidth(text, size, 500);
    frame.mark('session', isStart ? 'start' : 'regular', '', { date: session.date }, x, 0, [text]);
  }
}

/** The first column of the regular hours, unless the session begins with them. */
function isRegularStart(frame: Frame, column: number): boolean {
  const regular = regularOf(frame, column);
  if (regular === null || column === 0 || isOvernight(frame, column)) return false;
  return frame.sessionOf(column - 1) === frame.sessionOf(column) && isOvernight(frame, column - 1);
}

/** Where the feed began in the middle of a session: sums of the session lack what was before. */
function paintPartial(frame: Frame): void {
  const { shapes, layout, input } = frame;
  const { partialSince, bars } = input.content;
  if (partialSince === null || frame.columns.length === 0) return;
  const x = Math.round(frame.x(placeOfNs(bars, partialSince)));
  if (x < 0 || x > layout.plotWidth) return;
  const { points, ends } = shapes.lines(paint('muted', 0.8), 1, [1, 3]);
  points.add4(x + 0.5, 0, x + 0.5, layout.main.height);
  ends.add(points.count);
  const text = `Trades missing before ${input.timeText.clock(partialSince)}`;
  const style = { align: 'left', dye: 'muted', size: 11, weight: 500 } as const;
  plate(frame, x + 6, LABEL_Y + 22, text, style);
  frame.mark('session', 'partial', '', { ns: Number(partialSince) }, x, 0, [text]);
}

function paintRolls(frame: Frame): void {
  const { shapes, layout, input, from, to, columns } = frame;
  const lines = shapes.rects(paint('ink'));
  for (const roll of input.content.rolls) {
    const before = input.content.bars.columnAt(roll.atNs - 1n);
    const at = before + 1;
    if (at <= 0 || at < from || at > to || at >= columns.length) continue;
    const x = Math.round(frame.x(at));
    lines.add4(x - 1, 0, 1, layout.timeAxis.y);
    lines.add4(x + 2, 0, 1, layout.timeAxis.y);
    const text = `${roll.from} → ${roll.to}`;
    plate(frame, x + 8, LABEL_Y + 2, text, { align: 'left', dye: 'ink', size: 11, weight: 540 });
    frame.mark('session', 'roll', '', { ns: Number(roll.atNs) }, x, 0, [text]);
  }
}
