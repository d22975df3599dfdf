/** `tapeloom instruments rolls`: which contract each alias with a volume roll designates from which day, and why. */

import { readAppliedInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import {
  decideAndKeepRolls,
  keptRolls,
  type RollsOutcome,
} from '@tapeloom/server/markets/instruments/decide-rolls';
import type { ListedDataset } from '@tapeloom/server/markets/instruments/instruments-file';
import { DirectoryLockedError, lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import { dataDirectory } from '../accounts/account-options.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { ExitCode } from '../exit-codes.ts';
import { lockedText, rollsText, rollText } from '../import/import-view.ts';
import { readArgs } from '../read-args.ts';

export const instrumentsRollsCommand: CommandBody = {
  usage: `Usage: tapeloom instruments rolls [--again [--yes]] [options]

Shows which contract each alias with "roll: volume" designates from which day on, and what decided it: the
volume of the days on the tape, or the calendar where the days of both contracts are not on the tape.

  --again             decide all rolls again from the days now on the tape. Needed for rolls that an
                      earlier version has decided, and after wrong days were removed. A running service
                      resets the streams of days on which an alias now means another contract.
                      Asks first: earlier decisions are lost
  --yes               do not ask
  --dataset <name>    of this dataset only
  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)
  --json              JSON instead of text

Examples:
  tapeloom instruments rolls
  tapeloom instruments rolls --again --dataset GLBX.MDP3 --yes`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, {
    texts: ['dataset', 'data'],
    flags: ['again', 'yes', 'json'],
    words: [],
  });
  const data = dataDirectory(values.data, io);
  const disk = new NodeDisk();
  const applied = await readAppliedInstruments(disk, data);
  const datasets = (applied?.datasets ?? []).filter(
    ({ name }) => values.dataset === undefined || name === values.dataset,
  );
  if (datasets.length === 0) {
    const names = applied?.datasets.map(({ name }) => name).join(', ') ?? 'none';
    throw new UsageError(
      values.dataset === undefined
        ? `${data} has no instruments yet`
        : `no dataset is called ${values.dataset}; there are ${names}`,
    );
  }
  const names = datasets.map(({ name }) => name).join(', ');
  const question = `Decide all rolls of ${names} again? Earlier decisions are lost.`;
  if (values.again && !(await confirm(io, question, values.yes))) {
    io.stderr('Nothing was decided.\n');
    return ExitCode.failure;
  }
  const outcomes = new Map<string, RollsOutcome>();
  for (const dataset of datasets) {
    try {
      outcomes.set(dataset.name, await rollsOf(disk, `${data}/tape`, dataset, values.again));
    } catch (error) {
      if (!(error instanceof DirectoryLockedError)) throw error;
      io.stderr(lockedText(error, dataset.name));
      return ExitCode.failure;
    }
  }
  if (values.json) {
    const list = [...outcomes].map(([dataset, { changed, all, isFrozen }]) => {
      return { dataset, isFrozen, rolls: all, ...(values.again && { changed }) };
    });
    io.stdout(`${JSON.stringify({ datasets: list })}\n`);
    return ExitCode.ok;
  }
  for (const [dataset, outcome] of outcomes) {
    io.stdout(`${dataset}\n`);
    for (const roll of outcome.all) io.stdout(`  ${rollText(roll)}`);
    if (outcome.all.length === 0)
      io.stdout('  No alias rolls by volume, or nothing is imported.\n');
    if (values.again) io.stdout(`  Changed: ${outcome.changed.length}.\n`);
    io.stderr(rollsText({ ...outcome, changed: [] }));
  }
  return ExitCode.ok;
}

async function rollsOf(
  disk: Disk,
  tapeRoot: string,
  dataset: ListedDataset,
  isAgain: boolean,
): Promise<RollsOutcome> {
  if (!isAgain) return { changed: [], ...(await keptRolls(disk, tapeRoot, dataset)) };
  using _lock = lockDirectory(`${tapeRoot}/${dataset.name}`);
  const imported = await readImported(disk, tapeRoot, dataset.name);
  const days = imported?.days ?? new Map();
  return await decideAndKeepRolls(disk, tapeRoot, dataset, { days }, { isAgain });
}
