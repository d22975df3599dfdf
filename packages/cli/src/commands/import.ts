/** `tapeloom import`: imports files of trades into a dataset's tape, as sealed days. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { dayOf } from '@tapeloom/core/utc-day';
import {
  FEED_LIMITS,
  type FeedLimits,
  FeedThread,
} from '@tapeloom/server/feeds/guarded/feed-thread';
import { UnclearFeedError } from '@tapeloom/server/feeds/open-feed';
import { DatasetImport } from '@tapeloom/server/imports/dataset-import';
import type { ImportedFile, ImportProgress } from '@tapeloom/server/imports/file-import';
import { SealedLiveDays } from '@tapeloom/server/imports/live-days';
import { readAppliedInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { decideAndKeepRolls } from '@tapeloom/server/markets/instruments/decide-rolls';
import type { ListedDataset } from '@tapeloom/server/markets/instruments/instruments-file';
import { DirectoryLockedError, lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { hasLiveTape } from '@tapeloom/server/tape/live-dataset';
import { writeJson } from '../accounts/account-options.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { dateText } from '../day-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { FileFault, foundFiles, inOrder, named, openFile } from '../import/found-files.ts';
import { type ImportRequest, readImportRequest } from '../import/import-request.ts';
import {
  claimText,
  contractsText,
  fileNotes,
  importJson,
  lockedText,
  refusalsText,
  rollsText,
} from '../import/import-view.ts';
import { ProgressLine } from '../progress-line.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';
import { FORM_USAGE } from '../study/file-options.ts';
import { questionsText } from '../study/file-text.ts';
import { readHints } from '../study/read-hints.ts';

export const importCommand: CommandBody = {
  usage: `Usage: tapeloom import <file|pattern>... [options]

Imports files of trades into the tape: DBN, a CSV, JSON lines or Sierra Chart's SCID, plain or packed with
gzip, zstd, bzip2, xz, lz4, zip or tar, or Parquet or Arrow.
Trades go to the contracts that the data directory's instruments define, day by day; trades of other
contracts are counted. Files are imported one after the other, in the order of their first trades; each
takes effect whole or not at all. Existing trades are compared one by one: equal trades change
nothing, a partial day is completed, and a file with different trades is refused. A service
may run on the directory, and serves the new days within seconds.

A dataset whose trades are pushed ("live" in the instruments) accepts files of finished days: days before its
first live day, and days that are sealed. Of a live day with gaps, the file's trades replace those in the range
it covers; a live day without gaps needs equal trades or --replace. What was received stays on the disk; the
imported day is read instead.

A day is complete when files cover all hours in which its market was open. DBN files record what they cover,
and names of Binance and Tardis archives do too. Other files count from a contract's first trade to
its last only, so a day of such files is complete only if you declare it.

  --replace            trades of the files replace existing ones in the range they cover; asks first
  --yes                do not ask
  --dry-run            show what would be done, each file compared with the tape and the files before it;
                       write nothing to the tape
  --covers <range>     the range that the files cover: dates (midnights UTC) or times, as
                       a..b, the end not included; days without trades are complete then, too.
                       Applies to all files together
  --whole-day          the files, together, have all of each UTC day on which they have a trade
  --at-edges one|two   what equal trades are at the exact time where one file ends and another begins:
                       one trade that both contain, or two; without it such files are refused
  --dataset <name>     the dataset, if there are several
  --contract <symbol>  all trades belong to this contract, whatever its name in the files
${FORM_USAGE}
  --data <directory>   the data directory (default: TAPELOOM_DATA or ./data)
  --json               JSON instead of text

Examples:
  tapeloom import glbx-mdp3-20260310.trades.dbn.zst
  tapeloom import 'BTCUSDT-trades-2026-*.zip' --dry-run
  tapeloom import ES.csv --contract ESH6 --zone America/Chicago --covers 2026-03-02..2026-03-07`,
  run: (args, io) => runImport(args, io),
};

/** Rejects a file that exceeds the limits while it is read, so that it cannot hold the dataset's lock. */
export async function runImport(
  args: readonly string[],
  io: CommandIo,
  limits: FeedLimits = FEED_LIMITS,
): Promise<number> {
  const request = readImportRequest(args, io);
  const disk = new NodeDisk();
  const files = await foundFiles(disk, request.words);
  const dataset = await datasetOf(disk, request);
  if (dataset === null) {
    io.stderr(noInstrumentsText(request.data));
    return ExitCode.failure;
  }
  const foreign = await whyForeign(disk, request.data, dataset);
  if (foreign !== null) {
    io.stderr(foreign);
    return ExitCode.failure;
  }
  const question = `Replace what ${dataset.name} has by what ${files.length === 1 ? files[0] : `${files.length} files`} cover? Replaced trades are lost.`;
  const isAsked = request.mayReplace && !request.isDryRun;
  if (isAsked && !(await confirm(io, question, request.isYes))) {
    io.stderr('Nothing was imported.\n');
    return ExitCode.failure;
  }
  try {
    using _lock = request.isDryRun ? null : lockDirectory(`${request.data}/tape/${dataset.name}`);
    // Read again: other instruments may have been applied before the lock was taken.
    const listed = (await datasetOf(disk, request)) ?? dataset;
    await using feeds = new FeedThread(io.signal, limits);
    return await importAll(request, listed, files, feeds, disk, io);
  } catch (error) {
    const fault = faultText(error, dataset.name);
    if (fault === null) throw error;
    io.stderr(fault);
    return ExitCode.failure;
  }
}

