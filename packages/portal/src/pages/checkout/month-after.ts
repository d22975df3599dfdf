/** The same day of the next month, or its last day, as subscriptions renew. */
export function monthAfter(ms: number): number {
  const start = new Date(ms);
  const month = start.getUTCMonth() + 1;
  const days = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const later = new Date(ms);
  later.setUTCMonth(month, Math.min(start.getUTCDate(), days));
  return later.getTime();
}
