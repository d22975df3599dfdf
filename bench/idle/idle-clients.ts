/**
 * Connected clients that only ping, spread over many addresses. A disconnected client reconnects
 * with exponential backoff and jitter, as the protocol requires. After close code 1013 (server at
 * its limit) it also waits at least a second.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { FrameCounter } from '../fanout/frame-counter.ts';
import { LightSocket } from '../shared/stream-sockets.ts';

const FIRST_RETRY_MS = 250;
const RETRY_MS_MAX = 30_000;
const TRY_LATER = 1013;
const TRY_LATER_MS = 1_000;
const POLL_MS = 20;

export interface IdleClientOptions {
  readonly port: number;
  readonly key: string;
  readonly localAddress: string;
}

export class IdleClient {
  readonly #options: IdleClientOptions;
  #socket: LightSocket | null = null;
  #isOver = false;
  /** Failed attempts, by the error that the client saw. */
  readonly #refusals: Map<string, number>;
  #isOpen = false;

  constructor(options: IdleClientOptions, refusals: Map<string, number>) {
    this.#options = options;
    this.#refusals = refusals;
  }

  /** Whether the connection is open and its key is accepted. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when the client is open for the first time; from then on it reconnects by itself. */
  async open(): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; !(this.#isOver || this.#isOpen); retryMs *= 2) {
      const closeCode = await this.#attempt();
      if (this.#isOpen) return;
      const leastMs = closeCode === TRY_LATER ? TRY_LATER_MS : 0;
      await pause(leastMs + Math.min(retryMs, RETRY_MS_MAX) * (0.5 + Math.random()));
    }
  }

  ping(): void {
    this.#socket?.ping();
  }

  end(): void {
    this.#isOver = true;
    this.#socket?.destroy();
  }

  /** Returns the close code, if one arrived. */
  async #attempt(): Promise<number | null> {
    const counter = new FrameCounter();
    try {
      const socket = await LightSocket.open(this.#options, counter.take);
      let isGone = false;
      socket.socket.once('close', () => {
        isGone = true;
        this.#lost(socket);
      });
      socket.ping();
      while (counter.others === 0 && !isGone) await pause(POLL_MS);
      if (isGone) throw new Error(`closed ${counter.closeCode}`);
      this.#socket = socket;
      this.#isOpen = true;
    } catch (error) {
      const what = (error as Error & { code?: string }).code ?? (error as Error).message;
      this.#refusals.set(what, (this.#refusals.get(what) ?? 0) + 1);
    }
    return counter.closeCode;
  }

  #lost(socket: LightSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#isOpen = false;
    void pause(FIRST_RETRY_MS * (0.5 + Math.random())).then(() => this.open());
  }
}
