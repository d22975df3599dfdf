/** The service's past state in words, for pages with and without scripts. */

import type { IncidentCause, PastDayState, StatusDay } from './status-history.ts';

const CAUSES: Readonly<Record<IncidentCause, string>> = {
  feed: 'Some instruments had no data from the exchange feed.',
  engine: 'No results were computed.',
  accounts: 'Keys could not be checked: requests and new connections failed.',
  stopped: 'The service was not running.',
};

export const PAST_DAY_WORDS: Readonly<Record<PastDayState, string>> = {
  up: 'Up',
  partial: 'Partly down',
  down: 'Down for a time',
  none: 'No record',
};

export function causeText(cause: IncidentCause): string {
  // A newer service may send a cause that this page does not know.
  return CAUSES[cause] ?? 'The service was not whole.';
}

type Seconds = Pick<StatusDay, 'recordedSeconds' | 'downSeconds'>;

/** `99.98%`, rounded down: only without any downtime it is 100%. Null: nothing was recorded. */
export function uptimeText(days: readonly Seconds[]): string | null {
  const sum = (of: keyof Seconds) => days.reduce((total, day) => total + day[of], 0);
  const recorded = sum('recordedSeconds');
  if (recorded === 0) return null;
  const down = sum('downSeconds');
  if (down === 0) return '100%';
  return `${(Math.floor(((recorded - down) / recorded) * 10_000) / 100).toFixed(2)}%`;
}

/** `40 seconds`, `5 minutes`, `2 h 10 min`, `3 days 4 h` */
export function lengthText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  if (minutes < 120) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0
    ? `${Math.floor(hours / 24)} days`
    : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}
