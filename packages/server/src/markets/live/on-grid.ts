/**
 * A venue's decimal text as a whole number of ticks or lots. It is exact and never rounds: what lies off the grid
 * becomes a fraction, which takes the contract down with the number in the message.
 */

const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/;
const NANO_DECIMALS = 9;

/** Not a number: the text is no decimal number. */
export function onGrid(text: string, unitNanos: number): number {
  const match = DECIMAL.exec(text);
  if (match === null) return Number.NaN;
  const [, sign, whole = '', decimals = '', exponent = '0'] = match;
  const shift = NANO_DECIMALS + Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals);
  const scale = 10n ** BigInt(Math.abs(shift));
  const nanos = shift >= 0 ? digits * scale : digits / scale;
  const unit = BigInt(unitNanos);
  const isExact = nanos % unit === 0n && (shift >= 0 || digits % scale === 0n);
  const units = Number(nanos / unit) + (isExact ? 0 : 0.5);
  return sign === '-' ? -units : units;
}
