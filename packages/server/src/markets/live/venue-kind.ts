/** What the service knows of a venue before it connects: its addresses, its contracts, and how to open its port. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Venue } from './feed.ts';
import type { Network } from './network.ts';

/** `stream`: without a path at the end that names contracts. `rest`: of the requests. */
export interface VenueAddresses {
  readonly stream: string;
  readonly rest: string;
}

/** Without a query, and without a password: `fetch` repeats an address with one in its error, which is logged. */
export function isVenueAddress(text: string, protocol: RegExp): boolean {
  const url = URL.parse(text);
  if (url === null || !protocol.test(url.protocol)) return false;
  return `${url.username}${url.password}${url.search}${url.hash}` === '';
}

export interface VenueSettings {
  readonly addresses: VenueAddresses;
  /** The secret of an account at the venue; null: none is needed. */
  readonly key: string | null;
  /** For a venue that serves several: `GLBX.MDP3`. */
  readonly venueDataset: string | null;
}

/** A contract as its venue describes it. Decimals are texts. */
export interface VenueContract {
  /** The venue's name for it. */
  readonly venueSymbol: string;
  readonly kind: 'perpetual' | 'future' | 'spot';
  /** The product that it belongs to: `BTCUSDT`, `ES`. Contracts of one root have the same terms but the expiry. */
  readonly root: string;
  /** For people: `BTCUSDT perpetual`. */
  readonly title: string;
  /** What a size is counted in besides contracts: `BTC`. Empty: unknown. */
  readonly base: string;
  /** The currency of the price. */
  readonly currency: string;
  readonly tick: string;
  readonly lot: string;
  /** The value of a full point of price for a size of 1, in the currency. Of an inverse contract: `1`. */
  readonly pointValue: string;
  /** A contract is a fixed amount of the price's currency, so that its size in the base depends on the price. */
  readonly isInverse: boolean;
  /** Null: never. */
  readonly expiresAt: EpochNs | null;
  /** Null: it is traded. Otherwise why not. */
  readonly notTraded: string | null;
  /** A calendar of ours; null: always open. */
  readonly calendar: string | null;
}

export interface VenueKind {
  /** As in `live: { feed: binance-usdm }`. */
  readonly name: string;
  /** For people: `Binance USD-M futures`. */
  readonly title: string;
  /** For `exchange` in the file of instruments: `BINANCE`. */
  readonly exchange: string;
  /** Kinds of the same group share one budget, because the venue counts their requests together. */
  readonly budgetGroup: string;
  /** The venue's own, which an operator may replace. */
  readonly addresses: VenueAddresses;
  readonly needsKey: boolean;
  /** The default where the venue serves several datasets; null: it does not. */
  readonly venueDataset: string | null;
  /** How long its trades may be on their way to us. */
  readonly graceMs: number;
  /** Whether its numbers, or a repeated stream, prove that nothing is missing. */
  readonly provesCompleteness: boolean;
  /** An empty tape can begin in the past: its trades can be requested, or repeated, from a time on. */
  readonly beginsEarlier: boolean;
  /** Symbols for examples and for the doctor, the most traded first. */
  readonly examples: readonly string[];
  open(settings: VenueSettings): Venue;
  /**
   * Reads the descriptions of these contracts, in their order. Rejects with a `VenueError`, also if one of them does
   * not exist: then the message names the nearest.
   */
  contracts(
    network: Network,
    settings: VenueSettings,
    venueSymbols: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly VenueContract[]>;
}

/** The venue cannot be asked, or its answer cannot be used. The message is for the operator and names the address. */
export class VenueError extends Error {
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTemporary = isTemporary;
  }
}
