/**
 * The contracts of a product that are alive in a range of days, by rule. A symbol is root, month letter and last digit
 * of the year (`ESZ6`), which repeats after ten years. The range is limited so that every symbol is unique in a list.
 */

import type { IsBusinessDay } from '../calendar/us-holidays.ts';
import { zonedInstant } from '../calendar/zoned-instant.ts';
import type { UtcDay } from '../numbers.ts';
import { dayOf, daysBetween } from '../utc-day.ts';
import type { Contract } from './contract.ts';
import { expiryDay } from './expiry.ts';
import { MONTH_LETTERS, MONTH_NAMES, type Product } from './product.ts';

const RANGE_DAYS_MAX = 9 * 365;
/** A contract is born at the expiry of the one two before it, so that two of a root trade at a time. */
const LIVE_COUNT = 2;

/** The contracts whose life touches [fromDay, toDay], ascending by expiry. */
export function contractsOf(
  product: Product,
  dataset: string,
  fromDay: UtcDay,
  toDay: UtcDay,
): Contract[] {
  const days = daysBetween(fromDay, toDay);
  if (days < 0 || days > RANGE_DAYS_MAX) {
    throw new RangeError(
      `contracts are listed for 0 to ${RANGE_DAYS_MAX} days, not from ${fromDay} to ${toDay}`,
    );
  }
  const contracts: Contract[] = [];
  // A life reaches back less than a year, and may end in the year before the contract's own.
  for (let year = yearOf(fromDay) - 1; year <= yearOf(toDay) + 2; year += 1) {
    for (const letter of product.months) contracts.push(contractOf(product, dataset, year, letter));
  }
  return contracts.filter((contract, index) => {
    const born = contracts[index - LIVE_COUNT];
    return (
      born !== undefined && dayOf(born.expiresAt) <= toDay && dayOf(contract.expiresAt) >= fromDay
    );
  });
}

/** The contract of one month; business days are by default those of United States exchanges. */
export function contractOf(
  product: Product,
  dataset: string,
  year: number,
  letter: string,
  isBusinessDay?: IsBusinessDay,
): Contract {
  const month = MONTH_LETTERS.indexOf(letter) + 1;
  const { day, time, zone } = product.expiry;
  return {
    symbol: `${product.root}${letter}${year % 10}`,
    dataset,
    root: product.root,
    name: `${product.name} ${MONTH_NAMES[month - 1]} ${year}`,
    exchange: product.exchange,
    currency: product.currency,
    tickSizeNanos: product.tickSizeNanos,
    lotSizeNanos: product.lotSizeNanos,
    pointValueNanos: product.pointValueNanos,
    calendar: product.calendar,
    expiresAt: zonedInstant(expiryDay(day, year, month, isBusinessDay), time, zone),
  };
}

function yearOf(day: UtcDay): number {
  return Math.trunc(day / 10_000);
}
