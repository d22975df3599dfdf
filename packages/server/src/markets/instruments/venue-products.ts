/** Turns contracts as a venue describes them into products of an operator's file. Numbers stay exact. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { parseDecimalNanos } from '@tapeloom/core/price';
import { type VenueContract, VenueError, type VenueKind } from '../live/venue-kind.ts';

const ROUND_THE_CLOCK = 'round-the-clock';
const DECIMAL = /^(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/;

/** What all contracts of a product have in common. Decimals are in 1e-9. */
export interface ProductTerms {
  readonly exchange: string;
  readonly currency: string;
  readonly calendar: string;
  readonly lotSizeNanos: number;
  readonly pointValueNanos: number;
}

/** A contract with our symbol, ready to be written. */
export interface WritableContract {
  readonly symbol: string;
  readonly venueSymbol: string;
  readonly root: string;
  /** A product of one contract that never expires. */
  readonly isPerpetual: boolean;
  readonly kind: VenueContract['kind'];
  readonly terms: ProductTerms;
  readonly tickSizeNanos: number;
  readonly expiresAt: EpochNs | null;
  readonly title: string;
  /** Decimals as the file has them. */
  readonly tick: string;
  readonly lot: string;
  readonly pointValue: string;
  readonly isInverse: boolean;
}

/** Throws a `VenueError` if the contract cannot be listed. `calendar`: instead of the venue's. */
export function writableContract(
  kind: Pick<VenueKind, 'name' | 'title' | 'exchange'>,
  contract: VenueContract,
  calendar: string | null,
): WritableContract {
  const { venueSymbol, expiresAt, notTraded } = contract;
  if (notTraded !== null) {
    throw new VenueError(`${kind.title} does not trade ${venueSymbol}: ${notTraded}`, false);
  }
  const decimal = (field: 'tick' | 'lot' | 'pointValue') =>
    plainDecimal(contract[field]) ?? refuse(kind, contract, field);
  const [tick, lot, pointValue] = [decimal('tick'), decimal('lot'), decimal('pointValue')];
  return {
    symbol: symbolAt(venueSymbol, kind.name),
    venueSymbol,
    root: safeText(contract.root),
    isPerpetual: expiresAt === null,
    kind: contract.kind,
    terms: {
      exchange: kind.exchange,
      currency: contract.currency,
      calendar: calendar ?? contract.calendar ?? ROUND_THE_CLOCK,
      lotSizeNanos: Number(parseDecimalNanos(lot)!),
      pointValueNanos: Number(parseDecimalNanos(pointValue)!),
    },
    tickSizeNanos: Number(parseDecimalNanos(tick)!),
    expiresAt,
    title: contract.title,
    tick,
    lot,
    pointValue,
    isInverse: contract.isInverse,
  };
}

/** The fields of a product with only this contract. */
export function productFields(contract: WritableContract): Readonly<Record<string, unknown>> {
  const { exchange, currency, calendar } = contract.terms;
  const { tick, lot, pointValue, symbol, venueSymbol, title, root, isPerpetual } = contract;
  return {
    name: isPerpetual ? title : root,
    exchange,
    currency,
    tick,
    lot,
    pointValue,
    ...inverseField(contract.isInverse),
    calendar,
    ...(isPerpetual
      ? { expiry: 'never', symbol, venueSymbol }
      : { contracts: [contractFields(contract, contract.tickSizeNanos)] }),
  };
}

/** One contract of a list; `tickSizeNanos` is its product's. */
export function contractFields(
  contract: WritableContract,
  tickSizeNanos: number,
): Readonly<Record<string, unknown>> {
  return {
    symbol: contract.symbol,
    name: contract.title,
    expiry: Temporal.Instant.fromEpochNanoseconds(contract.expiresAt!).toString(),
    ...(contract.tickSizeNanos === tickSizeNanos ? {} : { tick: contract.tick }),
    venueSymbol: contract.venueSymbol,
  };
}

/** Written where the format of products knows it. */
function inverseField(isInverse: boolean): { readonly inverse?: boolean } {
  return isInverse ? { inverse: true } : {};
}

/** Names the venue: several venues have a BTCUSDT. */
function symbolAt(venueSymbol: string, venue: string): string {
  return `${safeText(venueSymbol)}.${venue}`;
}

/** Characters that a file name must not have become their numbers. */
function safeText(text: string): string {
  const safe = text.replaceAll(/[^A-Za-z0-9._-]/gu, (it) => `x${it.codePointAt(0)!.toString(16)}`);
  return /^[A-Za-z0-9]/.test(safe) ? safe : `x${safe}`;
}

/** Without an exponent and zeros at its end; null: not above 0, finer than a billionth, or too large. */
function plainDecimal(text: string): string | null {
  const [, whole, decimals = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return null;
  const shift = Number(exponent);
  const digits = `${'0'.repeat(Math.max(0, -shift))}${whole}${decimals}${'0'.repeat(Math.max(0, shift))}`;
  const point = whole.length + Math.max(0, -shift) + shift;
  const front = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const behind = digits.slice(point).replace(/0+$/, '');
  const plain = behind === '' ? front : `${front}.${behind}`;
  const nanos = parseDecimalNanos(plain);
  const isUsable = nanos !== null && nanos > 0n && BigInt(Number(nanos)) === nanos;
  return isUsable ? plain : null;
}

function refuse(
  { title }: Pick<VenueKind, 'title'>,
  contract: VenueContract,
  field: 'tick' | 'lot' | 'pointValue',
): never {
  const shown = JSON.stringify(contract[field]);
  throw new VenueError(
    `${title} describes ${contract.venueSymbol} with the ${field} ${shown}; a decimal above 0 with at most nine places would do`,
    false,
  );
}
