/** `tapeloom cluster status`: nodes with their roles, the appending node, and all problems found. */

import { setTimeout } from 'node:timers/promises';
import {
  type ClusterStatus,
  clusterStatus,
} from '@tapeloom/server/operations/cluster/cluster-status';
import { writeJson } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import { clusterText } from '../cluster/cluster-view.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';

const LOOK_EVERY_MS = 1_000;
const CLEAR_SCREEN = '\x1b[H\x1b[2J';

export const clusterStatusCommand: CommandBody = {
  usage: `Usage: tapeloom cluster status [--watch] [--json]

Shows the live datasets of a cluster, each with the node that appends, its watermark and lag; the nodes with
their roles and versions, and how far each is behind on every dataset; the NATS servers with their contents
and whether they sync; and all problems found. It changes nothing. The exit code is 1 if there is a problem.

With --json, "datasets" has all live datasets; the other fields about a tape are those of the first one.

  --watch  again every second, until ctrl-c
  --json   JSON instead of text, one line each time

Examples:
  tapeloom cluster status
  tapeloom cluster status --json | jq '.concerns[]'`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { flags: ['watch', 'json'], words: [] });
  const { cluster, datasets } = await clusterPlace(io);
  for (;;) {
    const status = await clusterStatus(cluster, datasets);
    show(io, status, values.json, values.watch);
    if (!values.watch) return status.concerns.length === 0 ? ExitCode.ok : ExitCode.failure;
    await setTimeout(LOOK_EVERY_MS, null, { signal: io.signal }).catch(() => undefined);
    if (io.signal.aborted) return ExitCode.interrupted;
  }
}

function show(io: CommandIo, status: ClusterStatus, isJson: boolean, isWatched: boolean): void {
  if (isJson) writeJson(io, status);
  else io.stdout(`${isWatched && io.isTerminal ? CLEAR_SCREEN : ''}${clusterText(status)}`);
}
