/**
 * The session's cumulative delta: a line with its area, one dye above zero and the other below. It ends at the session
 * and at gaps. Zero is in the picture only if it is near.
 */

import type { DeltaData } from '@tapeloom/protocol/indicators';
import type { AreasBatch, LinesBatch, Rect } from './batch.ts';
import type { Frame } from './frame.ts';
import { firstLayer, objectAtBar } from './layer-objects.ts';
import { paint } from './shapes.ts';

const PADDING = 8;
const AREA = 0.16;
/** Zero is near if it is at most this share of the values' span away. */
const NEAR_ZERO = 1.2;

/** A line without an interruption: x and value in turn. */
type Run = number[];

export function paintCumulative(frame: Frame, { y, height }: Rect): void {
  const { runs, high, low } = runsOf(frame);
  if (runs.length === 0) return;
  const perLot = (height - 2 * PADDING) / Math.max(1, high - low);
  const yOf = (value: number) => y + PADDING + (high - value) * perLot;
  const zero = Math.min(y + height, Math.max(y, yOf(0)));
  const { shapes, layout } = frame;
  shapes.rect(paint('line'), 0, Math.round(zero), layout.plotWidth, 1);
  const areas = { ask: shapes.areas(paint('ask', AREA)), bid: shapes.areas(paint('bid', AREA)) };
  const lines = { ask: shapes.lines(paint('ask'), 1.5), bid: shapes.lines(paint('bid'), 1.5) };
  for (const run of runs) {
    for (const part of signedParts(run)) {
      const dye = part.isPositive ? 'ask' : 'bid';
      trace(part.points, yOf, zero, lines[dye], areas[dye]);
    }
  }
}

/** The values of the bars on screen and one more at each side, with the extremes of those on screen. */
function runsOf(frame: Frame): { runs: Run[]; high: number; low: number } {
  const layer = firstLayer(frame.input, 'delta');
  const runs: Run[] = [];
  let [high, low] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (layer === null) return { runs, high, low };
  const end = Math.min(frame.columns.length, frame.to + 1);
  let [run, before]: [Run, number] = [[], -2];
  for (let column = Math.max(0, frame.from - 1); column < end; column += 1) {
    const object = objectAtBar(frame, layer, column);
    if (object === null) continue;
    const data: DeltaData = object.data;
    if (before !== column - 1 || frame.isBreak(column)) {
      run = [frame.x(column), data.open];
      runs.push(run);
    }
    run.push(frame.middleX(column), data.close);
    before = column;
    if (column < frame.from || column >= frame.to) continue;
    high = Math.max(high, data.close);
    low = Math.min(low, data.close);
    const numbers = { open: data.open, high: data.high, low: data.low, close: data.close };
    frame.mark(layer.key, 'cumulative', object.id, numbers, frame.middleX(column), data.close);
  }
  if (low > 0 && low < (high - low) * NEAR_ZERO) low = 0;
  if (high < 0 && -high < (high - low) * NEAR_ZERO) high = 0;
  if (high === low) [high, low] = [high + 1, low - 1];
  return { runs: Number.isFinite(high) ? runs : [], high, low };
}

interface Part {
  readonly isPositive: boolean;
  readonly points: Run;
}

/** Cuts a line where it crosses zero: each part lies on one side and begins where the one before it ends. */
export function signedParts(run: readonly number[]): Part[] {
  const parts: Part[] = [];
  let points: Run = [];
  let isPositive = (run[1] ?? 0) >= 0;
  for (let at = 0; at < run.length; at += 2) {
    const [x, value] = [run[at]!, run[at + 1]!];
    const isHere = value === 0 ? isPositive : value > 0;
    if (at > 0 && isHere !== isPositive) {
      const [lastX, lastValue] = [run[at - 2]!, run[at - 1]!];
      const crossing = lastX + ((x - lastX) * lastValue) / (lastValue - value);
      points.push(crossing, 0);
      parts.push({ isPositive, points });
      points = [crossing, 0];
      isPositive = isHere;
    }
    points.push(x, value);
  }
  if (points.length > 2) parts.push({ isPositive, points });
  return parts;
}

function trace(
  run: Run,
  yOf: (value: number) => number,
  zero: number,
  line: LinesBatch,
  area: AreasBatch,
): void {
  area.points.add2(run[0]!, zero);
  for (let at = 0; at < run.length; at += 2) {
    const y = yOf(run[at + 1]!);
    line.points.add2(run[at]!, y);
    area.points.add2(run[at]!, y);
  }
  area.points.add2(run.at(-2)!, zero);
  line.ends.add(line.points.count);
  area.ends.add(area.points.count);
}
