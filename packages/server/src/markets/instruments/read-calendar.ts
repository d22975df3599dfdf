/**
 * The format of calendars in an operator's file. A pause inside a trading day is not written, because nothing trades in
 * it. Hours whose open is at or after their close open on the evening before.
 */

import type {
  Calendar,
  SessionHours,
  SpecialHours,
  WeeklyHours,
} from '@tapeloom/core/calendar/calendar';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { SPECIAL_DAY_NAMES, type SpecialDay } from '@tapeloom/core/calendar/special-days';
import type { LocalTime } from '@tapeloom/core/calendar/zoned-instant';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, isUtcDay, utcDay } from '@tapeloom/core/utc-day';
import { didYouMean } from '../../config/nearest-name.ts';
import type { Fields, Reading } from './reading.ts';

const HOURS_MAX = 64;
const HOLIDAY_LINES_MAX = 500;
const DAYS_OF_LINE_MAX = 500;
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const EVERY_WEEKDAY = [1, 2, 3, 4, 5, 6, 7];
const TIME = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;
const YEARLY_DATE = /^(\d{2})-(\d{2})$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** A year with all clock changes, used to test hours without a begin. */
const TRIED_FROM = utcDay(20240101);
const TRIED_DAYS = 370;
const UTC_HOURS: SessionHours = { zone: 'UTC', openDayOffset: 0, open: '00:00', close: '24:00' };

/** The calendars that `extends` may name. */
export interface CalendarTemplates {
  readonly names: readonly string[];
  get(name: string): Calendar | null;
}

export function readCalendar(
  reading: Reading,
  name: string,
  templates: CalendarTemplates,
): Calendar {
  const fields = reading.fields(['extends', 'zone', 'hours', 'holidays']);
  const base = fields.optional('extends', (field) => readTemplate(field, templates)) ?? null;
  const zone = fields.optional('zone', readZone);
  const lines = fields.optional('hours', (field) =>
    field.list(HOURS_MAX).map((line) => readHours(line, zone)),
  );
  if (lines === undefined && base === null) reading.fault('lacks "hours", or "extends"');
  const own = fields.optional('holidays', (field) =>
    field.list(HOLIDAY_LINES_MAX).map(readSpecial),
  );
  const calendar: Calendar = {
    name,
    hours: lines ?? base?.hours ?? [],
    // The first line with a date decides it, so an operator's lines override a template.
    special: [...(own ?? []), ...(base?.special ?? [])],
  };
  if (!reading.hasFaults) tryCalendar(reading, calendar);
  return calendar;
}

/** A wall time that is checked; `24:00` ends the day. */
export function readTime(reading: Reading): LocalTime {
  const text = reading.text('a time as "17:00"');
  if (text !== '' && !TIME.test(text)) reading.refuse('a time as "17:00"');
  return TIME.test(text) ? (text as LocalTime) : '00:00';
}

export function readZone(reading: Reading): string {
  const text = reading.text('a zone as America/Chicago');
  if (isZone(text)) return text;
  if (text !== '') reading.refuse('an IANA zone as America/Chicago');
  return 'UTC';
}

function readTemplate(reading: Reading, templates: CalendarTemplates): Calendar | null {
  const name = reading.text('the name of a calendar');
  const template = templates.get(name);
  if (template === null && name !== '') {
    const near = didYouMean(name, templates.names);
    reading.fault(`names no calendar.${near || ` There are ${templates.names.join(', ')}.`}`);
  }
  return template;
}

function readHours(reading: Reading, zone: string | undefined): WeeklyHours {
  const fields = reading.fields(['weekdays', 'open', 'close', 'zone', 'day', 'from', 'to']);
  const full = readOpenClose(fields, zone);
  const rth = fields.optional('day', (field) =>
    readOpenClose(field.fields(['open', 'close', 'zone']), full.zone),
  );
  const from = fields.optional('from', (field) => field.date());
  const to = fields.optional('to', (field) => field.date());
  if (from !== undefined && to !== undefined && from > to) reading.fault('ends before it begins');
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    weekdays: fields.required('weekdays', EVERY_WEEKDAY, readWeekdays),
    full,
    rth: rth ?? full,
  };
}

function readOpenClose(fields: Fields, outerZone: string | undefined): SessionHours {
  const zone = fields.optional('zone', readZone) ?? outerZone;
  if (zone === undefined) fields.whole.fault('lacks "zone", and so does its calendar');
  const open = fields.required('open', UTC_HOURS.open, readTime);
  const close = fields.required('close', UTC_HOURS.close, readTime);
  return { zone: zone ?? 'UTC', openDayOffset: open < close ? 0 : -1, open, close };
}

