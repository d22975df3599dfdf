/**
 * The processor time of a message by the number of serving nodes; each has the same number of
 * clients. Numbers and nodes take turns, because the market is never the same twice. A turn starts
 * when all clients have their snapshots. A node without subscribed clients still follows the tape
 * and computes the topics: separate turns measure this cost, which is shared out over the messages
 * of a mean serving turn.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterNode } from '../../tests/cluster-suite/cluster-node.ts';
import { ClusterRig } from '../../tests/cluster-suite/cluster-rig.ts';
import { makeSharedAccounts } from '../../tests/cluster-suite/shared-accounts.ts';
import { median } from '../shared/machine-load.ts';
import { CONNECTIONS_EACH, CONNECTIONS_PER_ACCOUNT, Crowd, SUBSCRIPTIONS } from './crowd.ts';
import { type ClusterPart, type RunClusterPart, verdict } from './part.ts';
import { UpdateReader } from './update-reader.ts';

const NODES_MAX = 3;
const ROUNDS = 3;
/** The number of serving nodes, turn by turn. Before the first turn all nodes serve. */
const SERVING = [3, 2, 1, 0, 0, 1, 2, 3];
const SECONDS = 5;
const SETTLING_MS = 1_000;
/** For the JIT compilers, which are busy after the start. */
const WARM_UP_MS = 6_000;
const SPREAD_MAX = 0.1;
const MARKET = { TAPELOOM_SIM_SCALE: '10', TAPELOOM_SIM_DAYS: '0' };
/** The unit in which Linux counts processor time. */
const TICK_MS = 10;

/** Sums over the serving nodes, or over all nodes when none serves. */
interface Turn {
  readonly nodes: number;
  readonly messages: number;
  readonly cpuMs: number;
}

export const fanoutPart: RunClusterPart = async () => {
  const names = Array.from({ length: NODES_MAX }, (_, index) => `serve-${index + 1}`);
  const nodes = {
    sequencer: 'ingest',
    ...Object.fromEntries(names.map((name) => [name, 'serve'] as const)),
  } as const;
  await using rig = await ClusterRig.make({ nodes, env: MARKET });
  await rig.node('sequencer').start();
  await Promise.all(names.map((name) => rig.node(name).start()));
  const count = (NODES_MAX * CONNECTIONS_EACH) / CONNECTIONS_PER_ACCOUNT;
  const customers = Array.from({ length: count }, (_, index) => `customer-${index}`);
  using crowd = new Crowd(await makeSharedAccounts(rig.database, customers));
  const stayingKeys = await makeSharedAccounts(rig.database, names);
  // One subscriber per topic stays at each node. It keeps the topics open, so no turn waits for the
  // snapshot of a whole session.
  using staying = new DisposableStack();
  for (const [index, node] of rig.serving.entries()) {
    await crowd.fill(node);
    for (const subscription of SUBSCRIPTIONS) {
      staying.use(await UpdateReader.open(node, stayingKeys[index]!, subscription));
    }
  }
  for (const node of names.keys()) await crowd.subscribe(node);
  await pause(WARM_UP_MS);
  const turns: Turn[] = [];
  let serving = new Set(names.keys());
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const count of SERVING) {
      const next = Array.from({ length: count }, (_, index) => (round + index) % NODES_MAX);
      for (const node of serving) if (!next.includes(node)) crowd.unsubscribe(node);
      for (const node of next) if (!serving.has(node)) await crowd.subscribe(node);
      serving = new Set(next);
      turns.push(await turnOf(rig.serving, crowd, next));
    }
  }
  return partOf(turns);
};

async function turnOf(
  all: readonly ClusterNode[],
  crowd: Crowd,
  chosen: readonly number[],
): Promise<Turn> {
  crowd.ping();
  await pause(SETTLING_MS);
  const measured = chosen.length === 0 ? all : chosen.map((index) => all[index]!);
  const cpuMs = () => measured.reduce((sum, { service }) => sum + cpuMsOf(service.pid), 0);
  const [messagesBefore, cpuBefore] = [crowd.messages, cpuMs()];
  await pause(SECONDS * 1_000);
  const messages = crowd.messages - messagesBefore;
  assert(messages > 0 || chosen.length === 0, 'no message came');
  return { nodes: chosen.length, messages, cpuMs: cpuMs() - cpuBefore };
}

function partOf(turns: readonly Turn[]): ClusterPart {
  const idle = turns.filter(({ nodes }) => nodes === 0);
  const idleMs = median(idle.map(({ cpuMs }) => cpuMs / NODES_MAX));
  const serving = turns.filter(({ nodes }) => nodes > 0);
  const idlePerMessage = (1_000 * idleMs * sumOf(serving, 'nodes')) / sumOf(serving, 'messages');
  const costs = Array.from({ length: NODES_MAX }, (_, index) => {
    const of = turns.filter(({ nodes }) => nodes === index + 1);
    const messages = sumOf(of, 'messages');
    const microsecondsToSend = median(
      of.map((turn) => (1_000 * (turn.cpuMs - idleMs * turn.nodes)) / turn.messages),
    );
    const microsecondsPerMessage = microsecondsToSend + idlePerMessage;
    return { nodes: index + 1, messages, microsecondsToSend, microsecondsPerMessage };
  });
  const each = costs.map((cost) => cost.microsecondsPerMessage);
  const spread = Math.max(...each) / Math.min(...each) - 1;
  return {
    rows: costs.map((cost) => [
      `CPU per message, ${cost.nodes} serving, µs`,
      '',
      cost.microsecondsPerMessage.toFixed(2),
      cost.nodes === NODES_MAX ? verdict(spread <= SPREAD_MAX, `within ${SPREAD_MAX * 100} %`) : '',
    ]),
    notes: [
      `Fan-out: ${CONNECTIONS_EACH} customers at each node, ${SUBSCRIPTIONS.length} topics each; processor time of all processes that serve, ` +
        `${turns.length / (NODES_MAX + 1)} turns of ${SECONDS} s each; ${costs.map(({ messages }) => messages).join(', ')} messages; ` +
        `the largest is ${(spread * 100).toFixed(0)} % above the smallest.`,
      `Of that ${idlePerMessage.toFixed(2)} µs are a node's own, whoever has subscribed: ${(idleMs / SECONDS).toFixed(0)} ms a second, shared out over its messages of a mean turn. ` +
        `Sending alone costs ${costs.map(({ microsecondsToSend }) => microsecondsToSend.toFixed(2)).join(', ')} µs.`,
    ],
    json: {
      fanout: {
        connectionsEach: CONNECTIONS_EACH,
        topicsEach: SUBSCRIPTIONS.length,
        idleMsPerSecond: idleMs / SECONDS,
        costs,
        spread,
        turns,
      },
    },
  };
}

function sumOf(turns: readonly Turn[], name: keyof Turn): number {
  return turns.reduce((sum, turn) => sum + turn[name], 0);
}

/** User and system time of all threads of a process so far. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
