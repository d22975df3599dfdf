/** A wait in people's words: `4 seconds`, `10 minutes`, `23 hours`. Never shorter than it is. */

const UNITS = [
  { name: 'day', seconds: 86_400, from: 172_800 },
  { name: 'hour', seconds: 3_600, from: 5_400 },
  { name: 'minute', seconds: 60, from: 90 },
  { name: 'second', seconds: 1, from: 0 },
] as const;

export function waitText(seconds: number): string {
  const { name, seconds: size } = UNITS.find(({ from }) => seconds > from) ?? UNITS[3];
  const count = Math.max(1, Math.ceil(seconds / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