/** `mon-fri`, `sat`, or a list of these. */
function readWeekdays(reading: Reading): number[] {
  const weekdays = reading.texts(WEEKDAYS.length).flatMap((field) => {
    const text = field.text('weekdays as mon-fri');
    const [first, last = first] = text
      .split('-')
      .map((name) => WEEKDAYS.indexOf(name as (typeof WEEKDAYS)[number]) + 1);
    const isRange = text.split('-').length <= 2 && first! > 0 && last! >= first!;
    if (!isRange && text !== '') field.refuse(`weekdays as mon-fri (${WEEKDAYS.join(' ')})`);
    return isRange ? EVERY_WEEKDAY.slice(first! - 1, last) : [];
  });
  return [...new Set(weekdays)].sort((a, b) => a - b);
}

function readSpecial(reading: Reading): SpecialHours {
  const fields = reading.fields(['days', 'close', 'day', 'years', 'on']);
  const rth = fields.optional('day', (field) => readTimeOr(field, ['none']));
  const years = fields.optional('years', readYears);
  const isOnFriday = fields.optional('on', (field) => field.oneOf(['friday']));
  return {
    days: fields.required('days', [], (field) => field.texts(DAYS_OF_LINE_MAX).map(readDay)),
    close: fields.required('close', 'closed', (field) => readTimeOr(field, ['closed', 'normal'])),
    ...(rth === undefined ? {} : { rth }),
    ...(years === undefined ? {} : { years }),
    ...(isOnFriday === undefined ? {} : { onFriday: true }),
  };
}

function readTimeOr<const Word extends string>(
  reading: Reading,
  words: readonly Word[],
): LocalTime | Word {
  const text = reading.text();
  const word = words.find((it) => it === text);
  if (word !== undefined) return word;
  if (TIME.test(text)) return text as LocalTime;
  if (text !== '') reading.refuse(`${words.join(', ')} or a time as "12:15"`);
  return '00:00';
}

function readYears(reading: Reading): readonly [number, number] {
  const years = reading.list(2).map((field) => field.whole(1970, 2200));
  const [first = 1970, last = first] = years;
  if (years.length !== 2 || first > last) reading.refuse('a first and a last year as [2020, 2023]');
  return [first, last];
}

function readDay(reading: Reading): SpecialDay {
  const text = reading.text('a day');
  const name = SPECIAL_DAY_NAMES.find((it) => it === text);
  if (name !== undefined) return name;
  if (DATE.test(text)) return reading.date();
  // 2024 is a leap year, so it has every date of any year.
  const yearly = YEARLY_DATE.exec(text);
  if (yearly !== null && isUtcDay(Number(`2024${yearly[1]}${yearly[2]}`))) {
    return text as SpecialDay;
  }
  if (text === '') return '01-01';
  const near = didYouMean(text, SPECIAL_DAY_NAMES);
  const wanted = near.trim() || `The names are ${SPECIAL_DAY_NAMES.join(', ')}.`;
  reading.fault(
    `is ${JSON.stringify(text)}; a date, a date of every year as 12-24, or a name would do. ${wanted}`,
  );
  return '01-01';
}

/** Resolves the sessions of a year and around every date of a change, to find contradictions. */
function tryCalendar(reading: Reading, calendar: Calendar): void {
  const edges = calendar.hours.flatMap(({ from, to }) => [from, to]);
  const dates = calendar.special.flatMap(({ days }) =>
    days.filter((day) => typeof day === 'number'),
  );
  const around = [...edges, ...dates]
    .filter((day) => day !== undefined)
    .map((day) => [addDays(laterDay(day), -7), addDays(laterDay(day), 7)] as const);
  const starts = [TRIED_FROM, ...calendar.hours.flatMap(({ from }) => from ?? [])];
  const years = starts.map((from) => [from, addDays(from, TRIED_DAYS)] as const);
  for (const [from, to] of [...years, ...around]) {
    try {
      for (const kind of ['full', 'rth'] as const) {
        createSessionTable(resolveSessions(calendar, kind, from, to));
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      reading.fault(`cannot be: ${error.message}`);
      return;
    }
  }
}

/** Keeps the day at least a week after the first representable day. */
function laterDay(day: number): UtcDay {
  return utcDay(Math.max(day, 19700108));
}

function isZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return new Temporal.ZonedDateTime(0n, text).timeZoneId !== '';
  } catch {
    return false;
  }
}
