/** `tapeloom cluster init`: creates what the nodes of a cluster share, once. */

import { initCluster } from '@tapeloom/server/operations/cluster/init-cluster';
import { tell } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import { ROOM_TEXTS, roomOf } from '../cluster/cluster-room.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { readArgs } from '../read-args.ts';

export const clusterInitCommand: CommandBody = {
  usage: `Usage: tapeloom cluster init [--replicas <n>] [--stream-bytes <size>] [--object-bytes <size>] [--json]

Creates the shared storage of a cluster: tables in PostgreSQL, and in NATS the stream of the tape and a
bucket for its sealed days. First it checks every NATS server: 2.10.27 or later, "sync_interval:
always", max_payload of 4 MiB at least, and as many servers as replicas. You can run it again: what
exists stays, and nothing is overwritten. The servers are those of TAPELOOM_POSTGRES_URL
and TAPELOOM_NATS_URL, the same as for the nodes.

  --replicas <n>         servers that store the tape: 3, or 5, or 1 without redundancy
  --stream-bytes <size>  space for the last days on each server (default: 4GiB)
  --object-bytes <size>  space for sealed days on each server (default: 16GiB)
  --json                 JSON instead of text

Examples:
  tapeloom cluster init
  tapeloom cluster init --object-bytes 200GiB`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { texts: ROOM_TEXTS, flags: ['json'], words: [] });
  const room = roomOf(values);
  const place = await clusterPlace(io);
  const made = await initCluster({ ...place, ...room });
  const { id, isNew } = made;
  const shared = `${made.servers.length} NATS servers, ${made.replicas} replicas`;
  const assured = place.cluster.nats.isSyncAssured
    ? 'It was not checked that the servers sync, because TAPELOOM_NATS_SYNC is assured.\n'
    : '';
  const text = isNew
    ? `The cluster ${id} was created for ${place.dataset}: ${shared}.\n${assured}Start its nodes now, or move a data directory into it first: tapeloom migrate.\n`
    : `The cluster ${id} already exists for ${place.dataset}: ${shared}. Nothing was changed.\n${assured}`;
  return tell(io, values.json, { ...made, dataset: place.dataset }, text);
}
