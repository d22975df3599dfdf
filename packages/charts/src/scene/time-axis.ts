/** The time axis: round times of the reader's zone below the bars they belong to, and the name of the zone. */

import type { Frame } from './frame.ts';
import { paint, write } from './shapes.ts';
import { textWidth } from './text-width.ts';
import { usualColumnNs } from './window.ts';

const MINUTE = 60;
const DAY = 86_400;
/** Round steps in seconds; beyond a day, days. */
const STEPS = [
  1,
  5,
  10,
  15,
  30,
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((minutes) => minutes * MINUTE),
  ...[1, 2, 5, 10, 20, 50, 100].map((days) => days * DAY),
];
const DISTANCE = { wide: 84, narrow: 62 };
const BETWEEN_MIN = 62;
const EDGE = 18;
/** Between a time and the name of the live edge. */
const AIR = 8;
const MORE_COLUMNS = 40;

export function paintTimeAxis(frame: Frame): void {
  const { shapes, layout } = frame;
  const { timeAxis } = layout;
  shapes.rect(paint('ground'), 0, timeAxis.y, timeAxis.width, timeAxis.height);
  const y = timeAxis.y + timeAxis.height / 2 + 0.5;
  paintTimes(frame, y);
  paintEdge(frame, y);
  paintZone(frame, y);
}

/** "14:03, 10 min ago" below the newest bar, in place of its time. */
function paintEdge(frame: Frame, y: number): void {
  const { shapes } = frame;
  const name = edgeName(frame);
  if (name === null) return;
  const { text, right, size } = name;
  shapes.word(paint('ink'), size, 600, 'right', right, y, text);
  frame.mark('axis', 'edge', '', {}, right, y, [text]);
}

interface EdgeName {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly size: number;
}

/** Null: the stream is not delayed, or its live edge is not on screen. */
export function edgeName(frame: Frame): EdgeName | null {
  const { layout, input, columns } = frame;
  const { plotWidth } = layout;
  const text = input.edgeText ?? null;
  const end = frame.x(columns.length);
  if (text === null || columns.length === 0 || end < 0) return null;
  if (frame.x(columns.length - 1) > plotWidth) return null;
  const size = frame.text(11.5);
  const width = textWidth(text, size, 600);
  const right = Math.max(width + 6, Math.min(plotWidth - 6, end + width / 4));
  return { text, left: right - width, right, size };
}

interface Label {
  readonly column: number;
  readonly x: number;
  /** The bar begins at the round time; after a pause it may begin later. */
  readonly isRound: boolean;
}

function paintTimes(frame: Frame, y: number): void {
  const words = frame.shapes.words(paint('axis'), frame.text(11.5), 450, 'center');
  for (const { x, text, ns } of timesShown(frame)) {
    write(words, x, y, text);
    frame.mark('axis', 'time', '', { ns: Number(ns) }, x, y, [text]);
  }
}

interface TimeShown {
  /** Its middle. */
  readonly x: number;
  readonly half: number;
  readonly text: string;
  readonly ns: bigint;
}

/** Times on the axis; none touches the name of the live edge. */
export function timesShown(frame: Frame): readonly TimeShown[] {
  const { layout, columns, input } = frame;
  const { timeText, textScale } = input;
  const step = stepOf(frame);
  const edge = EDGE * textScale;
  const name = edgeName(frame);
  return labelsOf(frame, step).flatMap(({ column, x }) => {
    if (x < edge || x > layout.plotWidth - edge) return [];
    const { fromNs: ns } = columns[column]!;
    const isDay = step >= DAY;
    const text = isDay ? timeText.day(ns).slice(4) : timeText.clock(ns, step < MINUTE);
    const half = textWidth(text, frame.text(11.5), 450) / 2;
    const isBehind = name !== null && x + half > name.left - AIR && x - half < name.right + AIR;
    return isBehind ? [] : [{ x, half, text, ns }];
  });
}

/** Labels that do not touch; a round time wins over one beside it that is not. */
function labelsOf(frame: Frame, step: number): readonly Label[] {
  const { columns, from, to, input } = frame;
  const distance = BETWEEN_MIN * Math.max(1, input.textScale);
  const labels: Label[] = [];
  // A few columns more at the left, so that a column that leaves the screen changes no other label.
  const start = Math.max(0, from - MORE_COLUMNS);
  let before = bucketOf(frame, start - 1, step);
  for (let column = start; column < to; column += 1) {
    const bucket = bucketOf(frame, column, step);
    if (bucket === before) continue;
    before = bucket;
    const isRound = bucket * step === input.timeText.localSeconds(columns[column]!.fromNs);
    const label = { column, x: frame.middleX(column), isRound };
    const last = labels.at(-1);
    if (last === undefined || label.x - last.x >= distance) labels.push(label);
    else if (isRound && !last.isRound) labels[labels.length - 1] = label;
  }
  return labels;
}

/** A label stands at the first bar of each bucket. */
function bucketOf({ columns, input }: Frame, column: number, step: number): number {
  const at = columns[column];
  return at === undefined ? Number.NaN : Math.floor(input.timeText.localSeconds(at.fromNs) / step);
}

function stepOf(frame: Frame): number {
  const { layout, window, input } = frame;
  const distance =
    (layout.isNarrow ? DISTANCE.narrow : DISTANCE.wide) * Math.max(1, input.textScale * 0.9);
  const perPixel = usualColumnNs(input.content.bars) / 1e9 / window.columnWidth;
  return STEPS.find((step) => step / perPixel >= distance) ?? STEPS.at(-1)!;
}

function paintZone(frame: Frame, y: number): void {
  const { shapes, layout, input } = frame;
  const { zone, zoneTitle } = input.timeText;
  const size = frame.text(11);
  const right = layout.size.width - 10;
  shapes.word(paint('faint'), size, 500, 'right', right, y, zone);
  const room = right - layout.plotWidth - 20 - textWidth(zone, size, 500);
  if (zoneTitle === zone || textWidth(zoneTitle, size, 500) > room) return;
  shapes.word(paint('faint'), size, 500, 'left', layout.plotWidth + 10, y, zoneTitle);
}
