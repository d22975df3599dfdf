/**
 * Removes what lies after an instant from the live tape of a directory that no service uses, for example after a clock
 * was ahead. Everything moves to the dataset's `aside/`; nothing is deleted. The log of the instant's day is cut after
 * its last earlier record; a sealed day cannot be cut and moves whole. Cursors into the removed part become invalid,
 * since its ranks will be assigned again.
 */

import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { type Disk, readFileWhole, replaceFile } from '../platform/disk/disk.ts';
import { LogCheck } from '../tape/inspect/log-check.ts';
import { readSoundSidecar } from '../tape/read/sealed-days.ts';
import { TapeManifest } from '../tape/tape-manifest.ts';
import {
  asideDirectory,
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isSafeName,
  logDirectory,
  logPath,
  sidecarPath,
} from '../tape/tape-paths.ts';
import type { Commit } from '../tape/write/log/log-payload.ts';
import { readLog, recoverUnsynced } from '../tape/write/log/log-recovery.ts';
import { formatEpochs, parseEpochs, type TapeEnd, withRepair } from '../topics/epoch-floors.ts';

export interface TrimPlace {
  readonly disk: Disk;
  /** The caller holds its lock. */
  readonly data: string;
  readonly dataset: string;
}

export interface TrimPlan {
  readonly dataset: string;
  /** Days whose logs move whole. */
  readonly logs: readonly UtcDay[];
  /** The day whose log is cut; null: none. */
  readonly cutLog: UtcDay | null;
  /** Sealed days that move, by contract. */
  readonly sealed: ReadonlyMap<string, readonly UtcDay[]>;
  /** The sealed day of the instant, which moves whole although part of it lies before; null: none. */
  readonly wholeDay: UtcDay | null;
  /** The last removed position of each contract. */
  readonly ends: ReadonlyMap<string, TapeEnd>;
}

export async function planTrim(place: TrimPlace, after: EpochNs): Promise<TrimPlan> {
  const { disk, data, dataset } = place;
  const tapeRoot = `${data}/tape`;
  const manifest = await TapeManifest.open(disk, tapeRoot, dataset);
  const day = dayOf(after);
  const sealed = new Map<string, readonly UtcDay[]>();
  const ends = new Map<string, TapeEnd>();
  const noteEnd = (symbol: string, end: TapeEnd) => {
    if (end.day >= (ends.get(symbol)?.day ?? 0)) ends.set(symbol, end);
  };
  for (const symbol of (await disk.list(daysDirectory(tapeRoot, dataset))).filter(isSafeName)) {
    // By file names: an interrupted trim may have left files that the manifest no longer names.
    const names = await disk.list(contractDirectory(tapeRoot, dataset, symbol));
    const found = names.flatMap(
      (name) => dayOfFile(name, 'arrow') ?? dayOfFile(name, 'json') ?? [],
    );
    const gone = [...new Set(found)].filter((each) => each >= day).sort((a, b) => a - b);
    if (gone.length === 0) continue;
    sealed.set(symbol, gone);
    const newest = gone.at(-1)!;
    const sidecar = await readSoundSidecar(disk, sidecarPath(tapeRoot, dataset, symbol, newest));
    noteEnd(symbol, { day: newest, rank: (sidecar?.rows ?? 0) as Rank });
  }
  const logs: UtcDay[] = [];
  let cutLog: UtcDay | null = null;
  for (const logDay of [...manifest.logs].sort((a, b) => a - b)) {
    if (logDay < day) continue;
    const check = new LogCheck();
    const { promiseNs } = await readLog(disk, logPath(tapeRoot, dataset, logDay), check);
    if (epochNs(logDay, promiseNs) <= after) continue;
    const isBegunAfter = epochNs(logDay, check.opened!.promiseNs) > after;
    if (isBegunAfter) logs.push(logDay);
    else cutLog = logDay;
    for (const { symbol, rank } of check.contracts) {
      noteEnd(symbol, { day: logDay, rank: rank as Rank });
    }
  }
  const isSealed = [...sealed.values()].some((days) => days[0] === day);
  return { dataset, logs, cutLog, sealed, wholeDay: isSealed && cutLog !== day ? day : null, ends };
}

