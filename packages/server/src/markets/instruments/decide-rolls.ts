/**
 * Decides rolls by volume from what was imported, and writes them down. What was decided once stays, whatever is
 * imported or replaced later; called twice over the same days, it changes nothing.
 */

import type { Designation } from '@tapeloom/core/instrument/contract';
import { decideRolls } from '@tapeloom/core/instrument/decided-rolls';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../platform/disk.ts';
import type { ImportedDays, ImportedManifest } from '../../tape/imported/imported-manifest.ts';
import { RollStore } from '../../tape/imported/roll-store.ts';
import type { DecidedByAlias, ListedAlias, ListedDataset } from './instruments-file.ts';

/** What an alias means from a day on, by a decision that is new. */
export interface NewRoll extends Designation {
  readonly alias: string;
}

/** The rolls that were decided now. Only who holds the dataset's lock may call it, after the manifest is on disk. */
export async function decideAndKeepRolls(
  disk: Disk,
  tapeRoot: string,
  { name, aliases }: ListedDataset,
  { days }: Pick<ImportedManifest, 'days'>,
): Promise<readonly NewRoll[]> {
  const store = new RollStore(disk, tapeRoot, name);
  const kept = await store.load();
  const news = new Map<string, { through: UtcDay; rolls: readonly Designation[] }>();
  const volume = (symbol: string, day: UtcDay) => days.get(symbol)?.get(day)?.volume ?? null;
  for (const alias of aliases) {
    if (alias.kind !== 'volume') continue;
    const lastDay = lastDayOf(alias, days);
    if (lastDay === null || lastDay < alias.chain.from) continue;
    const before = kept.get(alias.alias) ?? null;
    const after = decideRolls(alias.chain, before, volume, lastDay);
    if (after !== before) news.set(alias.alias, after);
  }
  if (news.size > 0) await store.save(news);
  return newRolls(kept, news);
}

/** The newest day of any contract that the alias may mean. */
function lastDayOf(
  { chain }: Extract<ListedAlias, { kind: 'volume' }>,
  days: ImportedDays,
): UtcDay | null {
  let last: UtcDay | null = null;
  for (const { symbol } of chain.links) {
    for (const day of days.get(symbol)?.keys() ?? []) {
      if (last === null || day > last) last = day;
    }
  }
  return last;
}

function newRolls(kept: DecidedByAlias, news: DecidedByAlias): NewRoll[] {
  return [...news].flatMap(([alias, { rolls }]) =>
    rolls.slice(kept.get(alias)?.rolls.length ?? 0).map((roll) => ({ alias, ...roll })),
  );
}
