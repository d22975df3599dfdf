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

export function paintTimeAxis(frame: Frame): void {
  const { shapes, layout } = frame;
  const { timeAxis } = layout;
  shapes.rect(paint('ground'), 0, timeAxis.y, timeAxis.width, timeAxis.height);
  const y = timeAxis.y + timeAxis.height / 2 + 0.5;
  paintTimes(frame, y);
  paintZone(frame, y);
}

function paintTimes(frame: Frame, y: number): void {
  const { shapes, layout, columns, from, to, input } = frame;
  const { timeText } = input;
  const size = frame.text(11.5);
  const words = shapes.words(paint('axis'), size, 450, 'center');
  const step = stepOf(frame);
  // A few columns more at the left, so that a column that leaves the screen changes no other label.
  let lastX = Number.NEGATIVE_INFINITY;
  let before = bucketOf(frame, from - 40, step);
  for (let at = Math.max(0, from - 40); at < to; at += 1) {
    const bucket = bucketOf(frame, at, step);
    if (bucket === before && at > 0) continue;
    before = bucket;
    const x = frame.middleX(at);
    if (x - lastX < BETWEEN_MIN * Math.max(1, input.textScale)) continue;
    const column = columns[at]!;
    // A bar that begins later than the round time, as after a pause, has its own time.
    const text =
      step >= DAY
        ? timeText.day(column.fromNs).slice(4)
        : timeText.clock(column.fromNs, step < MINUTE);
    lastX = x;
    if (x < EDGE * input.textScale || x > layout.plotWidth - EDGE * input.textScale) continue;
    write(words, x, y, text);
    frame.mark('axis', 'time', '', { ns: Number(column.fromNs) }, x, y, [text]);
  }
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
