/** A drawing in words, for people who hear the chart. */

import { priceText } from '../scene/number-text.ts';
import type { TimeText } from '../scene/scene-types.ts';
import type { Drawing, DrawingPoint } from '../spec/drawing.ts';

const NAMES = {
  line: 'Line',
  trend: 'Trend line',
  rectangle: 'Rectangle',
  measure: 'Measure',
  range: 'Range',
  text: 'Text',
} as const;

export function drawingSentence(drawing: Drawing, time: TimeText, tickSizeNanos: number): string {
  const price = (ticks: number) => priceText(Math.round(ticks), tickSizeNanos);
  const point = ({ ns, ticks }: DrawingPoint) => `${time.clock(BigInt(ns))} at ${price(ticks)}`;
  const name = `${NAMES[drawing.kind]}${drawing.text === '' ? '' : ` “${drawing.text}”`}`;
  const place =
    drawing.kind === 'line'
      ? `at ${price(drawing.ticks)}`
      : drawing.kind === 'text'
        ? point(drawing.at)
        : drawing.kind === 'range'
          ? `from ${time.clock(BigInt(drawing.from.ns))} to ${time.clock(BigInt(drawing.to.ns))}`
          : `from ${point(drawing.from)} to ${point(drawing.to)}`;
  return `${name} ${place}. Arrows move it, F2 names it, Delete removes it.`;
}
