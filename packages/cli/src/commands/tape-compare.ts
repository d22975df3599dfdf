/** `tapeloom tape compare`: compares the trades of an outside file with those on the tape. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import { UnclearFeedError } from '@tapeloom/server/feeds/open-feed';
import {
  type ComparedTape,
  compareFile,
  type FileComparison,
} from '@tapeloom/server/imports/compare-file';
import { importedTape, liveTape, repairedTape } from '@tapeloom/server/imports/compared-tapes';
import { readAppliedInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import type { ListedDataset } from '@tapeloom/server/markets/instruments/instruments-file';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import { dataDirectory, writeJson } from '../accounts/account-options.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { marketsOf } from '../command-config.ts';
import { ExitCode } from '../exit-codes.ts';
import { FileFault, named, openFile } from '../import/found-files.ts';
import { IMPORT_TEXTS, readCovers } from '../import/import-request.ts';
import { ProgressLine } from '../progress-line.ts';
import { readArgs } from '../read-args.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';
import { FORM_USAGE, readFileOptions } from '../study/file-options.ts';
import { questionsText } from '../study/file-text.ts';
import { readHints } from '../study/read-hints.ts';
import { comparisonJson, comparisonText } from '../tape/compare-view.ts';

export const tapeCompareCommand: CommandBody = {
  usage: `Usage: tapeloom tape compare <file> [options]

Compares the trades of a file with the sealed days on the tape, contract by contract and day by day, in
the hours that both have: time, price, size and side of each, in their order. Shows how many are the
same, how many only one of them has, and the first two that differ. The file is read as in tapeloom
import. Reads only; the service may run. Exits with 1 if anything differs.

  --dataset <name>     the dataset, if there are several
  --contract <symbol>  all trades belong to this contract, whatever its name in the file
  --covers <range>     the range that the file covers: dates or times, as a..b, the end not included
  --whole-day          the file has all of each UTC day on which it has a trade
${FORM_USAGE}
  --data <directory>   the data directory (default: TAPELOOM_DATA or ./data)
  --json               JSON instead of text

Examples:
  tapeloom tape compare glbx-mdp3-20260310.trades.dbn.zst
  tapeloom tape compare ES.csv --contract ESH6 --zone America/Chicago`,
  run,
};

interface Compared {
  readonly contracts: ListedDataset['contracts'];
  readonly tape: ComparedTape;
}

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, {
    texts: IMPORT_TEXTS,
    flags: ['whole-day', 'json'],
    words: ['<file>'],
  });
  const path = resolve(words[0]!);
  const options = readFileOptions(values);
  const covers = readCovers(values.covers, values['whole-day']);
  const disk = new NodeDisk();
  const now = createClock({ kind: 'system' }).now();
  const data = dataDirectory(values.data, io);
  const compared = await comparedIn(disk, data, values.dataset, io, now);
  const contract = contractOf(compared, values.contract);
  const staging = await mkdtemp(join(tmpdir(), 'tapeloom-compare-'));
  const progress = new ProgressLine(io, {});
  let result: FileComparison;
  try {
    result = await named(path, async () => {
      const hints = await readHints(disk, options, io.signal);
      await using feeds = new FeedThread(io.signal);
      await using opened = await openFile(disk, path, hints, feeds);
      const { feed, size, bytesRead, requireUnchanged } = opened;
      return await compareFile({
        disk,
        stagingPath: join(staging, 'rows'),
        ...compared,
        feed,
        contract,
        covers,
        hasTickRule: options.trades.hasTickRule,
        now,
        requireUnchanged,
        onProgress: (trades) => {
          io.signal.throwIfAborted();
          const read = () => `${sizeText(bytesRead())} of ${sizeText(size)}`;
          progress.show(() => `reading ${read()}, ${wholeText(trades)} trades`);
        },
      });
    });
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    progress.erase();
    const isUnclear = error.cause instanceof UnclearFeedError;
    io.stderr(
      isUnclear ? questionsText(error.fileName, error.cause.questions) : `${error.message}\n`,
    );
    return ExitCode.failure;
  } finally {
    progress.erase();
    await rm(staging, { recursive: true });
  }
  if (values.json) writeJson(io, comparisonJson(result));
  else io.stdout(comparisonText(result));
  const isSame = result.days.length > 0 && result.days.every(({ status }) => status === 'same');
  return isSame ? ExitCode.ok : ExitCode.failure;
}

/** The named dataset, or the only one; without applied instruments, the live market's. */
async function comparedIn(
  disk: Disk,
  data: string,
  dataset: string | undefined,
  io: CommandIo,
  now: EpochNs,
): Promise<Compared> {
  const tapeRoot = `${data}/tape`;
  const applied = (await readAppliedInstruments(disk, data))?.datasets ?? [];
  const live = (await marketsOf(io, data))[0]!;
  const isListed = applied.some(({ name }) => name === dataset);
  const isDefault = dataset === undefined && applied.length === 0;
  if ((dataset === live.dataset && !isListed) || isDefault) {
    const { contracts } = live.listing(dayOf(now));
    return {
      contracts: contracts.map((contract) => ({ contract, names: [] })),
      tape: liveTape(disk, tapeRoot, live.dataset),
    };
  }
  const names = applied.map(({ name }) => name).join(', ');
  if (dataset === undefined && applied.length > 1) {
    throw new UsageError(`--dataset is missing; the datasets are ${names}`);
  }
  const found = applied.find(({ name }) => dataset === undefined || name === dataset);
  if (found === undefined) {
    throw new UsageError(`no dataset is called ${dataset}; there are ${names || 'none'}`);
  }
  const none = { dataset: found.name, revision: 0, days: new Map() };
  const manifest = (await readImported(disk, tapeRoot, found.name)) ?? none;
  const tapeOf = found.live === undefined ? importedTape : repairedTape;
  return { contracts: found.contracts, tape: tapeOf(disk, tapeRoot, manifest) };
}

function contractOf({ contracts }: Compared, symbol: string | undefined) {
  if (symbol === undefined) return null;
  const found = contracts.find(({ contract }) => contract.symbol === symbol);
  if (found !== undefined) return found.contract;
  throw new UsageError(`--contract: there is no contract ${symbol}`);
}
