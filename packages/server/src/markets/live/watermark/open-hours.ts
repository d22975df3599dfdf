/**
 * The open market hours of a contract, out of its trading sessions. Sessions that follow each other without a pause
 * count as one. Beyond the known sessions a market counts as open, so that a gap is rather too long than too short.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs } from '@tapeloom/core/numbers';
import { later } from '@tapeloom/core/utc-day';

/** The trading days of a contract (kind `full`); null: always open. */
export type OpenHours = Pick<SessionTable, 'atOrAfter'> | null;

export interface Stretch {
  readonly from: EpochNs;
  readonly to: EpochNs;
}

export function isOpenAt(hours: OpenHours, at: EpochNs): boolean {
  return openFrom(hours, at) === at;
}

/** The first open instant from `at` on. */
export function openFrom(hours: OpenHours, at: EpochNs): EpochNs {
  const session = hours?.atOrAfter(at) ?? null;
  return session === null ? at : later(session.open, at);
}

/** The first close after the open instant `at`, if it is not after `until`. */
export function closeAfter(hours: OpenHours, at: EpochNs, until: EpochNs): EpochNs | null {
  for (let from = at; ; ) {
    const session = hours?.atOrAfter(from) ?? null;
    if (session === null) return null;
    // A later session that opens where the previous one closed continues it.
    if (session.open > from) return from;
    if (session.close > until) return null;
    from = session.close;
  }
}

/** The open stretches of [from, to). */
export function openStretches(hours: OpenHours, from: EpochNs, to: EpochNs): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let start = openFrom(hours, from); start < to; ) {
    const close = closeAfter(hours, start, to);
    stretches.push({ from: start, to: close ?? to });
    if (close === null) break;
    start = openFrom(hours, close);
  }
  return stretches;
}
