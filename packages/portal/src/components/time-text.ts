/** Renders instants in UTC, labelled so, with the reader's local time beside it if different; to the second at most. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LOCALE = 'en-GB';
const CLOCK: Intl.DateTimeFormatOptions = {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
};

/** Milliseconds of an API instant. */
export function millisecondsOf(instant: string): number {
  return Number(BigInt(instant) / 1_000_000n);
}

/** `15 Nov 2026` */
export function dayText(ms: number, timeZone = 'UTC'): string {
  return parts(ms, timeZone, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The UTC day of an API instant. */
export function dayOf(instant: string): string {
  return dayText(millisecondsOf(instant));
}

/** `15 Nov 2026, 09:41` */
export function minuteText(ms: number, timeZone = 'UTC'): string {
  return `${dayText(ms, timeZone)}, ${clockText(ms, timeZone)}`;
}

/** `15 Nov 2026, 09:41 UTC (10:41 in Berlin)`; the second part only if it differs. */
export function bothTimesText(ms: number, localZone: string): string {
  const utc = `${minuteText(ms)} UTC`;
  const [utcDay, localDay] = [dayText(ms), dayText(ms, localZone)];
  const localClock = clockText(ms, localZone);
  if (utcDay === localDay && localClock === clockText(ms, 'UTC')) return utc;
  const local = utcDay === localDay ? localClock : `${localDay}, ${localClock}`;
  return `${utc} (${local} ${placeOf(localZone)})`;
}

/** `2 min ago`, `in 5 h`, `Yesterday, 18:02 UTC`, `14 Nov 2026`: by distance if near, by date if far. */
export function relativeText(ms: number, nowMs: number): string {
  const away = Math.abs(nowMs - ms);
  const isPast = ms <= nowMs;
  if (away < MINUTE_MS) return isPast ? 'Just now' : 'In less than a minute';
  if (away < DAY_MS) {
    const text =
      away < HOUR_MS ? `${Math.floor(away / MINUTE_MS)} min` : `${Math.floor(away / HOUR_MS)} h`;
    return isPast ? `${text} ago` : `In ${text}`;
  }
  if (isPast && dayText(ms) === dayText(nowMs - DAY_MS)) {
    return `Yesterday, ${clockText(ms, 'UTC')} UTC`;
  }
  return dayText(ms);
}

/** `14:03:22`, on another day `18 Nov 2026, 14:03:22`: to tell instants apart that are seconds apart. */
export function secondText(ms: number, nowMs: number, timeZone: string): string {
  const clock = parts(ms, timeZone, { ...CLOCK, second: '2-digit' });
  const day = dayText(ms, timeZone);
  return day === dayText(nowMs, timeZone) ? clock : `${day}, ${clock}`;
}

function clockText(ms: number, timeZone: string): string {
  return parts(ms, timeZone, CLOCK);
}

function parts(ms: number, timeZone: string, options: Intl.DateTimeFormatOptions): string {
  // British English abbreviates September as "Sept"; every other month has three letters.
  return new Intl.DateTimeFormat(LOCALE, { ...options, timeZone })
    .format(ms)
    .replace('Sept', 'Sep');
}

/** `Europe/Berlin` → `in Berlin`; `Etc/GMT+3` would mean nothing to a reader. */
function placeOf(timeZone: string): string {
  const city = /^(?!Etc\/)[A-Za-z_]+\/(?:.*\/)?([A-Za-z_-]+)$/.exec(timeZone)?.[1];
  return city === undefined ? 'your time' : `in ${city.replaceAll('_', ' ')}`;
}
