/**
 * What a message costs nodes that serve, by how many there are: each has as many customers, so each sends as many messages. All nodes
 * run all the time and the numbers take turns, since the market is never twice the same.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterNode } from '../../tests/cluster-suite/cluster-node.ts';
import { ClusterRig } from '../../tests/cluster-suite/cluster-rig.ts';
import { makeSharedAccounts } from '../../tests/cluster-suite/shared-accounts.ts';
import { FrameCounter } from '../fanout/frame-counter.ts';
import { median } from '../shared/machine-load.ts';
import { forEachOf, LightSocket } from '../shared/stream-sockets.ts';
import type { RunClusterPart } from './part.ts';
import { verdict } from './part.ts';
import { EVERY_TRADE, UpdateReader } from './update-reader.ts';

const NODES_MAX = 3;
const CONNECTIONS_EACH = 250;
const CONNECTIONS_PER_ACCOUNT = 5;
const ROUNDS = 4;
const SECONDS = 6;
const WARM_UP_SECONDS = 2;
const SPREAD_MAX = 0.1;
const MARKET = { TAPELOOM_SIM_SCALE: '10', TAPELOOM_SIM_DAYS: '0' };
/** Of the clock that counts processor time. */
const TICK_MS = 10;

interface Cost {
  readonly nodes: number;
  readonly messages: number;
  readonly microsecondsPerMessage: number;
}

export const fanoutPart: RunClusterPart = async () => {
  const names = Array.from({ length: NODES_MAX }, (_, index) => `serve-${index + 1}`);
  const nodes = {
    sequencer: 'ingest',
    ...Object.fromEntries(names.map((name) => [name, 'serve'] as const)),
  } as const;
  await using rig = await ClusterRig.make({ nodes, env: MARKET });
  await rig.node('sequencer').start();
  for (const name of names) await rig.node(name).start();
  const count = (NODES_MAX * CONNECTIONS_EACH) / CONNECTIONS_PER_ACCOUNT + 1;
  const accounts = Array.from({ length: count }, (_, index) => `customer-${index}`);
  const keys = await makeSharedAccounts(rig.database, accounts);
  using crowd = new Crowd(keys);
  // One who stays: then the topic is there, and no snapshot of a whole session is waited for in a turn.
  using staying = new DisposableStack();
  for (const [index, name] of names.entries()) {
    await crowd.fill(rig.node(name), index);
    staying.use(await UpdateReader.open(rig.node(name), keys.at(-1)!));
  }
  const turns = names.map((): Cost[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, of] of turns.entries()) {
      const cost = await crowd.cost(rig.serving.slice(0, index + 1));
      if (round > 0) of.push(cost);
    }
  }
  const costs = turns.map((of, index) => ({
    nodes: index + 1,
    messages: of.reduce((sum, { messages }) => sum + messages, 0),
    microsecondsPerMessage: median(of.map((cost) => cost.microsecondsPerMessage)),
  }));
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
      `Fan-out: ${CONNECTIONS_EACH} customers at each node, one topic with every trade; processor time of all processes that serve, ` +
        `medians of ${ROUNDS} turns of ${SECONDS} s; ${costs.map(({ messages }) => messages).join(', ')} messages; the largest is ${(spread * 100).toFixed(0)} % above the smallest.`,
    ],
    json: { fanout: { connectionsEach: CONNECTIONS_EACH, costs, spread } },
  };
};

class Crowd implements Disposable {
  readonly #keys: readonly string[];
  readonly #sockets: LightSocket[] = [];
  readonly #counters: FrameCounter[] = [];
  readonly #memory = Buffer.alloc(65_536);

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The customers of one node, who have not subscribed yet. */
  async fill({ host, port }: ClusterNode, number: number): Promise<void> {
    await forEachOf(CONNECTIONS_EACH, async (index) => {
      const at = number * CONNECTIONS_EACH + index;
      const key = this.#keys[Math.floor(at / CONNECTIONS_PER_ACCOUNT)]!;
      const counter = new FrameCounter();
      const line = { host, port, key, memory: this.#memory };
      this.#sockets.push(await LightSocket.open(line, counter.take));
      this.#counters.push(counter);
    });
  }

  /** While the customers of the first nodes have subscribed. */
  async cost(nodes: readonly ClusterNode[]): Promise<Cost> {
    const messages = () => this.#counters.reduce((sum, { upserts }) => sum + upserts, 0);
    const cpuMs = () => nodes.reduce((sum, { service }) => sum + cpuMsOf(service.pid), 0);
    const sockets = this.#sockets.slice(0, nodes.length * CONNECTIONS_EACH);
    for (const socket of this.#sockets) socket.ping();
    for (const socket of sockets) socket.send(EVERY_TRADE);
    await pause(WARM_UP_SECONDS * 1_000);
    const [messagesBefore, cpuBefore] = [messages(), cpuMs()];
    await pause(SECONDS * 1_000);
    const sent = messages() - messagesBefore;
    assert(sent > 0, 'no message came');
    const microseconds = (cpuMs() - cpuBefore) * 1_000;
    for (const socket of sockets) socket.send({ t: 'unsubscribe', sub: EVERY_TRADE.sub });
    await pause(WARM_UP_SECONDS * 1_000);
    return { nodes: nodes.length, messages: sent, microsecondsPerMessage: microseconds / sent };
  }
}

/** User and system time of all threads of a process, so far. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
