/** Checks what nodes share: PostgreSQL, NATS, and the concerns of `tapeloom cluster status`, including clocks. */

import type { Config } from '@tapeloom/server/config/config';
import { type Finding, ok, warning } from './finding.ts';

export async function checkCluster(
  { cluster }: Config,
  datasets: readonly string[],
): Promise<readonly Finding[]> {
  if (cluster === null) return [];
  const { clusterStatus } = await import('@tapeloom/server/operations/cluster/cluster-status');
  const found = await Promise.all(datasets.map((one) => clusterStatus(cluster, one)));
  const concerns = new Set(found.flatMap((one) => one.concerns));
  const nodes = found[0]?.nodes.length ?? 0;
  if (concerns.size === 0) return [ok('cluster', `${nodes} nodes, no problems found`)];
  const advice = 'tapeloom cluster status shows the details (docs/operating/many-machines.md).';
  return Array.from(concerns, (concern) => warning('cluster', concern, advice));
}
