/**
 * Which days of a dataset an import has changed: added, replaced, removed, or made more of. A day that an alias gained or
 * lost (`moved`) has changed as well: what was served of it by the alias is no longer what it means.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { ImportedDay, ImportedDays } from './imported-manifest.ts';

/** By contract; only contracts of which a day is another. */
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