async function importAll(
  request: ImportRequest,
  dataset: ListedDataset,
  files: readonly string[],
  feeds: FeedThread,
  disk: Disk,
  io: CommandIo,
): Promise<number> {
  const { data, isDryRun, options } = request;
  const tapeRoot = `${data}/tape`;
  const hints = await readHints(disk, options, io.signal);
  const contract = contractOf(dataset, request.contract);
  const live = await liveDaysOf(disk, tapeRoot, dataset);
  const scratch = isDryRun ? await mkdtemp(join(tmpdir(), 'tapeloom-import-')) : null;
  await using _scratch = {
    [Symbol.asyncDispose]: async () => {
      if (scratch !== null) await rm(scratch, { recursive: true });
    },
  };
  const ordered = await inOrder(disk, files, hints, feeds);
  const importing = await DatasetImport.begin({
    disk,
    tapeRoot,
    stagingDirectory: `${scratch ?? `${tapeRoot}/${dataset.name}`}/staging`,
    dataset,
    now: now(),
    isDryRun,
    ...(live !== null && { live }),
    ...(scratch !== null && ordered.length > 1 && { trialRoot: `${scratch}/tape` }),
  });
  const results: ImportedFile[] = [];
  // With several files, the declared coverage applies to all together, once all are imported.
  const isTogether = request.covers !== null && ordered.length > 1;
  const setting = { request, covers: isTogether ? null : request.covers, hints, contract, feeds };
  const claims: Pick<ImportedFile, 'days'>[] = [];
  let isRefused = false;
  try {
    for (const path of ordered) {
      const result = await importOne(path, setting, importing, disk, io);
      results.push(result);
      isRefused ||= result.days.some(({ status }) => status === 'refused');
      if (isRefused && !isDryRun) break;
    }
    if (isTogether && !isRefused) {
      const claim = await importing.cover({ ...request, contract, covers: request.covers! });
      io.stderr(claimText(claim));
      claims.push(claim);
    }
  } catch (error) {
    if (!isDryRun) tellOthers(results, ordered.slice(results.length + 1), io);
    throw error;
  }
  // The aliases of a live dataset roll by its own listing.
  const isRolled = !isDryRun && live === null;
  const rolls = !isRolled
    ? { changed: [], all: [], isFrozen: false }
    : await decideAndKeepRolls(disk, tapeRoot, dataset, importing.manifest);
  if (request.isJson) {
    writeJson(io, {
      dataset: dataset.name,
      isDryRun,
      ...importJson(results, claims, rolls.changed),
    });
  } else {
    io.stdout(contractsText([...results, ...claims]) + rollsText(rolls));
    if (isDryRun) io.stdout('Dry run: nothing was written.\n');
  }
  const isClaimed = claims.every(({ days }) => days.every(({ status }) => status !== 'refused'));
  if (!isClaimed) return ExitCode.failure;
  if (isRefused && !isDryRun) tellOthers(results.slice(0, -1), ordered.slice(results.length), io);
  return isRefused ? ExitCode.failure : ExitCode.ok;
}

/** Why nothing can be imported beside the tape of this dataset; null if it can. */
async function whyForeign(
  disk: Disk,
  data: string,
  { name, live }: ListedDataset,
): Promise<string | null> {
  if (live?.source === 'composite') {
    return (
      `${name} has composites, whose days follow those of their members. Import the file into the dataset of a member:\n` +
      'the day of the composite is then repaired by the service.\n'
    );
  }
  if (live !== undefined || !(await hasLiveTape(disk, `${data}/tape`, name))) return null;
  return (
    `The tape of ${name} was written by a simulated or replayed market, or its trades were pushed before: files can be\n` +
    'imported into a live dataset only if its instruments say "live: { source: push }". Choose another name for the dataset.\n'
  );
}

const now = () => createClock({ kind: 'system' }).now();