export function isNothing({ logs, cutLog, sealed }: TrimPlan): boolean {
  return logs.length === 0 && cutLog === null && sealed.size === 0;
}

/** Resolves to the directory with the removed files. After a kill at any moment it can be called again. */
export async function trimTape(place: TrimPlace, after: EpochNs, plan: TrimPlan): Promise<string> {
  const { disk, data, dataset } = place;
  const tapeRoot = `${data}/tape`;
  const target = `${asideDirectory(tapeRoot, dataset)}/after-${after}`;
  await endCursors(place, plan);
  const manifest = await TapeManifest.open(disk, tapeRoot, dataset);
  const move = async (directory: string, name: string, to: string) => {
    if ((await disk.stat(`${directory}/${name}`)) === null) return;
    await disk.makeDirectory(to);
    await disk.rename(`${directory}/${name}`, `${to}/${name}`);
    await disk.syncDirectory(to);
    await disk.syncDirectory(directory);
  };
  const logs = logDirectory(tapeRoot, dataset);
  // The newest first: an older log without an end is rejected while a later one exists.
  for (const day of plan.logs.toSorted((a, b) => b - a)) {
    await manifest.logSetAside(day);
    await move(logs, `${day}.log`, `${target}/log`);
  }
  for (const day of new Set([...plan.sealed.values()].flat())) await manifest.givenUp(day);
  for (const [symbol, days] of plan.sealed) {
    const directory = contractDirectory(tapeRoot, dataset, symbol);
    for (const day of days) {
      // A day is off the tape as soon as its sidecar is moved.
      await move(directory, `${day}.json`, `${target}/days/${symbol}`);
      await move(directory, `${day}.arrow`, `${target}/days/${symbol}`);
    }
  }
  if (plan.cutLog !== null) await cutLog(place, plan.cutLog, after, `${target}/log`);
  return target;
}

/** Copies the whole log before it is cut. */
async function cutLog(
  { disk, data, dataset }: TrimPlace,
  day: UtcDay,
  after: EpochNs,
  target: string,
): Promise<void> {
  const path = logPath(`${data}/tape`, dataset, day);
  await disk.makeDirectory(target);
  const copy = `${target}/${day}.log`;
  if ((await disk.stat(copy)) === null) {
    await replaceFile(disk, copy, (await readFileWhole(disk, path))!);
  }
  const afterNs = Number(after - epochNs(day, 0));
  const isBefore = ({ promiseNs, sections }: Commit) =>
    promiseNs <= afterNs && sections.every(({ ts, count }) => ts[count - 1]! <= afterNs);
  const check = new LogCheck();
  await recoverUnsynced(disk, path, {
    opening: (opening) => check.opening(opening),
    commit: (commit) => isBefore(commit) && check.commit(commit),
  });
  await using file = await disk.open(path, 'write');
  await file.sync();
}

/** Cursors into the removed part get a reset, since their positions will mean other trades. */
async function endCursors({ disk, data }: TrimPlace, { ends, sealed, logs, cutLog }: TrimPlan) {
  const path = `${data}/stream-epochs.json`;
  const bytes = await readFileWhole(disk, path);
  const found = bytes === null ? null : parseEpochs(new TextDecoder().decode(bytes), []);
  if (found === null) return;
  let epochs = found;
  const logged = [...logs, ...(cutLog === null ? [] : [cutLog])];
  for (const [symbol, end] of ends) {
    const days = new Set([...(sealed.get(symbol) ?? []), ...logged]);
    epochs = withRepair(epochs, symbol, end, ...days);
  }
  await replaceFile(disk, path, new TextEncoder().encode(formatEpochs(epochs)));
}
