/** `tapeloom migrate`: moves a data directory into a cluster, or a cluster into a data directory. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type MovedData,
  type MovedDataset,
  moveBack,
  moveIn,
} from '@tapeloom/server/operations/cluster/move-data';
import { writeJson } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import { contractsOfDays } from '../cluster/contracts-of-days.ts';
import { isWanted } from '../cluster/is-wanted.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { configOf } from '../command-config.ts';
import { dateText } from '../day-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { ProgressLine } from '../progress-line.ts';
import { readArgs } from '../read-args.ts';
import { tableText } from '../table-text.ts';

const NOT_BACK = `Not moved back, because they belong to one node or are temporary: imported datasets with their
instruments.yaml, queued mails, cached results, files of the payment provider "test", and
open streams. Copy the first two from a node's directory.
`;

export const migrateCommand: CommandBody = {
  usage: `Usage: tapeloom migrate <directory> [--back] [--yes] [--json]

Moves the data of a single machine into the cluster of TAPELOOM_POSTGRES_URL and TAPELOOM_NATS_URL, created
with tapeloom cluster init: accounts with keys, budgets, orders and the audit log, the secret of exports,
sealed days, session books and the open day. With --back it moves all of that from the cluster into a
directory for one machine. No service may run, neither on the directory nor in the cluster. The move is
verified: a digest of the trades of every contract and day, and of the rows of every table. An
interrupted move continues when you repeat it. Cursors and keys stay valid.

A directory that was moved belongs to a node from then on; a single machine can no longer use it.

  <directory>  the data directory; with --back one without a tape
  --back       from the cluster into the directory
  --yes        do not ask
  --json       JSON instead of text

Examples:
  tapeloom migrate /srv/tapeloom
  tapeloom migrate /srv/alone --back`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const taken = { flags: ['back', 'yes', 'json'] as const, words: ['the directory'] };
  const { values, words } = readArgs(args, taken);
  const data = resolve(words[0]!);
  const configured = configOf(io);
  const hasInstruments = existsSync(join(data, 'instruments.yaml'));
  const config = hasInstruments ? { ...configured, data } : configured;
  const place = await clusterPlace(io, undefined, config);
  if (values.back) io.stderr(NOT_BACK);
  const what = values.back ? `Move the cluster into ${data}` : `Move ${data} into the cluster`;
  if (!values.yes && !(await isWanted(io, `${what}?`))) {
    io.stderr('Nothing was changed.\n');
    return ExitCode.failure;
  }
  const listed = await contractsOfDays(config);
  const progress = new ProgressLine(io, {});
  const moved = await (values.back ? moveBack : moveIn)({
    ...place,
    data,
    listed,
    onProgress: (what, done, total) => progress.show(() => `${what}: ${done} of ${total}`),
  });
  progress.erase();
  if (values.json) writeJson(io, moved);
  else io.stdout(movedText(moved));
  return ExitCode.ok;
}

function movedText({ clusterId, accounts, datasets }: MovedData): string {
  const tables = tableText(
    [{ title: 'table' }, { title: 'rows', isNumber: true }, { title: 'digest' }],
    accounts
      .filter(({ rows }) => rows > 0)
      .map(({ table, rows, digest }) => [table, rows.toLocaleString('en'), digest.slice(0, 16)]),
  );
  const tapes = datasets.map(tapeText).join('\n');
  return `${tables}\n${tapes}Both sides are equal. Cluster ${clusterId}.\n`;
}

function tapeText({ dataset, tape }: MovedDataset): string {
  const days = tableText(
    [{ title: dataset }, { title: 'day' }, { title: 'trades’ digest' }],
    tape.days.map(({ symbol, day, digest }) => [symbol, dateText(day), digest.slice(0, 16)]),
  );
  const open =
    tape.open === null
      ? ''
      : `The open day ${dateText(tape.open.day)} continues with ${tape.open.trades.toLocaleString('en')} trades.\n`;
  return `${days}\n${open}`;
}
