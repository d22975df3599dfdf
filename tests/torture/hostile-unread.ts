/**
 * A connection whose responses are read slowly or not at all. Whether the server has cut it shows
 * only at the end, when the kernel's buffers are read: then a cut connection ends.
 */

import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** More than the kernel buffers of a connection: beyond it the server is still writing. */
const LEFT_BYTES_MAX = 8 * 1_048_576;
const LEFT_WITHIN_MS = 3_000;
const DRIP_EVERY_MS = 1_000;

export interface UnreadOptions {
  readonly port: number;
  readonly localAddress: string;
  /** Everything that the client sends. */
  readonly text: string;
  /** Bytes read per second; 0 reads only the head of the first response. */
  readonly bytesPerSecond: number;
}

export class UnreadConnection {
  /** The status of the first response; null without one. */
  status: string | null = null;
  readonly gone: Promise<void>;
  readonly #socket: Socket;
  readonly #dripping: NodeJS.Timeout | null;
  #isGone = false;

  constructor({ port, localAddress, text, bytesPerSecond }: UnreadOptions) {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress });
    this.#socket.on('error', () => {});
    const gone = Promise.withResolvers<void>();
    this.gone = gone.promise;
    this.#socket.once('close', () => {
      this.#isGone = true;
      if (this.#dripping !== null) clearInterval(this.#dripping);
      gone.resolve();
    });
    this.#socket.once('readable', () => {
      const head = (this.#socket.read() as Buffer | null)?.toString('latin1') ?? '';
      const status = /^HTTP\/1\.1 (\d+)/.exec(head)?.[1];
      const code = /"code":"([A-Z_]+)"/.exec(head)?.[1];
      this.status = status === undefined ? null : code === undefined ? status : `${status} ${code}`;
    });
    this.#socket.write(text);
    this.#dripping =
      bytesPerSecond === 0
        ? null
        : setInterval(() => this.#socket.read(bytesPerSecond), DRIP_EVERY_MS);
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Reads the rest; resolves to whether the server had ended the connection. */
  async isCut(): Promise<boolean> {
    if (this.#isGone) return true;
    let bytes = 0;
    const enough = Promise.withResolvers<void>();
    this.#socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LEFT_BYTES_MAX) enough.resolve();
    });
    this.#socket.resume();
    await Promise.race([this.gone, enough.promise, pause(LEFT_WITHIN_MS)]);
    return this.#isGone;
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** One request, or many pipelined ones. */
export function requestText(path: string, key: string | null, times = 1): string {
  const authorization = key === null ? '' : `Authorization: Bearer ${key}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`.repeat(times);
}
