/** Renders byte counts for people. */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** 1536 → "1.5 KiB"; whole numbers have no fraction. */
export function sizeText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  // A value that would round to 1,024 of a unit is 1 of the next.
  while (unit < UNITS.length - 1 && Number(value.toFixed(1)) >= 1_024) {
    value /= 1_024;
    unit += 1;
  }
  const shown = Number(value.toFixed(1)).toLocaleString('en');
  return `${shown} ${bytes === 1 ? 'byte' : UNITS[unit]}`;
}
