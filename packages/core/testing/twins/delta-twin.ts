/** The naive twin of cumulative delta: sums all earlier trades of the session again for each bar. */

import { type BarParams, barTwin, type Part } from './bar-twin.ts';
import type { TwinTape, TwinUpdate } from './twin-tape.ts';

export function deltaTwin(tape: TwinTape, params: BarParams): TwinUpdate[] {
  return barTwin(tape, params, ({ parts }, _end, earlier) => {
    const open = deltaOf(earlier);
    const values = [open, ...parts.map((_, index) => open + deltaOf(parts.slice(0, index + 1)))];
    return {
      open,
      high: Math.max(...values),
      low: Math.min(...values),
      close: values.at(-1),
      volume: parts.reduce((all, part) => all + part.size, 0),
    };
  });
}

function deltaOf(parts: readonly Part[]): number {
  return parts.reduce((all, part) => all + part.size * part.side, 0);
}
