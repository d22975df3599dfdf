/** The content of an instruments file as plain values, independent of clock and tape. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Alias, Contract, Designation } from '@tapeloom/core/instrument/contract';
import {
  type DecidedRolls,
  type RollChain,
  rollsOf,
} from '@tapeloom/core/instrument/decided-rolls';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { VenueAddresses } from '../live/venue-kind.ts';

export interface InstrumentsFile {
  readonly datasets: readonly ListedDataset[];
}

/** How the tape of a dataset grows. */
export type LiveFeed = PushedFeed | VenueFeed | CompositeFeed;

interface FeedTerms {
  /** How long trades may be on their way: the watermark stays this far behind the venue's time. */
  readonly graceMs: number;
  /** An outage of this length is recorded as a gap. */
  readonly gapAfterMs: number;
}

/** Other programs send the trades. */
export interface PushedFeed extends FeedTerms {
  readonly source: 'push';
}

/** The service connects to a venue. */
export interface VenueFeed extends FeedTerms {
  readonly source: 'venue';
  /** The name of a kind of venues. */
  readonly venue: string;
  readonly addresses: VenueAddresses;
  /** The file with the secret of an account at the venue; null: none is needed. */
  readonly keyFile: string | null;
  readonly venueDataset: string | null;
  /** How long before its first start the tape begins; 0: with the next trade. */
  readonly backfillMs: number;
}

/** The trades are those of other datasets of the file. */
export interface CompositeFeed {
  readonly source: 'composite';
  /** A member's dataset that stands still for so long is left out. */
  readonly leaveOutAfterMs: number;
}

export interface ListedDataset {
  readonly name: string;
  /** Absent: its days are imported. */
  readonly live?: LiveFeed;
  /** The calendars that its contracts name, each once. */
  readonly calendars: readonly Calendar[];
  /** Product by product, ascending by expiry. */
  readonly contracts: readonly NamedContract[];
  readonly aliases: readonly ListedAlias[];
}

export interface NamedContract {
  readonly contract: Contract;
  /** Further names in imported files; a short name may mean another contract ten years later. */
  readonly names: readonly string[];
  /** The venue's name for it; absent: its symbol, without the name of the feed behind a dot. */
  readonly venueSymbol?: string;
  /** Its size is an amount of money, not of the coin. */
  readonly inverse?: true;
  /** The contracts that a composite is made of, at least two. */
  readonly members?: readonly CompositeMember[];
}

export interface CompositeMember {
  readonly symbol: string;
  readonly dataset: string;
  /** Ticks of the composite in one of the member's. */
  readonly ticks: number;
  /** Lots of the composite in one of the member's. */
  readonly lots: number;
  readonly expiresAt: EpochNs;
  readonly calendar: Calendar;
}

/** `feedName`: symbols may carry it behind a dot. */
export function venueSymbolOf({ contract, venueSymbol }: NamedContract, feedName: string): string {
  const { symbol } = contract;
  const suffix = `.${feedName}`;
  return venueSymbol ?? (symbol.endsWith(suffix) ? symbol.slice(0, -suffix.length) : symbol);
}

/** Rolls known from the start, or a chain along which volume decides. */
export type ListedAlias = Pick<Alias, 'alias' | 'root'> &
  (
    | { readonly kind: 'planned'; readonly rolls: readonly Designation[] }
    | { readonly kind: 'volume'; readonly chain: RollChain }
  );

export function contractsOf({ contracts }: ListedDataset): Contract[] {
  return contracts.map(({ contract }) => contract);
}

/** The datasets of the members of its composites. */
export function memberDatasetsOf({ contracts }: ListedDataset): readonly string[] {
  const members = contracts.flatMap(({ members = [] }) => members);
  return [...new Set(members.map(({ dataset }) => dataset))];
}

export function namesOf({ contracts, aliases }: ListedDataset): string[] {
  return [
    ...contracts.map(({ contract }) => contract.symbol),
    ...aliases.map(({ alias }) => alias),
  ];
}

/** Rolls decided by volume so far, by alias. */
export type DecidedByAlias = ReadonlyMap<string, DecidedRolls>;

/** The aliases with all their rolls. Rolls that volume has not decided yet are on the latest possible days. */
export function aliasesOf(dataset: ListedDataset, decided: DecidedByAlias = new Map()): Alias[] {
  return dataset.aliases.map((it) => ({
    alias: it.alias,
    dataset: dataset.name,
    root: it.root,
    rolls: it.kind === 'planned' ? it.rolls : rollsOf(it.chain, decided.get(it.alias) ?? null),
  }));
}
