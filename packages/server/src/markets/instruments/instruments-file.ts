/**
 * What an operator's file of instruments amounts to: for each dataset its contracts, its calendars and its aliases, as
 * plain values. Nothing in here depends on a clock or a tape: what volume has decided is given from outside.
 */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Alias, Contract, Designation } from '@tapeloom/core/instrument/contract';
import {
  type DecidedRolls,
  type RollChain,
  rollsOf,
} from '@tapeloom/core/instrument/decided-rolls';

export interface InstrumentsFile {
  readonly datasets: readonly ListedDataset[];
}

export interface ListedDataset {
  readonly name: string;
  /** Those that a contract names, each once. */
  readonly calendars: readonly Calendar[];
  /** Product by product, ascending by expiry. */
  readonly contracts: readonly NamedContract[];
  readonly aliases: readonly ListedAlias[];
}

export interface NamedContract {
  readonly contract: Contract;
  /** What files call it beside its symbol; a short name may mean another contract ten years later. */
  readonly names: readonly string[];
}

/** Rolls that are known from the start, or a chain along which volume decides. */
export type ListedAlias = Pick<Alias, 'alias' | 'root'> &
  (
    | { readonly kind: 'planned'; readonly rolls: readonly Designation[] }
    | { readonly kind: 'volume'; readonly chain: RollChain }
  );

export function contractsOf({ contracts }: ListedDataset): Contract[] {
  return contracts.map(({ contract }) => contract);
}

/** Every symbol and every alias of a dataset. */
export function namesOf({ contracts, aliases }: ListedDataset): string[] {
  return [
    ...contracts.map(({ contract }) => contract.symbol),
    ...aliases.map(({ alias }) => alias),
  ];
}

/** What volume has decided so far, by alias. */
export type DecidedByAlias = ReadonlyMap<string, DecidedRolls>;

/**
 * The aliases with all their rolls. Where volume decides, those it has not decided yet stand on the days on which they
 * come at the latest.
 */
export function aliasesOf(dataset: ListedDataset, decided: DecidedByAlias = new Map()): Alias[] {
  return dataset.aliases.map((it) => ({
    alias: it.alias,
    dataset: dataset.name,
    root: it.root,
    rolls: it.kind === 'planned' ? it.rolls : rollsOf(it.chain, decided.get(it.alias) ?? null),
  }));
}
