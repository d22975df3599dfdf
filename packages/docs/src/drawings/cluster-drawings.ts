/** Drawings about clusters: what machines share, and how many a million connections need. */

import { arrow, box, type Drawing, LEFT, labelled, line, RIGHT, text } from './drawing.ts';

const MANY_MACHINES: Drawing = {
  name: 'many-machines',
  title: 'What the nodes of a cluster share',
  description:
    'Customers reach a load balancer, which spreads them over the nodes. All nodes are the same program. They share the tape, ' +
    'which three NATS servers keep and one node at a time appends to, and the accounts, which PostgreSQL keeps. No node asks another.',
  height: 372,
  shapes: [
    text(210, 34, 'customers', { anchor: 'middle' }),
    arrow(210, 44, 210, 66),
    labelled(110, 68, 200, 36, 'load balancer', 'plain'),
    line(210, 104, 210, 120),
    line(76, 120, 344, 120),
    arrow(76, 120, 76, 142),
    arrow(210, 120, 210, 142),
    arrow(344, 120, 344, 142),
    labelled(LEFT, 144, 120, 40, 'node, appends', 'solid'),
    labelled(150, 144, 120, 40, 'node', 'filled'),
    labelled(284, 144, 120, 40, 'node', 'filled'),
    line(76, 184, 76, 206),
    line(210, 184, 210, 206),
    line(344, 184, 344, 206),
    line(76, 206, 344, 206),
    arrow(110, 206, 110, 232),
    arrow(310, 206, 310, 232),
    box(LEFT, 234, 188, 92),
    text(32, 260, 'the tape', { style: 'bold' }),
    text(32, 284, 'three NATS servers,'),
    text(32, 308, 'one appends'),
    box(216, 234, 188, 92),
    text(232, 260, 'the accounts', { style: 'bold' }),
    text(232, 284, 'PostgreSQL'),
    text(LEFT, 356, 'no node asks another', { tone: 'faint' }),
  ],
};

const NODES_BY_LIMIT: readonly (readonly [string, number])[] = [
  ['all on the busiest contract', 320],
  ['topics of a node', 166],
  ['streams of a node', 100],
  ['writing, busiest hour', 76],
  ['computing', 15],
  ['memory', 6],
];
const ROW_HEIGHT = 48;
const NODES_WIDTH_MAX = RIGHT - LEFT - 44;
const NODES_MAX = 320;

const SCALE: Drawing = {
  name: 'scale',
  title: 'Nodes for a million connections, by each limit',
  description: `${NODES_BY_LIMIT.map(([limit, nodes]) => `${limit}: ${nodes}`).join('; ')}.`,
  height: 40 + NODES_BY_LIMIT.length * ROW_HEIGHT + 12,
  shapes: [
    text(LEFT, 30, 'nodes for a million connections', { style: 'bold' }),
    ...NODES_BY_LIMIT.flatMap(([limit, nodes], index) => {
      const y = 58 + index * ROW_HEIGHT;
      const width = Math.max(4, Math.round((nodes / NODES_MAX) * NODES_WIDTH_MAX));
      return [
        text(LEFT, y, limit),
        box(LEFT, y + 7, width, 16, limit === 'topics of a node' ? 'solid' : 'filled'),
        text(LEFT + width + 8, y + 20, `${nodes}`),
      ];
    }),
  ],
};

export const CLUSTER_DRAWINGS = { MANY_MACHINES, SCALE };
