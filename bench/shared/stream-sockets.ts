/**
 * WebSocket clients as cheap as possible, so that the server dominates the measurement: a handshake
 * by hand over a raw socket, prepared outgoing frames, and no parsing beyond the caller's. `open`
 * resolves after the handshake; only the reply to a `ping` proves that the server accepted the key.
 */

import { once } from 'node:events';
import { connect, type OnReadOpts, type Socket } from 'node:net';
import { OPCODE, wireFrame } from '../../packages/server/testing/stream/wire-frame.ts';

/** Concurrent handshakes: fewer than the gateway lets wait from one address. */
const OPENING_MAX = 100;
const HEAD_END = Buffer.from('\r\n\r\n');
const PING = wireFrame({ opcode: OPCODE.text, payload: '{"t":"ping"}' });

export interface LightSocketOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  readonly port: number;
  /** Null sends no `Authorization` header. */
  readonly key: string | null;
  /** The client's address; default: 127.0.0.1. */
  readonly localAddress?: string;
  /**
   * A read buffer that many sockets share, which is cheaper: reads bypass the stream and allocate
   * nothing. A reader must not retain its chunk.
   */
  readonly memory?: Buffer;
}

/** Takes the bytes after the handshake. */
export type TakeBytes = (chunk: Buffer) => void;

export class LightSocket {
  readonly socket: Socket;
  readonly #take: TakeBytes;
  #head: Buffer | null = Buffer.alloc(0);
  #upgraded = Promise.withResolvers<void>();

  private constructor(options: LightSocketOptions, take: TakeBytes) {
    const { host = '127.0.0.1', port, key, localAddress, memory } = options;
    this.#take = take;
    this.socket = connect({
      port,
      host,
      noDelay: true,
      ...(localAddress === undefined ? {} : { localAddress }),
      ...(memory === undefined ? {} : { onread: this.#readInto(memory) }),
    });
    const authorization = key === null ? [] : [`Authorization: Bearer ${key}`];
    const lines = [
      'GET /v1 HTTP/1.1',
      'Host: localhost',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Version: 13',
      ...authorization,
    ];
    this.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    if (memory === undefined) this.socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.socket.on('error', (error) => this.#upgraded.reject(error));
    this.socket.on('close', () => this.#upgraded.reject(new Error('closed in the handshake')));
    this.#upgraded.promise.catch(() => undefined);
  }

  /** Resolves after the handshake; rejects when there is none. */
  static async open(options: LightSocketOptions, take: TakeBytes): Promise<LightSocket> {
    const socket = new LightSocket(options, take);
    await socket.#upgraded.promise;
    return socket;
  }

  get closed(): Promise<unknown> {
    return this.socket.closed ? Promise.resolve() : once(this.socket, 'close');
  }

  send(message: object): void {
    this.socket.write(wireFrame({ opcode: OPCODE.text, payload: JSON.stringify(message) }));
  }

  ping(): void {
    this.socket.write(PING);
  }

  destroy(): void {
    this.socket.destroy();
  }

  #readInto(memory: Buffer): OnReadOpts {
    const callback = (bytes: number) => {
      this.#read(memory.subarray(0, bytes));
      return true;
    };
    return { buffer: memory, callback };
  }

  #read(chunk: Buffer): void {
    if (this.#head === null) {
      this.#take(chunk);
      return;
    }
    const head = Buffer.concat([this.#head, chunk]);
    const end = head.indexOf(HEAD_END);
    this.#head = end < 0 ? head : null;
    if (end < 0) return;
    const status = head.toString('latin1', 0, head.indexOf('\r\n'));
    if (!status.startsWith('HTTP/1.1 101 ')) {
      this.#upgraded.reject(new Error(status));
      // The bytes that follow are not frames.
      return void this.socket.destroy();
    }
    this.#upgraded.resolve();
    const rest = head.subarray(end + HEAD_END.length);
    if (rest.length > 0) this.#take(rest);
  }
}

/** Runs a task for each number below `count`, with bounded concurrency. */
export async function forEachOf(
  count: number,
  task: (index: number) => Promise<void>,
  atOnce = OPENING_MAX,
): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) await task(index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
}
