/** The days of a month in weeks from Monday on. Months are written 2026-11, days 2026-11-17. */

/** Null before the first day: its place in the first week. */
export function monthDays(month: string): readonly (string | null)[] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const before = (first.getUTCDay() + 6) % 7;
  const next = new Date(`${nearMonth(month, 1)}-01T00:00:00Z`);
  const count = Math.round((next.getTime() - first.getTime()) / 86_400_000);
  const days = Array.from(
    { length: count },
    (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`,
  );
  return [...Array.from({ length: before }, () => null), ...days];
}

export function nearMonth(month: string, by: 1 | -1): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** November 2026 */
export function monthText(month: string): string {
  const ms = Date.parse(`${month}-15T00:00:00Z`);
  const options = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en-GB', options).format(ms);
}
