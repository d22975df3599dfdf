/**
 * Known futures by the root of their symbol: tick size and exchange calendar. Products beyond the built-in ones follow
 * their exchange's specifications (CME Group). For all others the tick is derived from their trades.
 */

import { MONTH_LETTERS, PRODUCTS } from '@tapeloom/core/instrument/product';

export interface KnownRoot {
  readonly root: string;
  readonly tickSizeNanos: number;
  readonly calendar: string;
}

const MORE: readonly (readonly [root: string, tickSizeNanos: number, calendar: string])[] = [
  ['MES', 250_000_000, 'cme-equity'],
  ['MNQ', 250_000_000, 'cme-equity'],
  ['YM', 1_000_000_000, 'cme-equity'],
  ['RTY', 100_000_000, 'cme-equity'],
  ['MCL', 10_000_000, 'cme-energy'],
  ['NG', 1_000_000, 'cme-energy'],
  ['SI', 5_000_000, 'cme-metals'],
  ['HG', 500_000, 'cme-metals'],
  ['ZB', 31_250_000, 'cme-rates'],
  ['ZF', 7_812_500, 'cme-rates'],
  ['ZT', 3_906_250, 'cme-rates'],
  ['6B', 100_000, 'cme-fx'],
  ['6J', 500, 'cme-fx'],
  // Replaces the simulated product, which trades round the clock.
  ['BTC', 5_000_000_000, 'cme-crypto'],
  ['MBT', 5_000_000_000, 'cme-crypto'],
  ['ETH', 500_000_000, 'cme-crypto'],
  ['MET', 500_000_000, 'cme-crypto'],
];

const ROOTS: ReadonlyMap<string, KnownRoot> = new Map(
  [
    ...PRODUCTS,
    ...MORE.map(([root, tickSizeNanos, calendar]) => ({ root, tickSizeNanos, calendar })),
  ].map(({ root, tickSizeNanos, calendar }) => [root, { root, tickSizeNanos, calendar }]),
);

/** Contract symbols of vendors: `ESH6`, `ESH26`, `ES_H2026`; `ES 03-26`; `ES 202603`; `ES.c.0`. */
const FORMS: readonly RegExp[] = [
  new RegExp(`^([A-Z0-9]{1,4}?)_?[${MONTH_LETTERS}](?:\\d{1,2}|20\\d{2})$`),
  /^([A-Z0-9]{1,4}) (?:\d{2}-\d{2}|\d{6}|\d{8})$/,
  /^([A-Z0-9]{1,4})\.[cvn]\.\d+$/,
];
/** The suffix of Sierra Chart and others. */
const EXCHANGE = /[-_](?:FUT_)?(?:CME|CBOT|NYMEX|COMEX)$/;

export const KNOWN_ROOTS: readonly string[] = [...ROOTS.keys()];

export function rootNamed(root: string): KnownRoot | null {
  return ROOTS.get(root) ?? null;
}

/** Null for any other symbol. */
export function knownRoot(symbol: string): KnownRoot | null {
  const plain = symbol.replace(EXCHANGE, '');
  for (const form of FORMS) {
    const root = form.exec(plain)?.[1];
    if (root !== undefined && ROOTS.has(root)) return ROOTS.get(root)!;
  }
  return null;
}
