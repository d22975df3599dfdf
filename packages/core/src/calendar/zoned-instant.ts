/**
 * Converts wall time to instants. It rejects a wall time that a clock change skips or repeats, since it names no
 * instant or two; exchanges open and close at neither.
 */

import type { EpochNs, UtcDay } from '../numbers.ts';
import { addDays } from '../utc-day.ts';

/** A wall time `HH:MM`; `24:00` is the midnight at the end of the day. */
export type LocalTime = `${number}:${number}`;

/** The instant at which clocks in an IANA zone show `time` on the local date `date`. */
export function zonedInstant(date: UtcDay, time: LocalTime, zone: string): EpochNs {
  if (time === '24:00') return zonedInstant(addDays(date, 1), '00:00', zone);
  const wall = new Temporal.PlainDateTime(
    Math.trunc(date / 10_000),
    Math.trunc(date / 100) % 100,
    date % 100,
    Number(time.slice(0, 2)),
    Number(time.slice(3)),
  );
  return wall.toZonedDateTime(zone, { disambiguation: 'reject' }).epochNanoseconds as EpochNs;
}
