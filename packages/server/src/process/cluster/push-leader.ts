/** Which node of a cluster takes the pushed trades of a dataset, by what this node last read of its tape. */

import type { KnownNode } from '../../accounts/shared/known-nodes.ts';
import type { PushLeader } from '../../http/push/push-desk.ts';
import { readNodeReport } from '../../operations/cluster/node-report.ts';
import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';

/** `nodes`: all nodes, as last read from the register; `self`: the id of this one. */
export function pushLeader(
  tape: Pick<SharedTapeReport, 'role' | 'leader'> | undefined,
  nodes: readonly Pick<KnownNode, 'id' | 'name' | 'isAlive' | 'report'>[],
  self: string,
): PushLeader {
  if (tape?.role === 'leading') return { t: 'here' };
  const writer = tape?.leader ?? null;
  const id = writer === null ? null : writer.slice(0, writer.lastIndexOf('.'));
  const leader = nodes.find((node) => node.id === id && node.isAlive);
  // This node was the last to lead, and does not lead any more: the next one is not known yet.
  if (leader === undefined || id === self) return { t: 'nobody' };
  const { internalUrl } = readNodeReport(leader.report);
  if (internalUrl === null) return { t: 'unaddressed', node: leader.name };
  return { t: 'elsewhere', url: internalUrl };
}
