/** The days on the tape whose alias means another contract after new decisions by volume. */

import type { Designation } from '@tapeloom/core/instrument/contract';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { ImportedDays } from '../../tape/imported/imported-manifest.ts';
import { aliasesOf, type DecidedByAlias, type ListedDataset } from './instruments-file.ts';

/** By contract: the days that an alias gained or lost. */
export function movedDays(
  listed: ListedDataset,
  { before, after }: { readonly before: DecidedByAlias; readonly after: DecidedByAlias },
  days: ImportedDays,
): ReadonlyMap<string, ReadonlySet<UtcDay>> {
  const moved = new Map<string, Set<UtcDay>>();
  const old = aliasesOf(listed, before);
  for (const [index, { rolls }] of aliasesOf(listed, after).entries()) {
    for (const [symbol, its] of days) {
      for (const day of its.keys()) {
        const [was, is] = [meaning(old[index]!.rolls, day), meaning(rolls, day)];
        if (was === is || (was !== symbol && is !== symbol)) continue;
        const known = moved.get(symbol) ?? new Set();
        moved.set(symbol, known.add(day));
      }
    }
  }
  return moved;
}

function meaning(rolls: readonly Designation[], day: UtcDay): string | null {
  return rolls.findLast(({ from }) => from <= day)?.symbol ?? null;
}
