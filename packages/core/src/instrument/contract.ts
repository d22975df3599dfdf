/** Contracts, and the aliases that designate contracts over time. */

import type { EpochNs, UtcDay } from '../numbers.ts';

/** What all contracts of a product have in common. */
export interface ContractTerms {
  /** The product's own letters: `ES`. */
  readonly root: string;
  readonly name: string;
  readonly exchange: string;
  readonly currency: string;
  /** Size of one tick in 1e-9 of the price unit. */
  readonly tickSizeNanos: number;
  /** Size of one lot in 1e-9 of a contract. */
  readonly lotSizeNanos: number;
  /** Value of a full point of price of one contract, in 1e-9 of the currency. */
  readonly pointValueNanos: number;
}

export interface Contract extends ContractTerms {
  /** Case-sensitive name, unique in its dataset: `ESZ6`. */
  readonly symbol: string;
  readonly dataset: string;
  readonly calendar: string;
  readonly expiresAt: EpochNs;
}

/** From 00:00 UTC of `from` on, the alias means `symbol`, until the next designation. */
export interface Designation {
  readonly from: UtcDay;
  readonly symbol: string;
}

export interface Alias {
  /** Root, rule and rank: `ES.c.0` (calendar rule) or `CL.v.0` (volume rule). */
  readonly alias: string;
  readonly dataset: string;
  readonly root: string;
  /** Past and planned, ascending by `from`. */
  readonly rolls: readonly Designation[];
}
