/**
 * Connections spread evenly over topics, and when each message reached each of them. Times are those at
 * which the bytes were handed to this process, so its own delay is part of every latency.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Params } from '@tapeloom/core/studies/indicator';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { CursorReader } from '../replay/cursor-reader.ts';
import type { StreamProcess } from '../shared/stream-process.ts';
import { forEachOf, LightSocket } from '../shared/stream-sockets.ts';
import { monotonicMs } from '../shared/stream-wire.ts';

const CONNECTIONS_PER_ACCOUNT = 5;
const PING_MS = 10_000;
const POLL_MS = 5;
/** Larger than what a connection is sent at once. */
const READ_BYTES = 65_536;

export interface LatencyTopic {
  readonly indicator: string;
  readonly params: Params;
  readonly mode?: StreamMode;
}

/** Of one topic: its cursors, and which of them was received when. */
export interface Receipts {
  readonly cursors: readonly string[];
  readonly cursorIndexes: readonly number[];
  readonly receivedMs: readonly number[];
  /** Of all these messages together. */
  readonly bytes: number;
}

class TopicReceipts implements Receipts {
  readonly cursors: string[] = [];
  readonly cursorIndexes: number[] = [];
  readonly receivedMs: number[] = [];
  bytes = 0;
  readonly #indexes = new Map<string, number>();

  add(cursor: string, atMs: number): void {
    let index = this.#indexes.get(cursor);
    if (index === undefined) {
      index = this.cursors.length;
      this.#indexes.set(cursor, index);
      this.cursors.push(cursor);
    }
    this.cursorIndexes.push(index);
    this.receivedMs.push(atMs);
  }
}

export class LatencyReaders implements Disposable {
  readonly receipts: readonly Receipts[];
  readonly #topics: readonly TopicReceipts[];
  readonly #sockets: LightSocket[] = [];
  readonly #pinging = setInterval(() => this.#ping(), PING_MS);
  #closed = 0;

  private constructor(topics: number) {
    this.#topics = Array.from({ length: topics }, () => new TopicReceipts());
    this.receipts = this.#topics;
  }

  /** Subscribed, with their snapshots. `firstAccount`: the accounts before it are others'. */
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
      const reader = new CursorReader((cursor) => receipts.add(cursor, readers.#nowMs));
      const take = (chunk: Buffer) => {
        readers.#nowMs = monotonicMs();
        if (reader.hasSnapshot) receipts.bytes += chunk.length;
        reader.take(chunk);
      };
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

  #nowMs = 0;

  /** Connections that the server has closed. */
  get closed(): number {
    return this.#closed;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#pinging);
    for (const socket of this.#sockets) socket.destroy();
  }

  #ping(): void {
    for (const socket of this.#sockets) socket.ping();
  }
}
