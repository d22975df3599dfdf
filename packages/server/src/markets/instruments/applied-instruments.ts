/** The instruments of a data directory, read at start and on SIGHUP. A file that changes the past is rejected. */

import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { lockDirectory } from '../../platform/disk/directory-lock.ts';
import { type Disk, readFileWhole, replaceFile } from '../../platform/disk/disk.ts';
import { readImported } from '../../tape/imported/imported-manifest.ts';
import { RollStore } from '../../tape/imported/roll-store.ts';
import { listLiveDays } from '../../tape/inspect/list-days.ts';
import { hasLiveTape } from '../../tape/live-dataset.ts';
import { isBegunBy } from '../source-claim.ts';
import { type DatasetFacts, diffInstruments, type InstrumentsChange } from './instruments-diff.ts';
import { type InstrumentsFile, namesOf } from './instruments-file.ts';
import { readInstruments } from './read-instruments.ts';

const FILE = 'instruments.yaml';
const CLASHES_SHOWN_MAX = 5;

/** A market that the service runs beside the applied instruments. */
export interface MarketBeside {
  readonly dataset: string;
  readonly book: InstrumentBook;
}

function appliedInstrumentsPath(data: string): string {
  return `${data}/${FILE}`;
}

/** Null when none were applied yet. Rejects with a `FaultsError` when the file was damaged. */
export async function readAppliedInstruments(
  disk: Disk,
  data: string,
): Promise<InstrumentsFile | null> {
  const text = await readAppliedText(disk, data);
  return text === null ? null : readInstruments(text);
}

/** Null when none were applied yet. */
export async function readAppliedText(disk: Disk, data: string): Promise<string | null> {
  const bytes = await readFileWhole(disk, appliedInstrumentsPath(data));
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

/**
 * Keeps every writer from adding a day by the old terms while new ones are checked. Imports go only into listed datasets,
 * so locking those is enough. Rejects with a `DirectoryLockedError`.
 */
export async function lockDatasets(disk: Disk, data: string): Promise<Disposable> {
  using locks = new DisposableStack();
  const applied = await readAppliedInstruments(disk, data);
  for (const { name } of applied?.datasets ?? []) locks.use(lockDirectory(`${data}/tape/${name}`));
  return locks.move();
}

/** The changes in this directory if `text` is applied. Rejects with a `FaultsError` when the text has faults. */
export async function diffApplied(
  disk: Disk,
  data: string,
  text: string,
  { now, beside }: { readonly now: EpochNs; readonly beside: MarketBeside | null },
): Promise<readonly InstrumentsChange[]> {
  const after = readInstruments(text);
  const before = (await readAppliedInstruments(disk, data)) ?? { datasets: [] };
  const facts = new Map<string, DatasetFacts>();
  const live: InstrumentsChange[] = [];
  for (const { name } of [...before.datasets, ...after.datasets]) {
    facts.set(name, await datasetFacts(disk, `${data}/tape`, name));
  }
  for (const { name, live: feed } of after.datasets) {
    const isOwn =
      feed !== undefined && (await isBegunBy(disk, `${data}/tape`, name, [feed.source]));
    if (name !== beside?.dataset && (isOwn || !(await hasLiveTape(disk, `${data}/tape`, name))))
      continue;
    const sentence = 'A live market writes the tape of this name. Choose another for the dataset.';
    live.push({ dataset: name, isRefused: true, sentence });
  }
  return [
    ...live,
    ...(beside === null ? [] : clashes(after, beside)),
    ...diffInstruments(before, after, now, (dataset) => facts.get(dataset)!),
  ];
}

/** Applies these instruments, unless a change is rejected. Returns the changes. */
export async function applyInstruments(
  disk: Disk,
  data: string,
  text: string,
  options: { readonly now: EpochNs; readonly beside: MarketBeside | null },
): Promise<readonly InstrumentsChange[]> {
  const changes = await diffApplied(disk, data, text, options);
  if (changes.some(({ isRefused }) => isRefused)) return changes;
  await disk.makeDirectory(data);
  await replaceFile(disk, appliedInstrumentsPath(data), new TextEncoder().encode(text));
  return changes;
}

/** The facts that the tape of a dataset fixes. */
export async function datasetFacts(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<DatasetFacts> {
  const imported = await readImported(disk, tapeRoot, dataset);
  const received = await listLiveDays(disk, tapeRoot, dataset);
  const imports = [...(imported?.days ?? [])].filter(([, days]) => days.size > 0);
  const traded = [...received].filter(([, days]) => days.values().some(({ trades }) => trades > 0));
  return {
    contracts: new Set([...imports, ...traded].map(([symbol]) => symbol)),
    decided: await new RollStore(disk, tapeRoot, dataset).load(),
  };
}

/** Symbols and aliases are unique within a service, across datasets. */
function clashes(after: InstrumentsFile, { dataset, book }: MarketBeside): InstrumentsChange[] {
  return after.datasets.flatMap((own) => {
    const names = namesOf(own).filter((name) => book.contract(name) ?? book.alias(name));
    if (names.length === 0) return [];
    const shown = names.slice(0, CLASHES_SHOWN_MAX).join(', ');
    const sentence = `${dataset}, which runs beside it, has ${shown} too.`;
    return [{ dataset: own.name, isRefused: true, sentence }];
  });
}
