/**
 * A WebSocket for the client library that a test can cut at any byte, also inside a frame. It opens
 * only while its owner is present. A watcher sees all messages that pass.
 */

import type { WebSocketLike } from '@tapeloom/client/stream';
import type { ClientMessage } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { LightSocket, type LightSocketOptions } from '../../bench/shared/stream-sockets.ts';
import { CLOSE_OPCODE, serverFrames } from '../../packages/server/testing/stream/server-frames.ts';
import { closeFrame } from '../../packages/server/testing/stream/wire-frame.ts';

export interface CutSocketWatcher {
  readonly line: LightSocketOptions;
  /** Resolves when the owner is present. */
  readonly present: Promise<unknown>;
  made(socket: CutSocket): void;
  /** Called before the client processes a message, and after. */
  hears(message: ServerMessage): void;
  heard(): void;
  sends(message: ClientMessage): void;
  ended(socket: CutSocket, why: string): void;
}

type Hear = (event: never) => void;

export class CutSocket implements WebSocketLike {
  /** Bytes to receive before the cut. */
  cutAfterBytes: number | null = null;
  wasCutMidFrame = false;
  isOpen = false;
  readonly #watcher: CutSocketWatcher;
  readonly #hears: { readonly kind: string; readonly hear: Hear }[] = [];
  #socket: LightSocket | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #closeCode = 1006;
  #isOver = false;

  constructor(watcher: CutSocketWatcher) {
    this.#watcher = watcher;
    watcher.made(this);
    void this.#open();
  }

  addEventListener(kind: string, hear: Hear): void {
    this.#hears.push({ kind, hear });
  }

  send(text: string): void {
    const message = JSON.parse(text) as ClientMessage;
    this.#watcher.sends(message);
    this.#socket?.send(message);
  }

  close(code = 1000, reason = ''): void {
    this.#socket?.socket.end(closeFrame(code, reason));
    this.#end('closed by the client');
  }

  /** Cuts the connection without a close frame. */
  cut(): void {
    this.#end('cut');
  }

  async #open(): Promise<void> {
    try {
      await this.#watcher.present;
      if (this.#isOver) return;
      this.#socket = await LightSocket.open(this.#watcher.line, (chunk) => this.#take(chunk));
      this.#socket.socket.once('close', () => this.#end(`closed ${this.#closeCode}`));
      // The pong carries the service's time, which gives the watcher the age of every cursor.
      this.#socket.ping();
    } catch (error) {
      this.#end((error as Error & { code?: string }).code ?? (error as Error).message);
    }
  }

  #take(chunk: Buffer): void {
    if (this.#isOver) return;
    let bytes = chunk;
    if (this.cutAfterBytes !== null) {
      bytes = chunk.subarray(0, this.cutAfterBytes);
      this.cutAfterBytes -= bytes.length;
    }
    const { frames, rest } = serverFrames(Buffer.concat([this.#rest, bytes]));
    this.#rest = rest;
    for (const { opcode, payload } of frames) {
      if (opcode === CLOSE_OPCODE) this.#closeCode = payload.readUInt16BE(0);
      else this.#pass(payload.toString());
    }
    if (this.cutAfterBytes !== 0) return;
    this.wasCutMidFrame = rest.length > 0;
    this.#end('cut');
  }

  #pass(text: string): void {
    const message = JSON.parse(text) as ServerMessage;
    this.#watcher.hears(message);
    if (this.isOpen) {
      this.#tell('message', { data: text });
      this.#watcher.heard();
    } else if (message.t === 'pong') {
      this.isOpen = true;
      this.#tell('open', {});
    }
  }

  #end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (why === 'cut') this.#socket?.destroy();
    this.#watcher.ended(this, why);
    this.#tell('close', { code: this.#closeCode, reason: '' });
  }

  #tell(kind: string, event: object): void {
    for (const it of this.#hears) if (it.kind === kind) it.hear(event as never);
  }
}
