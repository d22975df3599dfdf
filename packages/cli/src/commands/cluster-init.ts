/** `tapeloom cluster init`: creates what the nodes of a cluster share, once. */

import {
  type InitialisedCluster,
  initCluster,
} from '@tapeloom/server/operations/cluster/init-cluster';
import { isSafeName } from '@tapeloom/server/tape/tape-paths';
import { tell } from '../accounts/account-options.ts';
import { type ClusterPlace, clusterPlace } from '../cluster/cluster-place.ts';
import { ROOM_TEXTS, roomOf } from '../cluster/cluster-room.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { readArgs } from '../read-args.ts';

export const clusterInitCommand: CommandBody = {
  usage: `Usage: tapeloom cluster init [--dataset <name>] [--replicas <n>] [--stream-bytes <size>] [--object-bytes <size>] [--json]

Creates the shared storage of a cluster: tables in PostgreSQL, and in NATS, for each live dataset, the stream
of its tape and a bucket for its sealed days. First it checks every NATS server: 2.10.27 or later, "sync_interval:
always", max_payload of 4 MiB at least, and as many servers as replicas. You can run it again: what
exists stays, and nothing is overwritten. After you have added a live dataset, run it again with the data
directory to which you applied its instruments, or with --dataset, before you restart the nodes. The servers are those of TAPELOOM_POSTGRES_URL
and TAPELOOM_NATS_URL, the same as for the nodes.

  --dataset <name>       only this live dataset; its instruments may be applied later (default: all)
  --replicas <n>         servers that store the tape: 3, or 5, or 1 without redundancy
  --stream-bytes <size>  space for the last days of a dataset on each server (default: 4GiB)
  --object-bytes <size>  space for its sealed days on each server (default: 16GiB)
  --json                 JSON instead of text

Examples:
  tapeloom cluster init
  tapeloom cluster init --object-bytes 200GiB`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const taken = { texts: [...ROOM_TEXTS, 'dataset'] as const, flags: ['json'], words: [] } as const;
  const { values } = readArgs(args, taken);
  const room = roomOf(values);
  const place = await placeOf(io, values.dataset);
  const made = await initCluster({ ...place, ...room });
  const text = madeText(made, place.cluster.nats.isSyncAssured);
  return tell(io, values.json, { ...made, dataset: made.datasets[0]!.dataset }, text);
}

/** A named dataset need not be configured here. */
async function placeOf(io: CommandIo, dataset: string | undefined): Promise<ClusterPlace> {
  const place = await clusterPlace(io);
  if (dataset === undefined) return place;
  if (isSafeName(dataset)) return { ...place, datasets: [dataset] };
  throw new UsageError(`--dataset must be a name of a dataset; got ${JSON.stringify(dataset)}.`);
}

function madeText(made: InitialisedCluster, isSyncAssured: boolean): string {
  const { id, datasets } = made;
  const named = (isNew: boolean) =>
    datasets.flatMap((one) => (one.isNew === isNew ? [one.dataset] : [])).join(' and ');
  const [added, kept] = [named(true), named(false)];
  const shared = `${made.servers.length} NATS servers, ${made.replicas} replicas`;
  const assured = isSyncAssured
    ? 'It was not checked that the servers sync, because TAPELOOM_NATS_SYNC is assured.\n'
    : '';
  if (added === '') {
    return `The cluster ${id} already exists for ${kept}: ${shared}. Nothing was changed.\n${assured}`;
  }
  const what =
    kept === ''
      ? `The cluster ${id} was created for ${added}`
      : `The cluster ${id} of ${kept} now has ${added} too`;
  return `${what}: ${shared}.\n${assured}Start its nodes now, or move a data directory into it first: tapeloom migrate.\n`;
}
