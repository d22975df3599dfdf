/** Bytes as people read them. */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** 1536 → "1.5 KiB"; a whole number of a unit has no fraction. */
export function sizeText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  // What would be shown as 1,024 of a unit is 1 of the next.
  while (unit < UNITS.length - 1 && Number(value.toFixed(1)) >= 1_024) {
    value /= 1_024;
    unit += 1;
  }
  const shown = Number(value.toFixed(1)).toLocaleString('en');
  return `${shown} ${bytes === 1 ? 'byte' : UNITS[unit]}`;
}
