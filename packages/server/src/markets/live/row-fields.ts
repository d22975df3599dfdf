/** The fields of a venue's row of a trade, exactly: what is missing or malformed is an error that names the field. */

import { dayNumber, isUtcDay } from '@tapeloom/core/utc-day';
import type { FeedTrade } from './lines/line.ts';
import { onGrid } from './on-grid.ts';
import { decimalOf, FieldError } from './venue-answers.ts';

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/;

/** A decimal in ticks or lots. A fraction is off the grid, which is not the reader's to judge. */
export function unitsOf(value: unknown, field: string, unitNanos: number): number {
  const units = onGrid(decimalOf(value, field), unitNanos);
  if (Number.isNaN(units)) throw new FieldError(field, value);
  return units;
}

/** The day of the last call, which is nearly always the next one too. */
let lastDate = '';
let lastDay = 0;

/** A text like `2026-08-09T21:05:48.228568804Z`, to the nanosecond. */
export function timeOfText(value: unknown, field: string): Pick<FeedTrade, 'day' | 'ns'> {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  if (match === null) throw new FieldError(field, value);
  const [text, year, month, date, hours, minutes, seconds, fraction = ''] = match;
  const day = text.slice(0, 10);
  if (day !== lastDate) {
    const yyyymmdd = Number(`${year}${month}${date}`);
    if (!isUtcDay(yyyymmdd)) throw new FieldError(field, value);
    lastDay = dayNumber(yyyymmdd);
    lastDate = day;
  }
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  if (hour > 23 || minute > 59 || second > 59) throw new FieldError(field, value);
  const wholeSeconds = (hour * 60 + minute) * 60 + second;
  return { day: lastDay, ns: wholeSeconds * 1e9 + Number(fraction.padEnd(9, '0')) };
}
