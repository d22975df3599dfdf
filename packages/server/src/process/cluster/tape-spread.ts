/** How far all live serving nodes have come on the tape of a dataset, by each node's last report. */

import type { KnownNode } from '../../accounts/shared/known-nodes.ts';
import { readNodeReport, tapeIn } from '../../operations/cluster/node-report.ts';
import type { TapeSpread } from '../ingest/ingest-wire.ts';

export function tapeSpread(
  nodes: readonly Pick<KnownNode, 'isAlive' | 'roles' | 'report'>[],
  dataset: string,
): TapeSpread {
  const serving = nodes.filter(({ isAlive, roles }) => isAlive && roles.includes('serve'));
  const tapes = serving.map(({ report }) => tapeIn(readNodeReport(report).tapes, dataset));
  const least = (numbers: readonly (number | undefined)[]) =>
    // A node of an older version may not report all values.
    numbers.reduce<number>((a, b) => Math.min(a, b ?? 0), Number.MAX_SAFE_INTEGER);
  return {
    read: least(tapes.map((tape) => tape?.sequence)),
    have: least(tapes.map((tape) => tape?.daysAt)),
  };
}
