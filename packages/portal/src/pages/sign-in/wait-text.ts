/** How long to wait before a refused request may be made again, as a sentence. */

export function waitText(seconds: number | null): string {
  if (seconds === null) return 'Try again later.';
  if (seconds < 90) return `Try again in ${seconds} s.`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 90) return `Try again in ${minutes} minutes.`;
  return `Try again in ${Math.ceil(minutes / 60)} hours.`;
}
