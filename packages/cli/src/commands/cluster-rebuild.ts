/** `tapeloom cluster rebuild`: creates a new stream from a node's directory after NATS lost everything. */

import { resolve } from 'node:path';
import {
  type RebuiltTape,
  rebuildCluster,
} from '@tapeloom/server/operations/cluster/rebuild-cluster';
import { tell } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import { ROOM_TEXTS, roomOf } from '../cluster/cluster-room.ts';
import { contractsOfDays } from '../cluster/contracts-of-days.ts';
import { isWanted } from '../cluster/is-wanted.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { configOf } from '../command-config.ts';
import { dateText } from '../day-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { ProgressLine } from '../progress-line.ts';
import { readArgs } from '../read-args.ts';

export const clusterRebuildCommand: CommandBody = {
  usage: `Usage: tapeloom cluster rebuild <directory>… [--accept-loss] [--replicas <n>] [--stream-bytes <size>] [--object-bytes <size>] [--yes] [--json]

After the loss of all NATS servers: creates new streams on new servers from the data directories of nodes, with the accounts in
PostgreSQL. Name the directories of all nodes, copied from their machines if necessary; for each live dataset, the one with the
most of its tape is used. No node may run. If a node is known to have had more, or days are missing, nothing is done. Everything
stored is read back and compared. The result is a new cluster: the tape that was used belongs to it; remove that dataset below tape/
in all other directories, and they fetch everything again. Until the next midnight UTC, clients that reconnect start with a snapshot. An interrupted run continues
when you repeat it. If a server still has the stream, see tapeloom cluster repair.

  <directory>            data directories of nodes
  --accept-loss          continue without the records, or datasets, that are known to be missing
  --replicas <n>         as for tapeloom cluster init
  --stream-bytes <size>  as there
  --object-bytes <size>  as there
  --yes                  do not ask
  --json                 JSON instead of text

Examples:
  tapeloom cluster rebuild /srv/tapeloom /mnt/serve-2/tapeloom`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const taken = { texts: ROOM_TEXTS, flags: ['accept-loss', 'yes', 'json'] as const, words: null };
  const { values, words } = readArgs(args, taken);
  if (words.length === 0) throw new UsageError('the directory of a node is missing');
  const directories = words.map((word) => resolve(word));
  const room = roomOf(values);
  const place = await clusterPlace(io);
  if (
    !values.yes &&
    !(await isWanted(io, 'Create a new stream? The old one can no longer be used afterwards.'))
  ) {
    io.stderr('Nothing was changed.\n');
    return ExitCode.failure;
  }
  const listed = await contractsOfDays(configOf(io));
  const progress = new ProgressLine(io, {});
  const rebuilt = await rebuildCluster({
    ...place,
    ...room,
    directories,
    isLossAccepted: values['accept-loss'],
    listed,
    onProgress: (what, done, total) => progress.show(() => `${what}: ${done} of ${total}`),
  });
  progress.erase();
  const text = rebuilt.datasets.map((one) => tapeText(rebuilt.id, one)).join('');
  return tell(io, values.json, rebuilt, text);
}

function tapeText(id: string, { dataset, data, tape }: RebuiltTape): string {
  const open =
    tape.open === null
      ? ''
      : ` and the open day ${dateText(tape.open.day)} with ${tape.open.trades.toLocaleString('en')} trades`;
  return `The cluster ${id} has ${tape.days.length} sealed days${open} of ${dataset} from ${data}, equal by their digests.
Start a node on ${data} first. In all other data directories, remove tape/${dataset} before you start their nodes.
`;
}
