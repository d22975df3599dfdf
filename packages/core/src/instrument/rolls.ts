/**
 * When an alias leaves a contract for a later one. Designations ascend, take effect at 00:00 UTC and
 * never go back. What holds on a day depends on earlier days only, so a roll in effect stays as it is
 * while days are added; a planned one may still come earlier by volume, never later.
 */

import { addBusinessDays } from '../calendar/us-holidays.ts';
import type { UtcDay } from '../numbers.ts';
import { addDays, dayOf, isoWeekday, utcDay } from '../utc-day.ts';
import type { Contract, Designation } from './contract.ts';

export type RollRule =
  /** CME's roll day of stock index futures. */
  | { readonly kind: 'monday-of-expiry-week' }
  /** So many business days before the day of expiry. */
  | { readonly kind: 'before-expiry'; readonly businessDays: number }
  /** So many business days before the month of expiry: ahead of its first notice of delivery. */
  | { readonly kind: 'before-expiry-month'; readonly businessDays: number };

/** Lots traded on one UTC day; null where that is not known. */
export type DailyVolume = (symbol: string, day: UtcDay) => number | null;

/** How long volume may keep an alias in a contract after the day the calendar rule names. */
const VOLUME_GRACE_BUSINESS_DAYS = 3;

/**
 * Designations by the calendar alone, past and planned, from `fromDay` on. `contracts` are those of one
 * root, ascending by expiry; the last one stays designated until it expires.
 */
export function calendarRolls(
  contracts: readonly Contract[],
  rule: RollRule,
  fromDay: UtcDay,
): Designation[] {
  const front = frontIndex(contracts, rule, fromDay);
  return contracts.slice(front).map(({ symbol }, offset) => {
    const before = contracts[front + offset - 1];
    return { symbol, from: offset > 0 && before ? calendarRollDay(before, rule) : fromDay };
  });
}

/**
 * Designations by volume: the alias moves on the day after a later contract first traded more than the
 * current one, to the later contract that traded most. Where volume does not say so in time, or is not
 * known, it moves to the next contract a few business days after the calendar rule's day, at the latest
 * one before expiry. Volumes are asked up to `toDay`, the last finished day; what follows is planned.
 */
export function volumeRolls(
  contracts: readonly Contract[],
  dailyVolume: DailyVolume,
  rule: RollRule,
  fromDay: UtcDay,
  toDay: UtcDay,
): Designation[] {
  const rolls: Designation[] = [];
  let index = frontIndex(contracts, rule, fromDay);
  let from = fromDay;
  for (;;) {
    const current = contracts[index];
    if (current === undefined) return rolls;
    rolls.push({ from, symbol: current.symbol });
    const latest = latestRollDay(current, rule);
    let next = index + 1;
    for (from = addDays(from, 1); from < latest; from = addDays(from, 1)) {
      const yesterday = addDays(from, -1);
      const leader =
        yesterday > toDay ? null : leaderIndex(contracts, index, dailyVolume, yesterday);
      if (leader !== null) {
        next = leader;
        break;
      }
    }
    index = next;
  }
}

/** The later contract that traded most on `day`, if it traded more than the current one. */
function leaderIndex(
  contracts: readonly Contract[],
  currentIndex: number,
  dailyVolume: DailyVolume,
  day: UtcDay,
): number | null {
  const currentVolume = dailyVolume(contracts[currentIndex]!.symbol, day);
  if (currentVolume === null) return null;
  let leader: number | null = null;
  let most = currentVolume;
  for (let index = currentIndex + 1; index < contracts.length; index += 1) {
    const volume = dailyVolume(contracts[index]!.symbol, day);
    if (volume === null || volume <= most) continue;
    leader = index;
    most = volume;
  }
  return leader;
}

/** The contract a calendar alias means on `day`; beyond the list once the last one has expired. */
function frontIndex(contracts: readonly Contract[], rule: RollRule, day: UtcDay): number {
  const last = contracts.length - 1;
  const front = contracts.findIndex(
    (contract, index) =>
      (index < last ? calendarRollDay(contract, rule) : dayOf(contract.expiresAt)) > day,
  );
  return front === -1 ? contracts.length : front;
}

function calendarRollDay(contract: Contract, rule: RollRule): UtcDay {
  const expiry = dayOf(contract.expiresAt);
  switch (rule.kind) {
    case 'monday-of-expiry-week':
      return addDays(expiry, 1 - isoWeekday(expiry));
    case 'before-expiry':
      return addBusinessDays(expiry, -rule.businessDays);
    case 'before-expiry-month':
      return addBusinessDays(utcDay(expiry - (expiry % 100) + 1), -rule.businessDays);
    default:
      return rule satisfies never;
  }
}

function latestRollDay(contract: Contract, rule: RollRule): UtcDay {
  const grace = addBusinessDays(calendarRollDay(contract, rule), VOLUME_GRACE_BUSINESS_DAYS);
  const eve = addBusinessDays(dayOf(contract.expiresAt), -1);
  return Math.min(grace, eve) as UtcDay;
}
