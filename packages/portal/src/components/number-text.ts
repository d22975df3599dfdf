/** Renders numbers: exact in tables, short in prose, and money in its currency's format. */

const grouped = new Intl.NumberFormat('en');
const GIB = 1_073_741_824;
const MIB = 1_048_576;
const WORDS = [
  { from: 1e9, word: 'billion' },
  { from: 1e6, word: 'million' },
] as const;

/** `10,904,118,220` */
export function exactNumber(value: number): string {
  return grouped.format(value);
}

/** `1 day`, `1,200 days` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${exactNumber(count)} ${count === 1 ? one : many}`;
}

/** `12.42 billion`; below a million it is exact. */
export function proseNumber(value: number): string {
  const scale = WORDS.find(({ from }) => value >= from);
  return scale === undefined ? exactNumber(value) : `${short(value / scale.from)} ${scale.word}`;
}

/** `6.81 GiB`, `12 MiB`; below a mebibyte in bytes. */
export function bytesText(bytes: number): string {
  if (bytes >= GIB) return `${short(bytes / GIB)} GiB`;
  if (bytes >= MIB) return `${short(bytes / MIB)} MiB`;
  return bytes === 0 ? '0 GiB' : `${exactNumber(bytes)} bytes`;
}

/** `62%`. A share below 1 never shows as 100%, and one above 0 never as 0%. */
export function percentText(share: number): string {
  const percent = Math.round(share * 100);
  if (share > 0 && percent === 0) return '<1%';
  return `${share < 1 ? Math.min(percent, 99) : percent}%`;
}

/** `€79.00`, from minor units; the currency determines how many make one unit. */
export function moneyText(amountMinor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amountMinor / 10 ** digits);
}

/** Two decimals, rounded down, without trailing zeros: a budget never looks used up early. */
export function short(value: number): string {
  return grouped.format(Math.floor(value * 100) / 100);
}
