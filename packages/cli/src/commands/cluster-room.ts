/** `tapeloom cluster room`: raises the size limit of the stream, and checks its servers afterwards. */

import { giveRoom } from '@tapeloom/server/operations/cluster/give-room';
import { writeJson } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import { readBytes } from '../cluster/cluster-room.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { sizeText } from '../size-text.ts';

export const clusterRoomCommand: CommandBody = {
  usage: `Usage: tapeloom cluster room <size> [--dataset <name>] [--objects] [--json]

Raises max_bytes of the stream to this size on each NATS server, while nodes run; a full stream
accepts records again within seconds. Then it compares for 20 seconds what the servers have stored, because a
server may fall behind: if one is missing messages, the exit code is 1 and the output names the next step.
It never reduces the size.

  <size>            space on each server, such as 32GiB
  --dataset <name>  the live dataset; required if there are several
  --objects         for the sealed days instead of the stream
  --json            JSON instead of text

Examples:
  tapeloom cluster room 32GiB
  tapeloom cluster room 400GiB --objects`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, {
    texts: ['dataset'],
    flags: ['objects', 'json'],
    words: ['size'],
  });
  const bytesMax = readBytes('<size>', words[0], 0);
  const { cluster, datasets } = await clusterPlace(io, values.dataset);
  if (datasets.length > 1) {
    throw new UsageError(`--dataset is missing; it must be one of ${datasets.join(', ')}.`);
  }
  if (!values.json) io.stderr('The servers are compared for 20 s after the raise.\n');
  const of = values.objects ? 'objects' : 'stream';
  const given = await giveRoom(cluster, datasets[0]!, { bytesMax, of });
  const { name, before, now, concerns, isChecked } = given;
  if (values.json) writeJson(io, given);
  else {
    const verdict = isChecked
      ? 'All its servers have stored the same.\n'
      : 'Not all servers could be compared: see TAPELOOM_NATS_MONITOR.\n';
    const text = concerns.length === 0 ? verdict : concerns.map((it) => `! ${it}\n`).join('');
    io.stdout(`${name} now holds up to ${sizeText(now)}, before ${sizeText(before)}.\n${text}`);
  }
  return concerns.length === 0 && isChecked ? ExitCode.ok : ExitCode.failure;
}
