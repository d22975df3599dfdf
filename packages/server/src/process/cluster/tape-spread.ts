/** How far the nodes alive that serve have come on the tape, by what each has last said of itself. */

import type { KnownNode } from '../../accounts/shared/known-nodes.ts';
import { readNodeReport } from '../../operations/cluster/node-report.ts';
import type { TapeSpread } from '../ingest/ingest-wire.ts';

export function tapeSpread(
  nodes: readonly Pick<KnownNode, 'isAlive' | 'roles' | 'report'>[],
): TapeSpread {
  const serving = nodes.filter(({ isAlive, roles }) => isAlive && roles.includes('serve'));
  const tapes = serving.map(({ report }) => readNodeReport(report).tape);
  const least = (numbers: readonly (number | undefined)[]) =>
    // One of the version before does not say all of it.
    numbers.reduce<number>((a, b) => Math.min(a, b ?? 0), Number.MAX_SAFE_INTEGER);
  return {
    read: least(tapes.map((tape) => tape?.sequence)),
    have: least(tapes.map((tape) => tape?.daysAt)),
  };
}
