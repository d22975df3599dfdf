/**
 * The files of a data directory for a backup, in an order that is safe while the service runs: files that name others
 * come first, then logs, then sealed days. If a file vanishes while it is copied, or a day begins or is sealed
 * meanwhile, the caller lists and copies them again. The accounts are copied as a database, not here.
 */

import { join } from 'node:path';
import type { Disk } from '../../platform/disk/disk.ts';
import { importedStem, readImported } from '../../tape/imported/imported-manifest.ts';
import { isReadLive } from '../../tape/live-dataset.ts';
import { readManifest } from '../../tape/tape-manifest.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  importedSessionsDirectory,
  isSafeName,
  logDirectory,
  sessionsDirectory,
} from '../../tape/tape-paths.ts';

/** Besides the tape and the accounts. */
const SINGLE_FILES = ['instruments.yaml', 'stream-epochs.json'];
/** The files of a dataset besides its days. The manifests name other files and so come first. */
const DATASET_FILES = ['manifest.json', 'imported.json', 'rolls.json', 'source.json'];

/** Paths relative to the data directory, with slashes. */
export async function otherFiles(disk: Disk, data: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const name of SINGLE_FILES) {
    if ((await disk.stat(join(data, name))) !== null) files.push(name);
  }
  for (const dataset of await datasetsOf(disk, join(data, 'served'))) {
    const path = `served/${dataset}/imported.json`;
    if ((await disk.stat(join(data, path))) !== null) files.push(path);
  }
  return files;
}

export async function datasetsOf(disk: Disk, root: string): Promise<readonly string[]> {
  return (await disk.list(root)).filter(isSafeName);
}

export interface DatasetFiles {
  /** In the order in which they must be copied. */
  readonly files: readonly string[];
  /** Must be the same after the copy. */
  readonly logs: string;
  /** Files that the manifest names but that are missing. */
  readonly missing: readonly string[];
}

export async function datasetFiles(
  disk: Disk,
  data: string,
  dataset: string,
): Promise<DatasetFiles> {
  const tapeRoot = join(data, 'tape');
  const below = (path: string) => path.slice(data.length + 1).replaceAll('\\', '/');
  const own: string[] = [];
  for (const name of DATASET_FILES) {
    const path = join(tapeRoot, dataset, name);
    if ((await disk.stat(path)) !== null) own.push(below(path));
  }
  const wanted = await namedDays(disk, tapeRoot, dataset);
  const logs = await logNames(disk, tapeRoot, dataset);
  const sessions = await sessionFiles(disk, tapeRoot, dataset);
  const days = await dayFiles(disk, tapeRoot, dataset, wanted);
  const logPaths = logs.map((name) => `${logDirectory(tapeRoot, dataset)}/${name}`);
  const there = new Set([...days, ...logPaths]);
  return {
    files: [...own, ...logPaths.map(below), ...sessions.map(below), ...days.map(below)],
    logs: logs.join(' '),
    missing: [...wanted.paths].filter((path) => !there.has(path)).map(below),
  };
}

export async function logNames(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<readonly string[]> {
  const names = await disk.list(logDirectory(tapeRoot, dataset));
  return names.filter((name) => dayOfFile(name, 'log') !== null);
}

async function sessionFiles(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const directory of [
    sessionsDirectory(tapeRoot, dataset),
    importedSessionsDirectory(tapeRoot, dataset),
  ]) {
    const names = (await disk.list(directory)).filter((name) => name.endsWith('.json'));
    files.push(...names.map((name) => `${directory}/${name}`));
  }
  return files;
}

interface NamedDays {
  /** Whether days that no manifest names count too: they may have been sealed meanwhile. Imported ones never do. */
  readonly isLive: boolean;
  readonly paths: ReadonlySet<string>;
}

async function namedDays(disk: Disk, tapeRoot: string, dataset: string): Promise<NamedDays> {
  const paths = new Set<string>();
  const add = (symbol: string, stem: string) => {
    const path = `${contractDirectory(tapeRoot, dataset, symbol)}/${stem}`;
    paths.add(`${path}.arrow`).add(`${path}.json`);
  };
  const imported = await readImported(disk, tapeRoot, dataset);
  for (const [symbol, of] of imported?.days ?? []) {
    for (const [day, { digest }] of of) add(symbol, importedStem(day, digest));
  }
  const manifest = await readManifest(disk, tapeRoot, dataset);
  for (const [symbol, of] of manifest?.days ?? [])
    for (const day of of.keys()) add(symbol, `${day}`);
  for (const day of manifest?.logs ?? [])
    paths.add(`${logDirectory(tapeRoot, dataset)}/${day}.log`);
  return { isLive: await isReadLive(disk, tapeRoot, dataset), paths };
}

/** Days with both files. A day that is being sealed is in its log. */
async function dayFiles(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  { isLive, paths }: NamedDays,
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const symbol of await datasetsOf(disk, daysDirectory(tapeRoot, dataset))) {
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    const names = await disk.list(directory);
    for (const name of names) {
      if (!name.endsWith('.json') || !names.includes(`${name.slice(0, -5)}.arrow`)) continue;
      const stem = `${directory}/${name.slice(0, -5)}`;
      const isUnnamedLive = isLive && dayOfFile(name, 'json') !== null;
      if (isUnnamedLive || paths.has(`${stem}.json`)) files.push(`${stem}.arrow`, `${stem}.json`);
    }
  }
  return files;
}
