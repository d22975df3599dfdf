/**
 * The floor of every stream: a server that only writes to its sockets, in the thread that also
 * serves the connections. It receives the flushes that the service published and writes as many
 * bytes at the same moments to as many sockets. Its messages are read as the service's are. A row
 * is one flush: writes to each socket of its topic.
 */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { textFrame } from '@tapeloom/server/topics/text-frame';
import { type Receipts, TopicReceipts } from '../latency/receipts.ts';
import { CursorReader } from '../replay/cursor-reader.ts';
import { forEachOf } from '../shared/stream-sockets.ts';
import { type BareRow, type BareTimes, monotonicMs } from '../shared/stream-wire.ts';

/** From the request to the first row. */
const LEAD_MS = 100;
/** Larger than what a connection receives at once. */
const READ_BYTES = 65_536;

export class BareWriter {
  readonly #sockets: Socket[] = [];
  readonly #server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    this.#sockets.push(socket);
  });

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  #played = 0;

  /** `rows` ascend by time. */
  async play(rows: readonly BareRow[], topics: number): Promise<BareTimes> {
    const first = this.#played;
    this.#played += rows.length;
    const crowds = Array.from({ length: topics }, (_, topic) =>
      this.#sockets.filter((_, index) => index % topics === topic),
    );
    const frames = rows.map((row, index) => rowFrames(row, first + index));
    const begunMs = new Float64Array(rows.length);
    const tookMs = new Float64Array(rows.length);
    const startMs = monotonicMs() + LEAD_MS;
    let awakeMs = 0;
    for (const [index, { afterMs, topic }] of rows.entries()) {
      const dueMs = startMs + afterMs;
      for (let nowMs = monotonicMs(); nowMs < dueMs; nowMs = awakeMs) {
        await pause(Math.max(1, dueMs - nowMs));
        awakeMs = monotonicMs();
      }
      // A late timer does not count as write time; waiting behind other rows does.
      begunMs[index] = Math.max(dueMs, awakeMs);
      const fromMs = monotonicMs();
      for (const socket of crowds[topic]!) socket.write(frames[index]!);
      tookMs[index] = monotonicMs() - fromMs;
    }
    return { first, begunMs, tookMs };
  }
}

/** Messages as large as the service's, with the row's number as cursor. */
function rowFrames({ messages, bytes }: BareRow, row: number): Buffer {
  const opening = `{"t":"upsert","sub":"${CursorReader.SUB}","cursor":"${row}","data":"`;
  const text = `${opening.padEnd(Math.max(opening.length, bytes - FRAME_REST_BYTES), ' ')}"}`;
  return Buffer.concat(Array.from({ length: messages }, () => textFrame(text)));
}

/** The header of a frame of some hundreds of bytes, and the closing `"}` of its text. */
const FRAME_REST_BYTES = 6;

/** Connections to a bare writer. */
export class BareReaders implements Disposable {
  readonly receipts: Receipts;
  readonly #sockets: readonly Socket[];

  private constructor(receipts: Receipts, sockets: readonly Socket[]) {
    this.receipts = receipts;
    this.#sockets = sockets;
  }

  static async open(port: number, connections: number): Promise<BareReaders> {
    const receipts = new TopicReceipts();
    const sockets: Socket[] = [];
    const buffer = Buffer.alloc(READ_BYTES);
    await forEachOf(connections, async () => {
      const reader = receipts.reader();
      const callback = (bytes: number) => {
        receipts.take(reader, buffer.subarray(0, bytes));
        return true;
      };
      const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } });
      sockets.push(socket);
      await once(socket, 'connect');
    });
    return new BareReaders(receipts, sockets);
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
