/**
 * A server that violates our protocol over real sockets: it may skip the handshake, send arbitrary bytes, and keep
 * silent connections open. The test decides per connection.
 */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ClientMessage } from '@tapeloom/protocol/client-messages';

const HANDSHAKE = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TEXT = 1;
const CLOSE = 8;

/** A connection attempt for a stream. */
export class LiedToCaller {
  readonly request: IncomingMessage;
  readonly sent: ClientMessage[] = [];
  /** Resolves when the connection has ended. */
  readonly gone: Promise<unknown>;
  readonly #line: Duplex;
  #bytes = Buffer.alloc(0);
  #changed = Promise.withResolvers<void>();

  constructor(request: IncomingMessage, line: Duplex) {
    this.request = request;
    this.#line = line;
    line.on('error', () => {});
    // The other side ended; ours would stay open.
    line.on('end', () => line.destroy());
    line.on('data', (bytes: Buffer) => this.#read(bytes));
    // Also resolves after a reset.
    this.gone = new Promise((resolve) => line.on('close', resolve));
  }

  /** Performs the handshake; a close from the client gets no response. */
  accept(): this {
    const key = this.request.headers['sec-websocket-key']!;
    const proof = createHash('sha1')
      .update(key + HANDSHAKE)
      .digest('base64');
    return this.sayBytes(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`,
    );
  }

  /** Sends arbitrary bytes. */
  sayBytes(bytes: string | Uint8Array): this {
    this.#line.write(bytes);
    return this;
  }

  say(...messages: readonly object[]): this {
    for (const message of messages) this.sayText(JSON.stringify(message));
    return this;
  }

  sayText(text: string | Uint8Array): this {
    return this.sayBytes(frame(TEXT, Buffer.from(text)));
  }

  /** Closes the connection as a server does. */
  close(code: number, reason = ''): void {
    const body = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason)]);
    this.sayBytes(frame(CLOSE, body));
    this.#line.end();
  }

  lose(): void {
    this.#line.destroy();
  }

  /** The first message of a kind, already received or still to come. */
  async find<T extends ClientMessage['t']>(t: T): Promise<Extract<ClientMessage, { t: T }>> {
    for (;;) {
      const found = this.sent.find((it): it is Extract<ClientMessage, { t: T }> => it.t === t);
      if (found !== undefined) return found;
      await this.#changed.promise;
    }
  }

  /** Parses client frames: unfragmented, masked, with a length of one or two bytes. */
  #read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const short = (this.#bytes[1] ?? 0) & 0x7f;
      const head = short === 126 ? 8 : 6;
      if (this.#bytes.length < head) return;
      const length = short === 126 ? this.#bytes.readUInt16BE(2) : short;
      if (this.#bytes.length < head + length) return;
      const mask = this.#bytes.subarray(head - 4, head);
      const body = this.#bytes
        .subarray(head, head + length)
        .map((byte, at) => byte ^ mask[at % 4]!);
      const isText = (this.#bytes[0]! & 0x0f) === TEXT;
      if (isText) this.sent.push(JSON.parse(Buffer.from(body).toString()) as ClientMessage);
      this.#bytes = this.#bytes.subarray(head + length);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }
}

export class LyingServer implements AsyncDisposable {
  readonly callers: LiedToCaller[] = [];
  readonly #http = createServer((_request, response) => response.end());
  #taken = 0;
  #called = Promise.withResolvers<void>();

  private constructor() {
    this.#http.on('upgrade', (request, line) => {
      this.callers.push(new LiedToCaller(request, line));
      this.#called.resolve();
      this.#called = Promise.withResolvers();
    });
  }

  static async start(): Promise<LyingServer> {
    const server = new LyingServer();
    server.#http.listen(0, '127.0.0.1');
    await once(server.#http, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async next(): Promise<LiedToCaller> {
    while (this.callers.length <= this.#taken) await this.#called.promise;
    this.#taken += 1;
    return this.callers[this.#taken - 1]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const caller of this.callers) caller.lose();
    this.#http.close();
    this.#http.closeAllConnections();
    await once(this.#http, 'close');
  }
}

/** An unfragmented server frame. */
export function frame(opcode: number, body: Uint8Array): Buffer {
  const head =
    body.length < 126
      ? Buffer.from([0x80 | opcode, body.length])
      : Buffer.from([0x80 | opcode, 126, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([head, body]);
}
