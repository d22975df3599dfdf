/** Dates as charts write them, in English: Tue 17 Nov. */

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Tue 17 Nov; of the date's UTC day. */
export function dateText(date: Date): string {
  return `${DAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** Of a trading date, YYYYMMDD. */
export function tradingDateText(date: number): string {
  return dateText(
    new Date(Date.UTC(Math.floor(date / 10_000), (Math.floor(date / 100) % 100) - 1, date % 100)),
  );
}

/** 17 Nov; of a trading date. */
export function shortDateText(date: number): string {
  return `${date % 100} ${MONTHS[(Math.floor(date / 100) % 100) - 1] ?? ''}`;
}
