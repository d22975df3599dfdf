/** What is left of the forming bar: time, trades or lots, as its kind counts. */

import { countText } from '../scene/number-text.ts';
import type { ChartBar } from '../series/chart-bar.ts';
import type { BarChoice } from '../spec/chart-spec.ts';

const NS_PER_SECOND = 1_000_000_000;
/** A bar this long after its end has no more trades: nothing is counted. */
const OVERDUE_SECONDS = 5;

/**
 * Null: nothing to count. `nowNs` is the time of the tape. `closeNs` is the end of the session, which shortens the
 * last bar.
 */
export function countdownText(
  { kind, size }: BarChoice,
  bar: ChartBar | null,
  nowNs: bigint | null,
  closeNs: bigint | null,
): string | null {
  if (bar === null || bar.isFinal) return null;
  if (kind === 'tick') return leftText(size - bar.trades);
  if (kind === 'volume') return leftText(size - bar.volume);
  if (kind !== 'time' || nowNs === null) return null;
  const fullNs = bar.fromNs + BigInt(Math.round(size * NS_PER_SECOND));
  const endNs = closeNs !== null && closeNs > bar.fromNs && closeNs < fullNs ? closeNs : fullNs;
  const seconds = Math.ceil(Number(endNs - nowNs) / NS_PER_SECOND);
  if (seconds < -OVERDUE_SECONDS || seconds > size) return null;
  return clockText(Math.max(0, seconds));
}

function leftText(count: number): string | null {
  return count > 0 ? `${countText(count)} left` : null;
}

function clockText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
