/**
 * One connection as bytes: a manual handshake, the bytes to send, and everything the server returned until it closed.
 * Returned frames are checked against the protocol while they are read.
 */

import { connect, type Socket } from 'node:net';
import { type ServerFrame, serverFrames } from './server-frames.ts';
import { OPCODE, wireFrame } from './wire-frame.ts';

const HANDSHAKE_END = '\r\n\r\n';
/** Far longer than a server may take to close. */
const WAIT_LIMIT_MS = 180_000;

export interface RawTarget {
  readonly port: number;
  /** Default `/v1`. */
  readonly path?: string;
  readonly headers?: readonly string[];
}

export interface ConversationManner {
  /** Waits for the response to a first `ping`; otherwise everything is sent with the handshake. */
  readonly waitsForPongs?: boolean;
  /** Where the bytes are split into several writes. */
  readonly cuts?: readonly number[];
  /** When the client ends its side. `polite`: at the server's close frame. `end`: when all is sent. `stay`: last. */
  readonly goodbye?: 'polite' | 'end' | 'stay';
}

export interface Conversation {
  /** The head of the handshake's response. */
  readonly head: string;
  /** The unparsed texts, without the response to the first `ping`. */
  readonly texts: readonly string[];
  readonly pongs: readonly Buffer[];
  /** All other frames. */
  readonly others: readonly ServerFrame[];
  /** The server's close code, 1005 for none; null: no close frame. */
  readonly close: number | null;
  readonly reason: string;
}

export async function converse(
  target: RawTarget,
  bytes: Buffer,
  { waitsForPongs = true, cuts = [], goodbye = 'polite' }: ConversationManner = {},
): Promise<Conversation> {
  const socket = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true });
  const gone = Promise.withResolvers<void>();
  const timer = setTimeout(() => gone.reject(new Error('the server holds on')), WAIT_LIMIT_MS);
  socket.on('error', () => {});
  socket.on('close', () => gone.resolve());
  const reader = new Reader(socket, waitsForPongs, goodbye);
  socket.write(handshakeOf(target));
  if (waitsForPongs) {
    socket.write(wireFrame({ opcode: OPCODE.text, payload: '{"t":"ping","id":"first"}' }));
    await Promise.race([reader.opened, gone.promise]);
  }
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    if (from > 0) await new Promise(setImmediate);
    socket.write(bytes.subarray(from, cut));
    from = cut;
  }
  if (goodbye === 'end') socket.end();
  try {
    await gone.promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  return reader.result();
}

function handshakeOf({ path = '/v1', headers = [] }: RawTarget): string {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Version: 13',
    ...headers,
  ];
  return lines.join('\r\n') + HANDSHAKE_END;
}

class Reader {
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  readonly #goodbye: ConversationManner['goodbye'];
  readonly #isOpened = Promise.withResolvers<void>();
  readonly #frames: ServerFrame[] = [];
  #isFirstAwaited: boolean;
  #head: string | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #close: Buffer | null = null;
  #fault: unknown = null;

  constructor(socket: Socket, isFirstAwaited: boolean, goodbye: ConversationManner['goodbye']) {
    this.opened = this.#isOpened.promise;
    this.#socket = socket;
    this.#isFirstAwaited = isFirstAwaited;
    this.#goodbye = goodbye;
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#read(chunk);
      } catch (error) {
        this.#fault ??= error;
        socket.destroy();
      }
    });
    socket.on('end', () => socket.end());
  }

  result(): Conversation {
    if (this.#fault !== null) throw this.#fault;
    const texts = this.#frames.filter((it) => it.opcode === OPCODE.text);
    const pongs = this.#frames.filter((it) => it.opcode === OPCODE.pong);
    return {
      head: this.#head ?? '',
      texts: texts.map(({ payload }) => payload.toString()),
      pongs: pongs.map(({ payload }) => payload),
      others: this.#frames.filter((it) => !texts.includes(it) && !pongs.includes(it)),
      close:
        this.#close === null ? null : this.#close.length < 2 ? 1005 : this.#close.readUInt16BE(),
      reason: this.#close?.toString('utf8', 2) ?? '',
    };
  }

  #read(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#head === null) {
      const end = this.#rest.indexOf(HANDSHAKE_END);
      if (end < 0) return;
      this.#head = this.#rest.toString('latin1', 0, end);
      this.#rest = this.#rest.subarray(end + HANDSHAKE_END.length);
    }
    const { frames, rest } = serverFrames(this.#rest);
    this.#rest = rest;
    for (const frame of frames) this.#take(frame);
  }

  #take(frame: ServerFrame): void {
    if (this.#close !== null) throw new Error('a frame after the close frame');
    if (this.#isFirstAwaited && frame.opcode === OPCODE.text) {
      this.#isFirstAwaited = false;
      this.#isOpened.resolve();
      return;
    }
    if (frame.opcode !== OPCODE.close) {
      this.#frames.push(frame);
      return;
    }
    this.#close = frame.payload;
    if (this.#goodbye === 'polite') this.#socket.end();
  }
}
