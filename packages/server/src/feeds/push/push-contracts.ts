/**
 * The contracts of one batch: each is looked up once, and its decimal prices and sizes become whole ticks and lots,
 * exactly or not at all.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayFromNumber } from '@tapeloom/core/utc-day';
import { POWERS } from '../decimals.ts';

const NANO_DECIMALS = 9;

/** What a batch must know of a contract. */
export interface PushedContract {
  readonly symbol: string;
  readonly tickSizeNanos: number;
  readonly lotSizeNanos: number;
}

export interface PushRules {
  /** The contract as listed for trades of this day; null: the dataset has none. */
  contract(symbol: string, day: UtcDay): PushedContract | null;
  /** Later trades are refused. */
  readonly latest: EpochNs;
}

/** A contract in one batch. */
export interface BatchContract {
  readonly index: number;
  readonly symbol: string;
  /** As ASCII, to compare with a body's bytes. */
  readonly bytes: Uint8Array;
  readonly terms: PushedContract;
  /** The last day for which it was found, in days since 1970. */
  day: number;
  lastId: number;
  count: number;
}

export class BatchContracts {
  readonly list: BatchContract[] = [];
  readonly #rules: PushRules;
  readonly #bySymbol = new Map<string, BatchContract>();

  constructor(rules: PushRules) {
    this.#rules = rules;
  }

  /** Null: the dataset has no such contract on that day. */
  find(symbol: string, day: number): BatchContract | null {
    const known = this.#bySymbol.get(symbol);
    if (known?.day === day) return known;
    const terms = this.#rules.contract(symbol, dayFromNumber(day));
    if (terms === null) return null;
    if (known !== undefined) {
      known.day = day;
      return known;
    }
    const bytes = new TextEncoder().encode(symbol);
    const index = this.list.length;
    const added = { index, symbol, bytes, terms, day, lastId: -1, count: 0 };
    this.list.push(added);
    this.#bySymbol.set(symbol, added);
    return added;
  }
}

/** How many units of `unitNanos` the number `mantissa` · 10^-`decimals` is; NaN unless it is a whole multiple. */
export function unitsOf(mantissa: number, decimals: number, unitNanos: number): number {
  if (decimals > NANO_DECIMALS) return mantissa === 0 ? 0 : Number.NaN;
  const nanos = mantissa * POWERS[NANO_DECIMALS - decimals]!;
  // Below 2^53 every product and quotient here is exact.
  if (nanos > Number.MAX_SAFE_INTEGER || nanos < Number.MIN_SAFE_INTEGER) {
    const exact = BigInt(mantissa) * 10n ** BigInt(NANO_DECIMALS - decimals);
    const unit = BigInt(unitNanos);
    return exact % unit === 0n ? Number(exact / unit) : Number.NaN;
  }
  const units = Math.round(nanos / unitNanos);
  return units * unitNanos === nanos ? units : Number.NaN;
}