/** Null for a dataset of imported days only. */
async function liveDaysOf(
  disk: Disk,
  tapeRoot: string,
  { name: dataset, live }: ListedDataset,
): Promise<SealedLiveDays | null> {
  if (live === undefined) return null;
  return await SealedLiveDays.open({ disk, tapeRoot, dataset, today: dayOf(now()) });
}

interface FileSetting {
  readonly request: ImportRequest;
  /** The coverage declared for each file. */
  readonly covers: ImportRequest['covers'];
  readonly hints: Parameters<typeof openFile>[2];
  readonly contract: Contract | null;
  readonly feeds: FeedThread;
}

async function importOne(
  path: string,
  { request, covers, hints, contract, feeds }: FileSetting,
  importing: DatasetImport,
  disk: Disk,
  io: CommandIo,
): Promise<ImportedFile> {
  const progress = new ProgressLine(io, {});
  try {
    return await named(path, async () => {
      await using opened = await openFile(disk, path, hints, feeds);
      const { feed, size, bytesRead, requireUnchanged } = opened;
      const result = await importing.add({
        path,
        feed,
        contract,
        covers,
        hasTickRule: request.options.trades.hasTickRule,
        mayReplace: request.mayReplace,
        equalsAtEdges: request.equalsAtEdges,
        requireUnchanged,
        onProgress: (step) => {
          io.signal.throwIfAborted();
          progress.show(() => `${basename(path)}: ${stepText(step, bytesRead(), size)}`);
        },
      });
      progress.erase();
      const isCoverageSaid = request.covers !== null || feed.said() !== null;
      io.stderr(
        fileNotes(result, { format: feed.format(), reasons: feed.reasons, isCoverageSaid }),
      );
      io.stderr(refusalsText(result));
      return result;
    });
  } finally {
    progress.erase();
  }
}

function stepText(step: ImportProgress, bytesRead: number, size: number): string {
  if (step.step === 'sealing') return `sealing ${step.symbol} ${dateText(step.day)}`;
  return `reading ${sizeText(bytesRead)} of ${sizeText(size)}, ${wholeText(step.trades)} trades`;
}

/** Files before the rejected one have taken effect; files after it were not opened. */
function tellOthers(done: readonly ImportedFile[], left: readonly string[], io: CommandIo): void {
  const names = (paths: readonly string[]) => paths.map((path) => basename(path)).join(', ');
  if (done.length > 0) {
    io.stderr(`Imported before it, and kept: ${names(done.map(({ path }) => path))}.\n`);
  }
  if (left.length > 0)
    io.stderr(`Not imported, because the import stopped here: ${names(left)}.\n`);
}

/** Null when the directory has no instruments yet. */
async function datasetOf(
  disk: Disk,
  { data, dataset }: ImportRequest,
): Promise<ListedDataset | null> {
  const applied = await readAppliedInstruments(disk, data);
  if (applied === null) return null;
  const names = applied.datasets.map(({ name }) => name).join(', ');
  if (dataset === null) {
    if (applied.datasets.length === 1) return applied.datasets[0]!;
    throw new UsageError(`--dataset is missing; the datasets are ${names}`);
  }
  const found = applied.datasets.find(({ name }) => name === dataset);
  if (found === undefined)
    throw new UsageError(`no dataset is called ${dataset}; there are ${names}`);
  return found;
}

function contractOf({ name, contracts }: ListedDataset, symbol: string | null): Contract | null {
  if (symbol === null) return null;
  const found = contracts.find(({ contract }) => contract.symbol === symbol);
  if (found !== undefined) return found.contract;
  throw new UsageError(`--contract: ${name} has no contract ${symbol}`);
}

function noInstrumentsText(data: string): string {
  return (
    `${data} has no instruments yet, so these trades cannot be assigned to contracts. Write a file of instruments with\n` +
    'docs/operating/instruments.md, or create it from the DBN definitions of the same days, and apply it:\n' +
    '  tapeloom instruments from <definitions.dbn.zst> --out instruments.yaml\n' +
    '  tapeloom instruments apply instruments.yaml\n' +
    'For archives of Binance, docs/operating/binance-archives.md has one to copy.\n'
  );
}

/** Null when the error is a fault neither of a file nor of the environment. */
function faultText(error: unknown, dataset: string): string | null {
  if (error instanceof FileFault) {
    if (error.cause instanceof UnclearFeedError) {
      return questionsText(error.fileName, error.cause.questions);
    }
    return `${error.message}\nNothing of this file was imported.\n`;
  }
  if (error instanceof DirectoryLockedError) return lockedText(error, dataset);
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') {
    return 'The disk is full: nothing of this file was imported. Free disk space and import it again.\n';
  }
  return null;
}
