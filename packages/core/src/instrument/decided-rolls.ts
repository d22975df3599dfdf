/**
 * Rolls that volume decides. The alias moves on the day after a later contract first traded more than the current one,
 * to the later contract that traded most. Without such a day, or without volumes, it moves to the next contract on the
 * latest day of the current one. The meaning of an alias on a day is decided once, from earlier days, and stored: later
 * volumes change nothing up to the last decided day, and the alias never returns to a contract it left.
 */

import type { UtcDay } from '../numbers.ts';
import { addDays, later } from '../utc-day.ts';
import type { Designation } from './contract.ts';

/** Lots traded on one UTC day; null if unknown. */
export type DailyVolume = (symbol: string, day: UtcDay) => number | null;

/** The contracts that an alias may mean, ascending by expiry. */
export interface RollChain {
  /** The first day of the alias, on which it means the first contract. */
  readonly from: UtcDay;
  readonly links: readonly RollLink[];
}

export interface RollLink {
  readonly symbol: string;
  /** The day by which the alias has left this contract, whatever the volumes. */
  readonly latest: UtcDay;
  /** The last day on which it can be traded. */
  readonly lastDay: UtcDay;
}

export interface DecidedRolls {
  /** The last day for which the meaning of the alias is decided. */
  readonly through: UtcDay;
  /** Ascending; none takes effect after `through`. */
  readonly rolls: readonly Designation[];
}

/** The decisions once all volumes up to `lastDay` are final: earlier rolls, and those up to the day after `lastDay`. */
export function decideRolls(
  chain: RollChain,
  decided: DecidedRolls | null,
  dailyVolume: DailyVolume,
  lastDay: UtcDay,
): DecidedRolls {
  const through = addDays(lastDay, 1);
  if (decided !== null && decided.through >= through) return decided;
  const begun = decided === null || decided.rolls.length === 0 ? null : decided;
  const first = decided === null ? chain.from : later(chain.from, addDays(decided.through, 1));
  const rolls = begun === null ? firstRoll(chain, first, through) : [...begun.rolls];
  if (rolls.length === 0) return { through, rolls };
  let index = currentIndex(chain, rolls);
  const start = begun === null ? first : begun.through;
  for (let day = addDays(start, 1); day <= through; day = addDays(day, 1)) {
    const next =
      day < chain.links[index]!.latest
        ? leaderIndex(chain, index, dailyVolume, day)
        : nextIndex(chain, index, day);
    if (next === null) continue;
    index = next;
    rolls.push({ from: day, symbol: chain.links[index]!.symbol });
  }
  return { through, rolls };
}

/** Whether volume decided this roll: the volumes of both contracts are known, and the later one traded more. */
export function isByVolume(
  { rolls }: DecidedRolls,
  index: number,
  dailyVolume: DailyVolume,
): boolean {
  const [before, roll] = [rolls[index - 1], rolls[index]];
  if (before === undefined || roll === undefined) return false;
  const eve = addDays(roll.from, -1);
  const [old, young] = [dailyVolume(before.symbol, eve), dailyVolume(roll.symbol, eve)];
  return old !== null && young !== null && young > old;
}

/** Every designation: the decided ones, then those that follow without further volumes. */
export function rollsOf(chain: RollChain, decided: DecidedRolls | null): Designation[] {
  const first = decided === null ? chain.from : later(chain.from, addDays(decided.through, 1));
  const begun = decided === null || decided.rolls.length === 0 ? null : decided;
  const rolls = begun === null ? firstRoll(chain, first, first) : [...begun.rolls];
  if (rolls.length === 0) return rolls;
  let day = begun === null ? first : begun.through;
  for (let index: number | null = currentIndex(chain, rolls); index !== null; ) {
    day = later(addDays(day, 1), chain.links[index]!.latest);
    index = nextIndex(chain, index, day);
    if (index !== null) rolls.push({ from: day, symbol: chain.links[index]!.symbol });
  }
  return rolls;
}

function firstRoll({ links }: RollChain, from: UtcDay, through: UtcDay): Designation[] {
  const first = links.find(({ lastDay }) => lastDay >= from);
  return first === undefined || from > through ? [] : [{ from, symbol: first.symbol }];
}

function currentIndex(chain: RollChain, rolls: readonly Designation[]): number {
  const { symbol } = rolls.at(-1)!;
  const index = chain.links.findIndex((link) => link.symbol === symbol);
  if (index === -1) throw new RangeError(`the rolls end with ${symbol}, which is not in the chain`);
  return index;
}

/** The later contract that traded most on the eve of `day`, if it traded more than the current one. */
function leaderIndex(
  { links }: RollChain,
  currentIndex: number,
  dailyVolume: DailyVolume,
  day: UtcDay,
): number | null {
  const eve = addDays(day, -1);
  const currentVolume = dailyVolume(links[currentIndex]!.symbol, eve);
  if (currentVolume === null) return null;
  let leader: number | null = null;
  let most = currentVolume;
  for (let index = currentIndex + 1; index < links.length; index += 1) {
    const volume = dailyVolume(links[index]!.symbol, eve);
    if (volume === null || volume <= most) continue;
    leader = index;
    most = volume;
  }
  return leader;
}

/** The next contract that need not be left on `day` already; else the last one, if it can still be traded. */
function nextIndex({ links }: RollChain, currentIndex: number, day: UtcDay): number | null {
  const next = links.findIndex(({ latest }, index) => index > currentIndex && latest > day);
  if (next !== -1) return next;
  const last = links.length - 1;
  return last > currentIndex && links[last]!.lastDay >= day ? last : null;
}
