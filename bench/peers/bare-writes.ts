/**
 * The floor of every stream: a server that does nothing but write to its sockets, one after the other, in
 * the thread that serves the connections beside it. A round is one write to each of them, as many bytes as
 * the service writes to a connection of that topic; rounds begin a flush step apart.
 */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { FLUSH_STEP_NS } from '@tapeloom/core/studies/flush-step';
import { forEachOf } from '../shared/stream-sockets.ts';

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

  /** How long the writes of each round took, in milliseconds; `sizes` are dealt out in turn. */
  async play(sizes: readonly number[], rounds: number): Promise<Float64Array> {
    const messages = sizes.map((bytes) => Buffer.alloc(bytes, 0x20));
    const took = new Float64Array(rounds);
    for (let round = 0; round < rounds; round += 1) {
      const startMs = performance.now();
      for (const [index, socket] of this.#sockets.entries()) {
        socket.write(messages[index % messages.length]!);
      }
      took[round] = performance.now() - startMs;
      await pause(Math.max(1, FLUSH_STEP_NS / 1e6 - took[round]!));
    }
    return took;
  }
}

/** Connections to a bare writer that read and drop what comes. */
export class BareReaders implements Disposable {
  readonly #sockets: Socket[] = [];

  static async open(port: number, connections: number): Promise<BareReaders> {
    const readers = new BareReaders();
    await forEachOf(connections, async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      readers.#sockets.push(socket.resume());
      await once(socket, 'connect');
    });
    return readers;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
