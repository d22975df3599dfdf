/**
 * A socket in memory whose peer reads on command. While the peer reads, every write completes within the call; after
 * `stall` none does, so `writableLength` is exactly what the server has written since, without a kernel's buffers.
 */

import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { type InProcessStream, KEY } from './in-process-stream.ts';
import { clientFrame } from './raw-socket.ts';
import { CLOSE_OPCODE, serverFrames, TEXT_OPCODE } from './server-frames.ts';

type Taken = (error?: Error | null) => void;

export class StallingSocket extends Duplex {
  /** The messages that the peer has read since opening. */
  readonly messages: ServerMessage[] = [];
  closing: { readonly code: number; readonly reason: string } | null = null;
  bytesRead = 0;
  #isOpen = false;
  #rest: Buffer = Buffer.alloc(0);
  #isReading = true;
  #pending: { readonly chunks: readonly Buffer[]; readonly taken: Taken } | null = null;

  /** Connected, with the handshake read, and the key checked if that takes no more than a turn. */
  static async open(stream: Pick<InProcessStream, 'gateway'>, key = KEY): Promise<StallingSocket> {
    const socket = new StallingSocket({ writableHighWaterMark: 65_536 });
    socket.on('error', () => {});
    const request = new IncomingMessage(socket as unknown as Socket);
    request.method = 'GET';
    request.url = '/v1';
    request.headers = {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-version': '13',
      authorization: `Bearer ${key}`,
    };
    request.rawHeaders = Object.entries(request.headers).flat() as string[];
    stream.gateway.handleUpgrade(request, socket, Buffer.alloc(0));
    await turn();
    socket.#isOpen = true;
    return socket;
  }

  /** The bytes of an incomplete frame. */
  get unreadBytes(): number {
    return this.#rest.length;
  }

  stall(): void {
    this.#isReading = false;
  }

  /** The peer reads everything, and continues to read. */
  readOn(): void {
    this.#isReading = true;
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null) return;
    this.#read(pending.chunks);
    pending.taken();
  }

  /** Sends messages in one write; resolves when the server has processed them. */
  async send(...messages: readonly object[]): Promise<void> {
    const frames = messages.map((it) => clientFrame(0x81, Buffer.from(JSON.stringify(it))));
    await this.sendFrames(Buffer.concat(frames));
  }

  async sendFrames(bytes: Buffer): Promise<void> {
    this.push(bytes);
    await turn();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: Taken): void {
    this.#take([chunk], taken);
  }

  override _writev(writes: readonly { readonly chunk: Buffer }[], taken: Taken): void {
    this.#take(
      writes.map(({ chunk }) => chunk),
      taken,
    );
  }

  #take(chunks: readonly Buffer[], taken: Taken): void {
    if (!this.#isReading) {
      this.#pending = { chunks, taken };
      return;
    }
    this.#read(chunks);
    taken();
  }

  #read(chunks: readonly Buffer[]): void {
    if (!this.#isOpen) return;
    for (const chunk of chunks) this.bytesRead += chunk.length;
    const { frames, rest } = serverFrames(Buffer.concat([this.#rest, ...chunks]));
    this.#rest = rest;
    for (const { opcode, payload } of frames) {
      if (opcode === TEXT_OPCODE) this.messages.push(JSON.parse(payload.toString()));
      if (opcode !== CLOSE_OPCODE) continue;
      this.closing = { code: payload.readUInt16BE(0), reason: payload.toString('utf8', 2) };
    }
  }
}
