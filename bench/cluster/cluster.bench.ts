/**
 * A cluster beside a standalone service; all are real processes on this one machine, so read the
 * ratios. Parts: latency from trade to client, the cost of a message by the number of serving
 * nodes, charged requests with PostgreSQL, a joining node, and the pause in trades when a sequencer
 * or the stream's leader is lost. Words choose parts; numbers are the commits of the open day that
 * a node joins.
 */

import { natsServer } from '../../packages/server/testing/tape/find-nats-server.ts';
import { loadAverage } from '../shared/machine-load.ts';
import type { Bench } from '../shared/report.ts';
import { fanoutPart } from './fanout-part.ts';
import { joinPart } from './join-part.ts';
import { latencyPart } from './latency-part.ts';
import { lossPart } from './loss-part.ts';
import type { ClusterPart, RunClusterPart } from './part.ts';
import { restPart } from './rest-part.ts';

const PARTS: Readonly<Record<string, RunClusterPart>> = {
  latency: latencyPart,
  fanout: fanoutPart,
  rest: restPart,
  join: joinPart,
  loss: lossPart,
};

export const run: Bench = async (words) => {
  const found = natsServer();
  const names = words.filter((word) => !/^\d+$/.test(word));
  const commits = words.filter((word) => !names.includes(word)).map(Number);
  const unknown = names.filter((word) => !(word in PARTS));
  if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}`);
  const loadBefore = loadAverage();
  const done: ClusterPart[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.log(`… ${name}`);
    done.push(await part({ commits }));
  }
  const loads = [loadBefore, loadAverage()] as const;
  return {
    title: 'A cluster beside a service that stands alone',
    columns: ['', 'alone', 'cluster', 'target'],
    rows: done.flatMap(({ rows }) => rows),
    notes: [
      ...done.flatMap(({ notes }) => notes),
      `nats-server ${found.version}, three of them, and PostgreSQL; load average ${loads[0]} before, ${loads[1]} after.`,
    ],
    json: Object.assign(
      { nats: found.version, loadAverage: loads },
      ...done.map(({ json }) => json),
    ),
  };
};
