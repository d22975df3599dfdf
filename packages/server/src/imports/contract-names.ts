/**
 * Resolves a name in a file to a contract. Files use symbols or other names, and short names repeat after ten years. On
 * a day, a name means the contract with this name that expires next, even if the instruments do not list that one.
 * Trades are never assigned to a contract that does not live on their day.
 */

import type { Contract } from '@tapeloom/core/instrument/contract';
import { MONTH_LETTERS, MONTH_NAMES } from '@tapeloom/core/instrument/product';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';

/** A month's letter and the last digit of the year; such a name repeats after ten years. */
const SHORT_NAME = /([FGHJKMNQUVXZ])(\d)$/;
const LONG_NAME = /\d\d$/;
const DECADE = 100_000;
const DECADE_YEARS = 10;
/** The same contract of another decade expires at most this much earlier or later in its year. */
const EXPIRY_SHIFT_DAYS = 14;

/** A name that means another contract on a day than the listed one. */
export interface MistakenContract {
  readonly name: string;
  readonly listed: Contract;
  /** Month of the listed contract, and of the contract meant on that day, as `March 2014`; null: unknown. */
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

  /** The contract of the first name that means one on that day; null when none does. */
  find(names: readonly string[], day: UtcDay): Contract | null {
    for (const name of names) {
      const bearers = this.#named.get(name) ?? [];
      const at = bearers.findIndex(({ expiresAt }) => dayOf(expiresAt) >= day);
      const found = bearers[at];
      // If the contract before it is listed too, the name is unambiguous.
      if (found !== undefined && (at > 0 || isOfDecade(name, found, day))) return found;
    }
    return null;
  }

  /** The first name that would mean a listed contract if the decade matched; null: none. */
  mistaken(names: readonly string[], day: UtcDay): MistakenContract | null {
    for (const name of names) {
      const listed = this.#named.get(name)?.find(({ expiresAt }) => dayOf(expiresAt) >= day);
      if (listed !== undefined) return mistakenFor(name, listed, day);
    }
    return null;
  }
}

/** Why trades of a day cannot be of the contract that the caller names; null: they can. */
export function mistakenContract(contract: Contract, day: UtcDay): MistakenContract | null {
  const { symbol, expiresAt } = contract;
  const isAlive = dayOf(expiresAt) >= day && isOfDecade(symbol, contract, day);
  return isAlive ? null : mistakenFor(symbol, contract, day);
}

/** Whether no contract of an earlier decade has the name on that day. */
function isOfDecade(name: string, { expiresAt }: Contract, day: UtcDay): boolean {
  if (!isShort(name)) return true;
  const known = dayOf(expiresAt);
  // Compared as numbers, which need not be valid dates: not every year has a 29 February.
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

/** The year with this last digit that is nearest to `year`. */
function yearNear(digit: number, year: number): number {
  const first = year - (year % DECADE_YEARS) + digit;
  return first + DECADE_YEARS * Math.round((year - first) / DECADE_YEARS);
}
