/**
 * The days of a dataset that an import changed: added, replaced, removed or extended. A day that an alias gained or
 * lost (`moved`) has changed as well: earlier results for the alias no longer match it.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { ImportedDay, ImportedDays } from './imported-manifest.ts';

/** By contract; only contracts with a changed day. */
export type ChangedDays = ReadonlyMap<string, readonly UtcDay[]>;

export function changedDays(
  before: ImportedDays,
  after: ImportedDays,
  moved: ReadonlyMap<string, ReadonlySet<UtcDay>> = new Map(),
): ChangedDays {
  const changed = new Map<string, readonly UtcDay[]>();
  for (const symbol of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(symbol), after.get(symbol)];
    const days = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
    const others = [...days].filter(
      (day) => moved.get(symbol)?.has(day) === true || !isSame(old?.get(day), now?.get(day)),
    );
    if (others.length > 0)
      changed.set(
        symbol,
        others.sort((a, b) => a - b),
      );
  }
  return changed;
}

function isSame(one: ImportedDay | undefined, other: ImportedDay | undefined): boolean {
  return one?.digest === other?.digest && one?.gaps.join() === other?.gaps.join();
}
