/**
 * Days that come onto a shared tape after results were computed without them. Nodes get them at different times, and a
 * cursor does not show which days it was computed with. So the book of the tape, which all nodes read at the same
 * position, names these days until no cursor issued without them is valid.
 */

// 1. `coming`, before the first of them is made: no client resumes from a cursor that depends on such a day.
// 2. `settling`, when the nodes have them: a node without them shows nothing that depends on them.
// 3. A floor, in the book after that. It lies beyond everything stored before the second book, and so beyond every
//    cursor issued without the day. Clients resume again.

import type { UtcDay } from '@tapeloom/core/numbers';
import { type ContractDays, type StreamEpochs, type TapeEnd, withRepair } from './epoch-floors.ts';

export interface DayToCome {
  readonly symbol: string;
  readonly day: UtcDay;
}

/** The days of a contract that no client may resume across. */
export function unsettledDays(epochs: StreamEpochs, contract: string): readonly UtcDay[] {
  return [...(epochs.coming?.[contract] ?? []), ...(epochs.settling?.[contract] ?? [])];
}

export function isComing({ coming }: StreamEpochs, { symbol, day }: DayToCome): boolean {
  return coming?.[symbol]?.includes(day) ?? false;
}

export function daysOf(days: ContractDays | undefined): readonly DayToCome[] {
  return Object.entries(days ?? {}).flatMap(([symbol, of]) => of.map((day) => ({ symbol, day })));
}

/** The same epochs when all of these are named already. */
export function withComing(before: StreamEpochs, days: readonly DayToCome[]): StreamEpochs {
  const added = days.filter((it) => !isComing(before, it));
  if (added.length === 0) return before;
  // A settling day that is made once more is to come again.
  const settling = without(daysOf(before.settling), added);
  return named(before, [...daysOf(before.coming), ...added], settling);
}

/** From now on no node shows results without these days. The same epochs when none of them was to come. */
export function withSettling(before: StreamEpochs, days: readonly DayToCome[]): StreamEpochs {
  const coming = daysOf(before.coming);
  const left = without(coming, days);
  if (left.length === coming.length) return before;
  const moved = without(coming, left);
  return named(before, left, [...daysOf(before.settling), ...moved]);
}

/**
 * Ends the cursors issued without the settling days, while the tape of their contracts reaches to these ends. A null
 * end: no cursor of the contract can have been issued. The same epochs when no day is settling.
 */
export function withSettled(
  before: StreamEpochs,
  endOf: (contract: string) => TapeEnd | null,
): StreamEpochs {
  if (before.settling === undefined) return before;
  let after = before;
  for (const [contract, days] of Object.entries(before.settling)) {
    const end = endOf(contract);
    if (end !== null) after = withRepair(after, contract, end, ...days);
  }
  return named(after, daysOf(before.coming), []);
}

/** For a node that has the tape alone, before it shows anything. */
export function withAllSettled(
  before: StreamEpochs,
  endOf: (contract: string) => TapeEnd | null,
): StreamEpochs {
  return withSettled(withSettling(before, daysOf(before.coming)), endOf);
}

function named(
  { coming: _coming, settling: _settling, ...epochs }: StreamEpochs,
  coming: readonly DayToCome[],
  settling: readonly DayToCome[],
): StreamEpochs {
  return {
    ...epochs,
    ...(coming.length > 0 && { coming: byContract(coming) }),
    ...(settling.length > 0 && { settling: byContract(settling) }),
  };
}

function byContract(days: readonly DayToCome[]): ContractDays {
  const grouped = Map.groupBy(days, ({ symbol }) => symbol);
  return Object.fromEntries(
    Array.from(grouped, ([symbol, of]) => [symbol, of.map(({ day }) => day)]),
  );
}

function without(days: readonly DayToCome[], some: readonly DayToCome[]): readonly DayToCome[] {
  const named = new Set(some.map(keyOf));
  return days.filter((it) => !named.has(keyOf(it)));
}

function keyOf({ symbol, day }: DayToCome): string {
  return `${symbol} ${day}`;
}
