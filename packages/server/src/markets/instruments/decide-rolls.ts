/**
 * Decides rolls by volume from the imported days, and stores them. The rolls follow from the volumes alone, so the
 * order of imports does not matter. Volume decides only where the days of both contracts are known; until then rolls
 * are by calendar. Volumes are stored, so removing old days changes nothing.
 */

import type { Designation } from '@tapeloom/core/instrument/contract';
import {
  type DailyVolume,
  type DecidedRolls,
  decideRolls,
  isByVolume,
} from '@tapeloom/core/instrument/decided-rolls';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../platform/disk/disk.ts';
import type { ImportedDays, ImportedManifest } from '../../tape/imported/imported-manifest.ts';
import { type KnownVolumes, RollStore } from '../../tape/imported/roll-store.ts';
import type { DecidedByAlias, ListedAlias, ListedDataset } from './instruments-file.ts';

/** The meaning of an alias from a day on. */
export interface AliasRoll extends Designation {
  readonly alias: string;
  /** The first contract of an alias is always by calendar. */
  readonly by: 'volume' | 'calendar';
}

export interface RollsOutcome {
  /** Rolls that are new or take effect on another day than before. */
  readonly changed: readonly AliasRoll[];
  readonly all: readonly AliasRoll[];
  /** The rolls come from an earlier program that stored no volumes: they stay until they are decided again. */
  readonly isFrozen: boolean;
}

/** `isAgain`: decide again, without stored volumes of removed days and without rolls of an earlier program. */
export interface RollsOptions {
  readonly isAgain?: boolean;
}

/** The caller must hold the dataset's lock, and the manifest must be on disk. */
export async function decideAndKeepRolls(
  disk: Disk,
  tapeRoot: string,
  dataset: ListedDataset,
  { days }: Pick<ImportedManifest, 'days'>,
  { isAgain = false }: RollsOptions = {},
): Promise<RollsOutcome> {
  const store = new RollStore(disk, tapeRoot, dataset.name);
  const before = await store.load();
  const kept = isAgain ? new Map() : await store.volumes();
  const volumes = joined(kept ?? new Map(), volumesOf(dataset, days));
  const dailyVolume = lookUp(volumes);
  const after = new Map<string, DecidedRolls>(kept === null ? before : []);
  for (const alias of dataset.aliases) {
    if (alias.kind !== 'volume') continue;
    const lastDay = lastDayOf(alias, volumes);
    if (lastDay === null || lastDay < alias.chain.from) continue;
    const frozen = kept === null ? (before.get(alias.alias) ?? null) : null;
    after.set(alias.alias, decideRolls(alias.chain, frozen, dailyVolume, lastDay));
  }
  if (after.size > 0 || before.size > 0) {
    await store.save(after, kept === null ? null : volumes);
  }
  const all = rollsIn(after, dailyVolume);
  const changed = all.filter(({ alias, from, symbol }) => {
    const was = before.get(alias)?.rolls ?? [];
    return !was.some((roll) => roll.from === from && roll.symbol === symbol);
  });
  return { changed, all, isFrozen: kept === null };
}

/** The stored rolls, and whether volume or calendar decided each. */
export async function keptRolls(
  disk: Disk,
  tapeRoot: string,
  { name }: Pick<ListedDataset, 'name'>,
): Promise<Pick<RollsOutcome, 'all' | 'isFrozen'>> {
  const store = new RollStore(disk, tapeRoot, name);
  const volumes = await store.volumes();
  return {
    all: rollsIn(await store.load(), lookUp(volumes ?? new Map())),
    isFrozen: volumes === null,
  };
}

function rollsIn(decided: DecidedByAlias, dailyVolume: DailyVolume): AliasRoll[] {
  return [...decided].flatMap(([alias, its]) =>
    its.rolls.map((roll, index) => ({
      alias,
      ...roll,
      by: isByVolume(its, index, dailyVolume) ? ('volume' as const) : ('calendar' as const),
    })),
  );
}

/** The volumes of contracts that an alias by volume may mean. */
function volumesOf({ aliases }: ListedDataset, days: ImportedDays): KnownVolumes {
  const chains = aliases.flatMap((alias) => (alias.kind === 'volume' ? alias.chain.links : []));
  const volumes = new Map<string, Map<UtcDay, number>>();
  for (const { symbol } of chains) {
    const its = days.get(symbol);
    if (its === undefined || its.size === 0) continue;
    volumes.set(symbol, new Map([...its].map(([day, { volume }]) => [day, volume])));
  }
  return volumes;
}

/** Ascending, so that equal volumes give equal files. A replaced day has its new volume. */
function joined(kept: KnownVolumes, imported: KnownVolumes): KnownVolumes {
  const symbols = [...new Set([...kept.keys(), ...imported.keys()])].sort();
  return new Map(
    symbols.map((symbol) => {
      const days = new Map([...(kept.get(symbol) ?? []), ...(imported.get(symbol) ?? [])]);
      return [symbol, new Map([...days].sort(([a], [b]) => a - b))];
    }),
  );
}

function lookUp(volumes: KnownVolumes): DailyVolume {
  return (symbol, day) => volumes.get(symbol)?.get(day) ?? null;
}

/** The newest day of all contracts that the alias may mean. */
function lastDayOf(
  { chain }: Extract<ListedAlias, { kind: 'volume' }>,
  volumes: KnownVolumes,
): UtcDay | null {
  let last: UtcDay | null = null;
  for (const { symbol } of chain.links) {
    for (const day of volumes.get(symbol)?.keys() ?? []) {
      if (last === null || day > last) last = day;
    }
  }
  return last;
}
