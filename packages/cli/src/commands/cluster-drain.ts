/** `tapeloom cluster drain`: makes a node hand its clients to other nodes and stop. */

import { setTimeout } from 'node:timers/promises';
import { nearestName } from '@tapeloom/server/config/nearest-name';
import { Drain, NoSuchNodeError } from '@tapeloom/server/operations/cluster/drain-node';
import { tell } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { ProgressLine } from '../progress-line.ts';
import { readArgs } from '../read-args.ts';

const LOOK_EVERY_MS = 500;

export const clusterDrainCommand: CommandBody = {
  usage: `Usage: tapeloom cluster drain <node> [--no-wait] [--json]

Asks a node to leave: it reports that it is not ready, so that load balancers send no new customers, tells its
customers over some seconds to reconnect, waits for them, hands over the tape if it appends, and stops. Its process
manager must not restart it at once. The command waits until the node has left; ctrl-c ends the
wait, but the node still leaves.

  <node>     its name or id, as shown by tapeloom cluster status
  --no-wait  return as soon as the node is asked
  --json     JSON instead of text

Examples:
  tapeloom cluster drain serve-1`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { flags: ['no-wait', 'json'], words: ['the node'] });
  const { cluster } = await clusterPlace(io);
  const node = words[0]!;
  try {
    await using drain = await Drain.begin(cluster, node);
    if (values['no-wait']) {
      return tell(io, values.json, { node, hasLeft: false }, `${node} was asked to leave.\n`);
    }
    const seconds = await waitFor(drain, node, io);
    if (seconds === null) return ExitCode.interrupted;
    const text = `${node} has left after ${seconds.toFixed(1)} s.\n`;
    return tell(io, values.json, { node, hasLeft: true, seconds }, text);
  } catch (error) {
    if (!(error instanceof NoSuchNodeError)) throw error;
    const near = nearestName(node, error.names);
    const hint = near === null ? aliveText(error.names) : `did you mean ${near}?`;
    io.stderr(`${error.message}; ${hint}\n`);
    return ExitCode.notFound;
  }
}

function aliveText(names: readonly string[]): string {
  return names.length === 0 ? 'no node is' : `alive are ${names.join(', ')}`;
}

/** The duration in seconds; null when the user aborts the wait. */
async function waitFor(drain: Drain, node: string, io: CommandIo): Promise<number | null> {
  const progress = new ProgressLine(io, {});
  try {
    for (let left = await drain.leaving(); left.length > 0; left = await drain.leaving()) {
      const connections = left.reduce((sum, it) => sum + it.connections, 0);
      progress.show(() => `${node} leaves: ${connections.toLocaleString('en')} connections`);
      await setTimeout(LOOK_EVERY_MS, null, { signal: io.signal }).catch(() => undefined);
      if (io.signal.aborted) return null;
    }
    return progress.seconds;
  } finally {
    progress.erase();
  }
}
