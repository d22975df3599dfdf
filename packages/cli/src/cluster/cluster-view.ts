/** Renders a cluster as text: its nodes, its stream with the servers that store it, and its concerns. */

import {
  type ClusterStatus,
  type NodeStatus,
  SILENT_MS,
} from '@tapeloom/server/operations/cluster/cluster-status';
import { sizeText } from '../size-text.ts';
import { factsText, tableText } from '../table-text.ts';

const UNKNOWN = '-';

export function clusterText(status: ClusterStatus): string {
  const { id, dataset, nodes, servers, concerns } = status;
  const parts = [
    factsText([
      ['cluster', id ?? 'none yet'],
      ['dataset', dataset],
      ['appends', status.appends ?? 'unknown'],
      ...streamFacts(status),
    ]),
  ];
  if (nodes.length > 0) parts.push(nodesTable(nodes));
  if (servers.length > 0) parts.push(serversTable(status));
  parts.push(
    concerns.length === 0 ? 'All is well.\n' : concerns.map((concern) => `! ${concern}\n`).join(''),
  );
  return parts.join('\n');
}

function streamFacts({ stream, objects }: ClusterStatus): [string, string][] {
  return [stream, objects].flatMap((kept): [string, string][] => {
    if (kept === null) return [];
    const { name, first, last, bytes, bytesMax, replicas } = kept;
    const room = `${sizeText(bytes)} of ${sizeText(bytesMax)}`;
    const copies = replicas === 1 ? '1 replica' : `${replicas} replicas`;
    return [[name, `${number(first)} to ${number(last)}, ${room}, ${copies}`]];
  });
}

function nodesTable(nodes: readonly NodeStatus[]): string {
  const columns = [
    { title: 'node' },
    { title: 'roles' },
    { title: 'version' },
    { title: 'state' },
    { title: 'tape' },
    { title: 'sequence', isNumber: true },
    { title: 'behind', isNumber: true },
    { title: 'lag ms', isNumber: true },
    { title: 'connections', isNumber: true },
    { title: 'heard', isNumber: true },
  ];
  return tableText(
    columns,
    nodes.map((node) => [
      node.name,
      node.roles.join(', '),
      node.program,
      stateOf(node),
      isSilent(node) ? UNKNOWN : (node.tape?.role ?? UNKNOWN),
      node.tape === null ? UNKNOWN : number(node.tape.sequence),
      node.behind === null ? UNKNOWN : number(node.behind),
      node.lagMs === null ? UNKNOWN : number(Math.round(node.lagMs)),
      number(node.connections),
      `${(Math.max(0, node.heardMsAgo) / 1_000).toFixed(1)} s`,
    ]),
  );
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

function serversTable({ servers, stream, isSyncAssured }: ClusterStatus): string {
  const columns = [
    { title: 'server' },
    { title: 'address' },
    { title: 'version' },
    { title: 'syncs' },
    { title: 'payload', isNumber: true },
    { title: 'stream' },
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
    roleIn(stream, name),
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
