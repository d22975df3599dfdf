/** The session's cumulative delta: a line with its area, one dye above zero and the other below, on its own scale. */

import { type Batch, cells, lines, type PlacedBar } from './chart-batch.ts';
import type { ChartGeometry } from './chart-geometry.ts';

const MARGIN = 9;
const AREA_HEAT = 0.22;

type Point = readonly [x: number, value: number];

export function cumulativeBatches(geometry: ChartGeometry, bars: readonly PlacedBar[]): Batch[] {
  const { width, plotWidth, cumulativeTop, cumulativeHeight, half, columnWidth } = geometry;
  const first = bars[0];
  if (first === undefined) return [];
  const ends = bars.map(({ bar, left }): Point => [left + half, bar.cumulativeDelta]);
  const before: Point = [
    first.left + half - columnWidth,
    first.bar.cumulativeDelta - first.bar.delta,
  ];
  const points = [before, ...ends];
  const values = points.map(([, value]) => value);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values, low + 1);
  const inner = cumulativeHeight - 2 * MARGIN;
  const y = (value: number) => cumulativeTop + MARGIN + ((high - value) / (high - low)) * inner;
  const zero = Math.round(y(0)) + 0.5;
  const batches: Batch[] = [
    { ...cells('line'), rects: [0, cumulativeTop, width, 1] },
    { ...lines('line', 1, 1), lines: [[0, zero, plotWidth, zero]] },
  ];
  for (const { side, run } of signedRuns(points)) {
    const dye = side > 0 ? 'ask' : 'bid';
    const line = run.flatMap(([x, value]) => [x, y(value)]);
    const [start, end] = [run[0]![0], run.at(-1)![0]];
    batches.push(
      { kind: 'shapes', dye, heat: AREA_HEAT, shapes: [[start, zero, ...line, end, zero]] },
      { ...lines(dye, 1, 1.75), lines: [line] },
    );
  }
  return batches;
}

/** Splits a line at its zero crossings: each run lies on one side, and starts where the previous one ends. */
export function signedRuns(
  points: readonly Point[],
): { readonly side: -1 | 1; readonly run: readonly Point[] }[] {
  const runs: { side: -1 | 1; run: Point[] }[] = [];
  let run: Point[] = [];
  let side: -1 | 1 = 1;
  for (const [index, [x, value]] of points.entries()) {
    const here: -1 | 1 = value < 0 ? -1 : value > 0 ? 1 : side;
    if (index === 0) side = value < 0 ? -1 : 1;
    else if (here !== side) {
      const [lastX, lastValue] = points[index - 1]!;
      const crossing: Point = [lastX + ((x - lastX) * lastValue) / (lastValue - value), 0];
      runs.push({ side, run: [...run, crossing] });
      run = [crossing];
      side = here;
    }
    run.push([x, value]);
  }
  return run.length > 1 ? [...runs, { side, run }] : runs;
}
