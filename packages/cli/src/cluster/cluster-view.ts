/** Renders a cluster as text: its live datasets, its nodes, the servers that store its streams, and its concerns. */

import { MS_NS_BIG } from '@tapeloom/core/units';
import { SILENT_MS } from '@tapeloom/server/operations/cluster/cluster-concerns';
import type { NodeStatus } from '@tapeloom/server/operations/cluster/cluster-facts';
import type {
  ClusterStatus,
  DatasetStatus,
} from '@tapeloom/server/operations/cluster/cluster-status';
import { sizeText } from '../size-text.ts';
import { factsText, tableText } from '../table-text.ts';

const UNKNOWN = '-';

export function clusterText(status: ClusterStatus): string {
  const { id, nodes, servers, datasets, concerns } = status;
  const parts = [
    factsText([['cluster', id ?? 'none yet'], ...datasets.flatMap(streamFacts)]),
    datasetsTable(datasets),
  ];
  if (nodes.length > 0) parts.push(nodesTable(status));
  if (servers.length > 0) parts.push(serversTable(status));
  parts.push(
    concerns.length === 0 ? 'All is well.\n' : concerns.map((concern) => `! ${concern}\n`).join(''),
  );
  return parts.join('\n');
}

function datasetsTable(datasets: readonly DatasetStatus[]): string {
  const columns = [
    { title: 'dataset' },
    { title: 'appends' },
    { title: 'watermark' },
    { title: 'lag ms', isNumber: true },
  ];
  return tableText(
    columns,
    datasets.map(({ dataset, appends, watermark, lagMs }) => [
      dataset,
      appends ?? 'unknown',
      watermark === null ? UNKNOWN : instantText(watermark),
      lagMs === null ? UNKNOWN : number(Math.round(lagMs)),
    ]),
  );
}

function instantText(ns: string): string {
  return new Date(Number(BigInt(ns) / MS_NS_BIG)).toISOString();
}

function streamFacts({ stream, objects }: DatasetStatus): [string, string][] {
  return [stream, objects].flatMap((kept): [string, string][] => {
    if (kept === null) return [];
    const { name, first, last, bytes, bytesMax, replicas } = kept;
    const room = `${sizeText(bytes)} of ${sizeText(bytesMax)}`;
    const copies = replicas === 1 ? '1 replica' : `${replicas} replicas`;
    return [[name, `${number(first)} to ${number(last)}, ${room}, ${copies}`]];
  });
}

/** A row for each node, and one more for each further dataset. */
function nodesTable({ nodes, datasets }: ClusterStatus): string {
  const columns = [
    { title: 'node' },
    { title: 'roles' },
    { title: 'version' },
    { title: 'state' },
    { title: 'dataset' },
    { title: 'tape' },
    { title: 'sequence', isNumber: true },
    { title: 'behind', isNumber: true },
    { title: 'lag ms', isNumber: true },
    { title: 'connections', isNumber: true },
    { title: 'heard', isNumber: true },
  ];
  return tableText(
    columns,
    nodes.flatMap((node) =>
      datasets.map((dataset, index) => {
        const cells = nodeCells(node, dataset);
        return index === 0 ? cells : cells.map((cell, at) => (isOfNode(at) ? '' : cell));
      }),
    ),
  );
}

/** Whether a column of the nodes is the same for all datasets. */
function isOfNode(column: number): boolean {
  return column < 4 || column > 8;
}

function nodeCells(node: NodeStatus, { dataset, nodes }: DatasetStatus): readonly string[] {
  const { tape = null, behind = null } = nodes.find(({ id }) => id === node.id) ?? {};
  const lagMs = tape?.lagMs ?? node.lagMs;
  return [
    node.name,
    node.roles.join(', '),
    node.program,
    stateOf(node),
    dataset,
    isSilent(node) ? UNKNOWN : (tape?.role ?? UNKNOWN),
    tape === null ? UNKNOWN : number(tape.sequence),
    behind === null ? UNKNOWN : number(behind),
    lagMs === null ? UNKNOWN : number(Math.round(lagMs)),
    number(node.connections),
    `${(Math.max(0, node.heardMsAgo) / 1_000).toFixed(1)} s`,
  ];
}

function isSilent({ heardMsAgo }: NodeStatus): boolean {
  return heardMsAgo >= SILENT_MS;
}

function stateOf(node: NodeStatus): string {
  const { isAlive, drains, notReady } = node;
  if (!isAlive) return 'gone';
  if (isSilent(node)) return 'silent';
  if (drains) return 'draining';
  return notReady === null ? 'ready' : 'not ready';
}

function serversTable({ servers, datasets, isSyncAssured }: ClusterStatus): string {
  const columns = [
    { title: 'server' },
    { title: 'address' },
    { title: 'version' },
    { title: 'syncs' },
    { title: 'payload', isNumber: true },
    ...datasets.map(({ dataset }) => ({ title: `stream of ${dataset}` })),
  ];
  const rows = servers.map(({ url, name, version, payloadBytesMax, isSyncAlways }) => [
    name ?? UNKNOWN,
    url,
    version ?? 'no answer',
    isSyncAlways === null
      ? isSyncAssured
        ? 'assured'
        : 'unknown'
      : isSyncAlways
        ? 'always'
        : 'NO',
    payloadBytesMax === null ? UNKNOWN : sizeText(payloadBytesMax),
    ...datasets.map(({ stream }) => roleIn(stream, name)),
  ]);
  return tableText(columns, rows);
}

function roleIn(stream: ClusterStatus['stream'], server: string | null): string {
  if (stream === null || server === null) return UNKNOWN;
  const leaderMissing = stream.leaderMissing ?? 0;
  if (stream.leader === server)
    return leaderMissing > 0 ? `leads, LACKS ${number(leaderMissing)}` : 'leads';
  const follower = stream.followers.find(({ name }) => name === server);
  if (follower === undefined) return stream.followers.length === 0 ? 'keeps it' : UNKNOWN;
  if (follower.isSilent) return 'away';
  if (!follower.isCurrent) return `lacks ${number(follower.lag)}`;
  return (follower.missing ?? 0) > 0 ? `LACKS ${number(follower.missing!)}` : 'current';
}

function number(value: number): string {
  return value.toLocaleString('en');
}
