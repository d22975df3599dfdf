/** Clients of serving nodes, equally many at each; they count the messages they are sent. */

import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterNode } from '../../tests/cluster-suite/cluster-node.ts';
import { FrameCounter } from '../fanout/frame-counter.ts';
import { forEachOf, LightSocket } from '../shared/stream-sockets.ts';

export const CONNECTIONS_EACH = 250;
export const CONNECTIONS_PER_ACCOUNT = 5;

/**
 * The subscriptions of each client: topics that change with every trade, each with its own edges.
 * One contract trades round the clock, the other trades much more while its exchange is open.
 */
export const SUBSCRIPTIONS = [
  { t: 'subscribe', sub: 'a', instrument: 'BTC.c.0', indicator: 'bars' },
  { t: 'subscribe', sub: 'b', instrument: 'BTC.c.0', indicator: 'vwap' },
  { t: 'subscribe', sub: 'c', instrument: 'ES.c.0', indicator: 'bars' },
  { t: 'subscribe', sub: 'd', instrument: 'ES.c.0', indicator: 'delta' },
] as const;
const SNAPSHOTS_MS_MAX = 60_000;
const LOOK_MS = 20;

export class Crowd implements Disposable {
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

  /** Updates that all clients together have received so far. */
  get messages(): number {
    return this.#counters.reduce((sum, { upserts }) => sum + upserts, 0);
  }

  /** Connects the clients of the next node, without subscriptions. */
  async fill({ host, port }: ClusterNode): Promise<void> {
    const first = this.#sockets.length;
    await forEachOf(CONNECTIONS_EACH, async (index) => {
      const key = this.#keys[Math.floor((first + index) / CONNECTIONS_PER_ACCOUNT)]!;
      const counter = new FrameCounter();
      const line = { host, port, key, memory: this.#memory };
      this.#sockets.push(await LightSocket.open(line, counter.take));
      this.#counters.push(counter);
    });
  }

  /** Subscribes the clients of this node; resolves when all of them have their snapshots. */
  async subscribe(node: number): Promise<void> {
    const counters = this.#counters.slice(node * CONNECTIONS_EACH, (node + 1) * CONNECTIONS_EACH);
    const due = counters.map(({ snapshots }) => snapshots + SUBSCRIPTIONS.length);
    for (const socket of this.#socketsOf(node)) {
      for (const subscription of SUBSCRIPTIONS) socket.send(subscription);
    }
    const deadlineMs = performance.now() + SNAPSHOTS_MS_MAX;
    while (counters.some(({ snapshots }, index) => snapshots < due[index]!)) {
      if (performance.now() > deadlineMs) throw new Error('somebody was not sent a snapshot');
      await pause(LOOK_MS);
    }
  }

  unsubscribe(node: number): void {
    for (const socket of this.#socketsOf(node)) {
      for (const { sub } of SUBSCRIPTIONS) socket.send({ t: 'unsubscribe', sub });
    }
  }

  /** The server closes a connection that is silent for half a minute. */
  ping(): void {
    for (const socket of this.#sockets) socket.ping();
  }

  #socketsOf(node: number): readonly LightSocket[] {
    return this.#sockets.slice(node * CONNECTIONS_EACH, (node + 1) * CONNECTIONS_EACH);
  }
}
