/**
 * Which contract a file means. Files call contracts by their symbol or by other names, and short ones come back after
 * ten years: on a day, a name means the contract that expires next among all that bear it, also if the instruments lack
 * that one. Trades go to no contract that does not live on their day.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import { MONTH_LETTERS, MONTH_NAMES } from '@tapeloom/core/instrument/product';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';

/** A month's letter and the last digit of the year, after which such a name comes back. */
const SHORT_NAME = /([FGHJKMNQUVXZ])(\d)$/;
const LONG_NAME = /\d\d$/;
const DECADE = 100_000;
const DECADE_YEARS = 10;
/** The same contract of another decade expires at most so much earlier or later in its year. */
const EXPIRY_SHIFT_DAYS = 14;

/** A name that means another contract on a day than the one that is listed. */
export interface MistakenContract {
  readonly name: string;
  readonly listed: Contract;
  /** What the listed one is, and what the name means on that day, as `March 2014`; null: that cannot be said. */
  readonly listedMonth: string | null;
  readonly meantMonth: string | null;
}

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
      const at = bearers.findIndex(({ expiresAt }) => dayOf(expiresAt) >= day);
      const found = bearers[at];
      // Where the one before it is listed, too, there is nothing to mistake.
      if (found !== undefined && (at > 0 || isOfDecade(name, found, day))) return found;
    }
    return null;
  }

  /** The first of the names that would mean a listed contract, were it not of another decade; null: none. */
  mistaken(names: readonly string[], day: UtcDay): MistakenContract | null {
    for (const name of names) {
      const listed = this.#named.get(name)?.find(({ expiresAt }) => dayOf(expiresAt) >= day);
      if (listed !== undefined) return mistakenFor(name, listed, day);
    }
    return null;
  }
}

/** Why trades of a day cannot be of a contract that somebody says they are of; null: they can. */
export function mistakenContract(contract: Contract, day: UtcDay): MistakenContract | null {
  const { symbol, expiresAt } = contract;
  const isAlive = dayOf(expiresAt) >= day && isOfDecade(symbol, contract, day);
  return isAlive ? null : mistakenFor(symbol, contract, day);
}

/** Whether no contract of an earlier decade bears the name on that day. */
function isOfDecade(name: string, { expiresAt }: Contract, day: UtcDay): boolean {
  if (!isShort(name)) return true;
  const known = dayOf(expiresAt);
  // By numbers alone: the 29th of February is no day of every year, and none of these has to be one.
  return known - DECADE < addDays(day, -EXPIRY_SHIFT_DAYS);
}

function isShort(name: string): boolean {
  return SHORT_NAME.test(name) && !LONG_NAME.test(name);
}

function mistakenFor(name: string, listed: Contract, day: UtcDay): MistakenContract {
  const [, letter, digit] = SHORT_NAME.exec(name) ?? [];
  if (!isShort(name) || letter === undefined) {
    return { name, listed, listedMonth: null, meantMonth: null };
  }
  const expiryDay = dayOf(listed.expiresAt);
  const year = yearNear(Number(digit), Math.trunc(expiryDay / 10_000));
  const month = MONTH_NAMES[MONTH_LETTERS.indexOf(letter)]!;
  // The next one that has not expired by then.
  const decades = Math.ceil((day - expiryDay) / DECADE);
  const text = (of: number) => `${month} ${of}`;
  const meant = year + decades * DECADE_YEARS;
  return {
    name,
    listed,
    listedMonth: text(year),
    meantMonth: text(meant === year ? year - DECADE_YEARS : meant),
  };
}

/** The year with this last digit that is nearest to another year. */
function yearNear(digit: number, year: number): number {
  const first = year - (year % DECADE_YEARS) + digit;
  return first + DECADE_YEARS * Math.round((year - first) / DECADE_YEARS);
}
