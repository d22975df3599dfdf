/**
 * When an alias moves from one contract to a later one. Designations ascend, take effect at 00:00 UTC and never move
 * back. Each depends on earlier days only, so new days do not change a roll in effect. Volume may advance a planned
 * roll, never delay it. Business days are by default those of United States exchanges.
 */

import { addBusinessDays, type IsBusinessDay } from '../calendar/us-holidays.ts';
import type { EpochNs, UtcDay } from '../numbers.ts';
import { addDays, dayOf, isoWeekday, utcDay } from '../utc-day.ts';
import type { Contract, Designation } from './contract.ts';
import { type DailyVolume, decideRolls, type RollChain, rollsOf } from './decided-rolls.ts';

export type RollRule =
  /** CME's roll day of stock index futures. */
  | { readonly kind: 'monday-of-expiry-week' }
  /** `businessDays` before the day of expiry. */
  | { readonly kind: 'before-expiry'; readonly businessDays: number }
  /** `businessDays` before the month of expiry: ahead of its first notice of delivery. */
  | { readonly kind: 'before-expiry-month'; readonly businessDays: number };

/** How long volume may keep an alias in a contract after the day of the calendar rule. */
const VOLUME_GRACE_BUSINESS_DAYS = 3;

/**
 * Designations by the calendar alone, past and planned, from `fromDay` on. `contracts` are those of one root, ascending
 * by expiry; the last one stays designated until it expires.
 */
export function calendarRolls(
  contracts: readonly Contract[],
  rule: RollRule,
  fromDay: UtcDay,
  isBusinessDay?: IsBusinessDay,
): Designation[] {
  const front = frontIndex(contracts, rule, fromDay, isBusinessDay);
  return contracts.slice(front).map(({ symbol }, offset) => {
    const before = contracts[front + offset - 1];
    const isFirst = offset === 0 || before === undefined;
    return { symbol, from: isFirst ? fromDay : calendarRollDay(before, rule, isBusinessDay) };
  });
}

/** The input of volume rolls from `fromDay` on: the contracts in order, with the latest day of each. */
export function rollChain(
  contracts: readonly Contract[],
  rule: RollRule,
  fromDay: UtcDay,
  isBusinessDay?: IsBusinessDay,
): RollChain {
  const links = contracts.slice(frontIndex(contracts, rule, fromDay, isBusinessDay));
  return {
    from: fromDay,
    links: links.map((contract) => ({
      symbol: contract.symbol,
      latest: latestRollDay(contract, rule, isBusinessDay),
      lastDay: dayOf((contract.expiresAt - 1n) as EpochNs),
    })),
  };
}

/** Designations by volumes that are final up to `toDay`, the last finished day; later ones are planned. */
export function volumeRolls(
  contracts: readonly Contract[],
  dailyVolume: DailyVolume,
  rule: RollRule,
  fromDay: UtcDay,
  toDay: UtcDay,
): Designation[] {
  const chain = rollChain(contracts, rule, fromDay);
  return rollsOf(chain, decideRolls(chain, null, dailyVolume, toDay));
}

/** The contract of a calendar alias on `day`; beyond the list once the last one has expired. */
function frontIndex(
  contracts: readonly Contract[],
  rule: RollRule,
  day: UtcDay,
  isBusinessDay?: IsBusinessDay,
): number {
  const last = contracts.length - 1;
  const front = contracts.findIndex(
    (contract, index) =>
      (index < last ? calendarRollDay(contract, rule, isBusinessDay) : dayOf(contract.expiresAt)) >
      day,
  );
  return front === -1 ? contracts.length : front;
}

function calendarRollDay(
  contract: Contract,
  rule: RollRule,
  isBusinessDay?: IsBusinessDay,
): UtcDay {
  const expiry = dayOf(contract.expiresAt);
  const firstOfMonth = utcDay(expiry - (expiry % 100) + 1);
  switch (rule.kind) {
    case 'monday-of-expiry-week':
      return addDays(expiry, 1 - isoWeekday(expiry));
    case 'before-expiry':
      return addBusinessDays(expiry, -rule.businessDays, isBusinessDay);
    case 'before-expiry-month':
      return addBusinessDays(firstOfMonth, -rule.businessDays, isBusinessDay);
    default:
      return rule satisfies never;
  }
}

function latestRollDay(contract: Contract, rule: RollRule, isBusinessDay?: IsBusinessDay): UtcDay {
  const planned = calendarRollDay(contract, rule, isBusinessDay);
  const grace = addBusinessDays(planned, VOLUME_GRACE_BUSINESS_DAYS, isBusinessDay);
  const eve = addBusinessDays(dayOf(contract.expiresAt), -1, isBusinessDay);
  return Math.min(grace, eve) as UtcDay;
}
