/**
 * The division of a product's activity among its contracts on a day: a few percent before a contract's time, the main
 * part between the rolls, and a little after its own roll until it expires. A pure function of the roll days.
 */

/** The share that has moved to the next contract, from 5 days before the roll to 5 days after it. */
const MOVED = [0.03, 0.045, 0.07, 0.13, 0.3, 0.6, 0.79, 0.89, 0.94, 0.965, 0.98];
const REACH_DAYS = 5;
/** The number of earlier contracts that a contract's share depends on. */
export const CONTRACTS_BEFORE = 3;

/** `rollDays`: the days on which activity leaves each contract of the product, ascending. */
export function contractShare(rollDays: readonly number[], index: number, day: number): number {
  let share = 1 - moved(day - rollDays[index]!);
  for (let i = Math.max(0, index - CONTRACTS_BEFORE); i < index; i += 1) {
    share *= moved(day - rollDays[i]!);
  }
  return share;
}

function moved(daysSinceRoll: number): number {
  const step = Math.min(Math.max(daysSinceRoll, -REACH_DAYS), REACH_DAYS) + REACH_DAYS;
  return MOVED[step]!;
}
