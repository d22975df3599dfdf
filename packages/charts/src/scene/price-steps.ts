/** Round prices for grid and axis: far enough apart for their labels, and the same whatever is on screen. */

import type { Frame } from './frame.ts';
import { ticksAtY } from './window.ts';

const DISTANCE_PX = 44;
/** Of a power of ten; 2.5 only where the tick divides it. */
const ROUND = [1, 2, 2.5, 5];
const TICK_STEPS = [1, 2, 4, 8, 16];
const STEPS_MAX = 200;

/** Prices in ticks, ascending. */
export function priceSteps(frame: Frame): number[] {
  const { layout, window } = frame;
  const distance = DISTANCE_PX * Math.max(1, frame.input.textScale * 0.7);
  const step = stepOf(frame.tickSizeNanos, distance / window.tickHeight);
  const { y, height } = layout.main;
  const low = ticksAtY(window, layout, y + height);
  const high = ticksAtY(window, layout, y);
  const steps: number[] = [];
  const first = Math.ceil(low / step);
  for (let at = first; at * step <= high && at - first < STEPS_MAX; at += 1) steps.push(at * step);
  return steps;
}

/** The least round step of at least so many ticks. */
export function stepOf(tickSizeNanos: number, least: number): number {
  const small = TICK_STEPS.find((ticks) => ticks >= least);
  let round = Number.POSITIVE_INFINITY;
  for (let power = 1; power < 1e21 && round === Number.POSITIVE_INFINITY; power *= 10) {
    for (const factor of ROUND) {
      const ticks = (factor * power) / tickSizeNanos;
      if (ticks >= least && Number.isInteger(ticks)) {
        round = ticks;
        break;
      }
    }
  }
  // A tick such as 1/32 has few round prices; then steps of ticks are finer.
  if (small !== undefined && (small < round / 2 || round === Number.POSITIVE_INFINITY)) {
    return small;
  }
  return Number.isFinite(round) ? round : Math.ceil(least);
}
