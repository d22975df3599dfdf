/** The values of the tape's speed beside its pane. */

import type { Frame } from './frame.ts';
import { bigValue, nameAt, valueAt } from './names-column.ts';
import { countText } from './number-text.ts';
import { speedOf } from './speed-pane.ts';

/** Below the name, whose middle is at `first`. */
export function paintSpeedName(frame: Frame, first: number, line: number, column: number): void {
  const speed = speedOf(frame, column);
  if (speed === null) return;
  bigValue(frame, `${rateText(speed.rate)} /s`, 'ink', first + line + 2);
  if (frame.layout.side === null) return;
  nameAt(frame, 'average', first + 2 * line + 4);
  valueAt(frame, `${rateText(speed.average)} /s`, 'muted', first + 2 * line + 4);
}

/** Three figures are enough. */
function rateText(rate: number): string {
  return rate >= 100 ? countText(rate) : rate.toFixed(1);
}
