/** Checks what nodes share: PostgreSQL, NATS, and the concerns of `tapeloom cluster status`, including clocks. */

import type { Config } from '@tapeloom/server/config/config';
import { type Finding, ok, warning } from './finding.ts';

export async function checkCluster(
  { cluster }: Config,
  datasets: readonly string[],
): Promise<readonly Finding[]> {
  if (cluster === null) return [];
  const { clusterStatus } = await import('@tapeloom/server/operations/cluster/cluster-status');
  const { nodes, concerns } = await clusterStatus(cluster, datasets);
  if (concerns.length === 0) return [ok('cluster', `${nodes.length} nodes, no problems found`)];
  const advice = 'tapeloom cluster status shows the details (docs/operating/many-machines.md).';
  return concerns.map((concern) => warning('cluster', concern, advice));
}
