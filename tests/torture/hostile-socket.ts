/** A stream connection that passes on every message and reports how it ended. */

import { LightSocket, type LightSocketOptions } from '../../bench/shared/stream-sockets.ts';
import { CLOSE_OPCODE, serverFrames } from '../../packages/server/testing/stream/server-frames.ts';
import { closeFrame } from '../../packages/server/testing/stream/wire-frame.ts';

const NORMAL = 1000;

export interface Heard {
  readonly t: string;
  readonly sub?: string;
  readonly code?: string;
  readonly ts?: string;
}

export class HeardSocket {
  /** The code of the server's close frame, if any. */
  closeCode: number | null = null;
  /** Resolves when either side has ended the connection. */
  readonly gone: Promise<void>;
  readonly #onMessage: (message: Heard) => void;
  readonly #gone = Promise.withResolvers<void>();
  #light: LightSocket | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #isLeft = false;

  private constructor(onMessage: (message: Heard) => void) {
    this.#onMessage = onMessage;
    this.gone = this.#gone.promise;
  }

  /** Resolves after the handshake; rejects when there is none. */
  static async open(
    options: LightSocketOptions,
    onMessage: (message: Heard) => void,
  ): Promise<HeardSocket> {
    const heard = new HeardSocket(onMessage);
    const light = await LightSocket.open(options, (chunk) => heard.#take(chunk));
    heard.#light = light;
    light.socket.once('close', () => heard.#gone.resolve());
    if (light.socket.closed) heard.#gone.resolve();
    return heard;
  }

  /** Whether this side ended it. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  send(message: object): void {
    this.#light?.send(message);
  }

  ping(): void {
    this.#light?.ping();
  }

  /** Sends a close frame and ignores all further messages. */
  leave(): void {
    this.#isLeft = true;
    this.#light?.socket.end(closeFrame(NORMAL, 'idle'));
    this.#light?.socket.resume();
  }

  /** Drops the connection without a close frame. */
  vanish(): void {
    this.#isLeft = true;
    this.#light?.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#isLeft) return;
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const { frames, rest } = serverFrames(bytes);
    this.#rest = rest;
    for (const { opcode, payload } of frames) {
      if (opcode === CLOSE_OPCODE) this.closeCode = payload.readUInt16BE(0);
      else this.#onMessage(JSON.parse(payload.toString()) as Heard);
    }
  }
}
