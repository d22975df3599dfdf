/**
 * Branded numbers: plain numbers at run time, distinct types for the compiler, so that a price is never added to a
 * volume by mistake. Each constructor asserts the range. Hot loops use typed arrays and brand only at their edges.
 */

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** A price as a whole number of the contract's tick size. May be negative (crude oil, spreads). */
export type Ticks = Branded<number, 'Ticks'>;
/** A volume as a whole number of lots. */
export type Lots = Branded<number, 'Lots'>;
/** Position of a trade within its contract and UTC day: 1, 2, 3 …; 0 is the day's midnight entry. */
export type Rank = Branded<number, 'Rank'>;
/** A calendar day in UTC, written YYYYMMDD (20261113). */
export type UtcDay = Branded<number, 'UtcDay'>;
/** Nanoseconds since the midnight of a UTC day; exact in a double for more than 100 days. */
export type NsOfDay = Branded<number, 'NsOfDay'>;
/** Nanoseconds since 1970-01-01 UTC. A bigint, for interfaces and files; never used in a hot loop. */
export type EpochNs = Branded<bigint, 'EpochNs'>;

export const TICKS_MAX = 2 ** 31 - 1;
export const LOTS_MAX = 2 ** 31 - 1;
export const RANK_MAX = 2 ** 32 - 1;

export function ticks(value: number): Ticks {
  return whole(value, -TICKS_MAX - 1, TICKS_MAX, 'ticks') as Ticks;
}

export function lots(value: number): Lots {
  return whole(value, 0, LOTS_MAX, 'lots') as Lots;
}

export function rank(value: number): Rank {
  return whole(value, 0, RANK_MAX, 'rank') as Rank;
}

function whole(value: number, least: number, most: number, what: string): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${what} must be a whole number from ${least} to ${most}, got ${value}`);
  }
  return value;
}
