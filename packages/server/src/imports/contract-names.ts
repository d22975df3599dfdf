/**
 * Which contract a file means. Files call contracts by their symbol or by other names, and short ones come back after
 * ten years: on a day, a name means the contract that expires next among those that bear it.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import type { UtcDay } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';

export class ContractNames {
  /** By every name, ascending by expiry. */
  readonly #named: ReadonlyMap<string, readonly Contract[]>;

  constructor({ contracts }: Pick<ListedDataset, 'contracts'>) {
    const pairs = contracts.flatMap(({ contract, names }) =>
      [...new Set([contract.symbol, ...names])].map((name) => ({ name, contract })),
    );
    const named = Map.groupBy(pairs, ({ name }) => name);
    this.#named = new Map(
      [...named].map(([name, of]) => [
        name,
        of.map(({ contract }) => contract).sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : 1)),
      ]),
    );
  }

  /** By the first of the names that means one; null where none does, on that day. */
  find(names: readonly string[], day: UtcDay): Contract | null {
    for (const name of names) {
      const bearers = this.#named.get(name) ?? [];
      const found = bearers.find(({ expiresAt }) => dayOf(expiresAt) >= day);
      if (found !== undefined) return found;
    }
    return null;
  }
}
