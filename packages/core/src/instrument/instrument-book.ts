/**
 * All names: contracts by symbol, aliases by name. Symbols are unique, and no alias has the name of a contract. On a
 * UTC day an alias means the contract designated last, unless that expired before the day began.
 */

import type { UtcDay } from '../numbers.ts';
import { epochNs } from '../utc-day.ts';
import type { Alias, Contract, Designation } from './contract.ts';

/** Contracts and aliases contradict each other. */
export class InstrumentBookError extends Error {
  override readonly name = 'InstrumentBookError';
}

export interface AliasSpan {
  readonly alias: string;
  readonly from: UtcDay;
  /** Null: until the contract expires. */
  readonly to: UtcDay | null;
}

export class InstrumentBook {
  readonly #contracts: ReadonlyMap<string, Contract>;
  readonly #aliases: ReadonlyMap<string, Alias>;

  /** Throws an `InstrumentBookError` that names the first contradiction. */
  constructor(contracts: readonly Contract[], aliases: readonly Alias[]) {
    this.#contracts = uniqueBy(contracts, (contract) => contract.symbol, 'contract');
    this.#aliases = uniqueBy(aliases, (alias) => alias.alias, 'alias');
    for (const alias of aliases) this.#check(alias);
  }

  contract(symbol: string): Contract | null {
    return this.#contracts.get(symbol) ?? null;
  }

  alias(name: string): Alias | null {
    return this.#aliases.get(name) ?? null;
  }

  /**
   * The contract of a name on a UTC day. A symbol always means its contract. An alias means nothing before its first
   * designation, and after its contract has expired.
   */
  resolve(name: string, day: UtcDay): Contract | null {
    const contract = this.#contracts.get(name);
    if (contract !== undefined) return contract;
    const symbol = this.#designated(name, day)?.symbol;
    const designated = symbol === undefined ? undefined : this.#contracts.get(symbol);
    return designated && isAlive(designated, day) ? designated : null;
  }

  /** The day since which an alias has had its meaning on `day`; 0 for a symbol, which never changes. */
  meansSince(name: string, day: UtcDay): UtcDay {
    return this.#designated(name, day)?.from ?? (0 as UtcDay);
  }

  /** The alias that means this contract on a UTC day; the first one listed if there are several. */
  aliasOf(symbol: string, day: UtcDay): Alias | null {
    for (const alias of this.#aliases.values()) {
      if (this.resolve(alias.alias, day)?.symbol === symbol) return alias;
    }
    return null;
  }

  /** All periods in which aliases mean this contract; the day `to` is exclusive. */
  aliasesOf(symbol: string): readonly AliasSpan[] {
    const spans: AliasSpan[] = [];
    for (const { alias, rolls } of this.#aliases.values()) {
      for (const [index, roll] of rolls.entries()) {
        if (roll.symbol !== symbol) continue;
        spans.push({ alias, from: roll.from, to: rolls[index + 1]?.from ?? null });
      }
    }
    return spans;
  }

  /** The first roll of an alias that takes effect after `day`; null if none is planned. */
  nextRoll(alias: string, day: UtcDay): Designation | null {
    return this.#aliases.get(alias)?.rolls.find((roll) => roll.from > day) ?? null;
  }

  all(): readonly Contract[] {
    return [...this.#contracts.values()];
  }

  allAliases(): readonly Alias[] {
    return [...this.#aliases.values()];
  }

  #designated(alias: string, day: UtcDay): Designation | undefined {
    return this.#aliases.get(alias)?.rolls.findLast((roll) => roll.from <= day);
  }

  #check(alias: Alias): void {
    const name = alias.alias;
    if (this.#contracts.has(name)) {
      throw new InstrumentBookError(`alias ${name} is called like a contract`);
    }
    alias.rolls.forEach((roll, index) => {
      const contract = this.#contracts.get(roll.symbol);
      if (contract === undefined) {
        throw new InstrumentBookError(
          `alias ${name} designates ${roll.symbol}, which is not listed`,
        );
      }
      if (contract.root !== alias.root || contract.dataset !== alias.dataset) {
        throw new InstrumentBookError(
          `alias ${name} of ${alias.dataset} ${alias.root} designates ${roll.symbol} of ${contract.dataset} ${contract.root}`,
        );
      }
      if (!isAlive(contract, roll.from)) {
        throw new InstrumentBookError(
          `alias ${name} designates ${roll.symbol} on ${roll.from}, when it has expired`,
        );
      }
      const before = alias.rolls[index - 1];
      if (before !== undefined && before.from >= roll.from) {
        throw new InstrumentBookError(`the rolls of alias ${name} do not ascend at ${roll.from}`);
      }
    });
  }
}

function isAlive(contract: Contract, day: UtcDay): boolean {
  return contract.expiresAt > epochNs(day, 0);
}

function uniqueBy<T>(items: readonly T[], key: (item: T) => string, what: string): Map<string, T> {
  const byKey = new Map(items.map((item) => [key(item), item]));
  if (byKey.size === items.length) return byKey;
  const seen = new Set<string>();
  const twice = items.map(key).find((name) => seen.size === seen.add(name).size);
  throw new InstrumentBookError(`${what} ${twice} is listed twice`);
}
