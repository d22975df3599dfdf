/** Connections spread evenly over topics, and when each message reached each of them. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Params } from '@tapeloom/core/studies/indicator';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { CursorReader } from '../replay/cursor-reader.ts';
import type { StreamProcess } from '../shared/stream-process.ts';
import { forEachOf, LightSocket } from '../shared/stream-sockets.ts';
import { type Receipts, TopicReceipts } from './receipts.ts';

const CONNECTIONS_PER_ACCOUNT = 5;
const PING_MS = 10_000;
const PING_STEP_MS = 10;
const POLL_MS = 5;
/** Larger than what a connection receives at once. */
const READ_BYTES = 65_536;

export interface LatencyTopic {
  readonly indicator: string;
  readonly params: Params;
  readonly mode?: StreamMode;
}

export class LatencyReaders implements Disposable {
  readonly receipts: readonly Receipts[];
  readonly #topics: readonly TopicReceipts[];
  readonly #sockets: LightSocket[] = [];
  readonly #pinging = setInterval(() => this.#ping(), PING_STEP_MS);
  #step = 0;
  #closed = 0;

  private constructor(topics: number) {
    this.#topics = Array.from({ length: topics }, () => new TopicReceipts());
    this.receipts = this.#topics;
  }

  /** Resolves with all snapshots. Accounts before `firstAccount` belong to other readers. */
  static async open(
    process: StreamProcess,
    connections: number,
    topics: readonly LatencyTopic[],
    firstAccount = 0,
  ): Promise<LatencyReaders> {
    const readers = new LatencyReaders(topics.length);
    const memory = Buffer.alloc(READ_BYTES);
    await forEachOf(connections, async (index) => {
      const at = index % topics.length;
      const receipts = readers.#topics[at]!;
      const reader = receipts.reader();
      const take = (chunk: Buffer) => receipts.take(reader, chunk);
      const account = firstAccount + Math.floor(index / CONNECTIONS_PER_ACCOUNT);
      const options = { port: process.port, key: process.keys[account]!, memory };
      const socket = await LightSocket.open(options, take);
      socket.socket.on('close', () => {
        readers.#closed += 1;
      });
      readers.#sockets.push(socket);
      const stream = { instrument: process.symbol, ...topics[at] };
      socket.send({ t: 'subscribe', sub: CursorReader.SUB, ...stream });
      while (!reader.hasSnapshot) await pause(POLL_MS);
    });
    return readers;
  }

  /** Connections that the server has closed. */
  get closed(): number {
    return this.#closed;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#pinging);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Pings are spread over time, as those of independent clients are. */
  #ping(): void {
    const steps = PING_MS / PING_STEP_MS;
    for (let at = this.#step; at < this.#sockets.length; at += steps) this.#sockets[at]!.ping();
    this.#step = (this.#step + 1) % steps;
  }
}
