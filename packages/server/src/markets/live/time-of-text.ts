/** Times that a venue sends as text, exactly. */

import { dayNumber, isUtcDay } from '@tapeloom/core/utc-day';
import type { FeedTrade } from './lines/line.ts';
import { FieldError } from './venue-answers.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;
const DATE_CHARACTERS = 10;
/** Of a text without a fraction. */
const WHOLE_CHARACTERS = 20;
const ZERO = 48;

/** The day of the last call, which is nearly always the next one too. */
let lastDate = '';
let lastDay = 0;

/** A text like `2026-08-09T21:05:48.228568804Z`, to the nanosecond. */
export function timeOfText(value: unknown, field: string): Pick<FeedTrade, 'day' | 'ns'> {
  if (typeof value !== 'string' || !INSTANT.test(value)) throw new FieldError(field, value);
  if (!value.startsWith(lastDate) || lastDate === '') {
    const yyyymmdd = Number(value.slice(0, DATE_CHARACTERS).replaceAll('-', ''));
    if (!isUtcDay(yyyymmdd)) throw new FieldError(field, value);
    lastDay = dayNumber(yyyymmdd);
    lastDate = value.slice(0, DATE_CHARACTERS);
  }
  const minutes = twoDigits(value, 11) * 60 + twoDigits(value, 14);
  let ns = minutes * 60 + twoDigits(value, 17);
  for (let decimals = 0; decimals < 9; decimals += 1) {
    const at = WHOLE_CHARACTERS + decimals;
    ns = ns * 10 + (at < value.length - 1 ? value.charCodeAt(at) - ZERO : 0);
  }
  return { day: lastDay, ns };
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}
