/** A customer's connection: records every message in order, checks it against its schema, and can await the next. */

import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { WebSocket } from 'ws';
import { checkedMessage } from '../server-message-check.ts';
import { type InProcessStream, KEY } from './in-process-stream.ts';

export class StreamClient implements Disposable {
  readonly messages: ServerMessage[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly socket: WebSocket;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();
  #isClosed = false;

  constructor(url: string, authorization?: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = new WebSocket(url, {
      headers: authorization === undefined ? headers : { ...headers, authorization },
    });
    this.socket.on('message', (data, isBinary) => {
      if (isBinary) throw new Error('a server never sends binary frames');
      this.messages.push(checkedMessage(String(data)));
      this.#wake();
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        this.#isClosed = true;
        this.#wake();
        resolve({ code, reason: String(reason) });
      });
    });
  }

  async opened(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) {
      await new Promise((resolve) => this.socket.once('open', resolve));
    }
    return this;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The first matching message, received already or still to come; throws if the connection ends first. */
  async find<T extends ServerMessage['t']>(
    t: T,
    fits: (message: Extract<ServerMessage, { t: T }>) => boolean = () => true,
  ): Promise<Extract<ServerMessage, { t: T }>> {
    const isWanted = (message: ServerMessage): message is Extract<ServerMessage, { t: T }> =>
      message.t === t && fits(message as Extract<ServerMessage, { t: T }>);
    for (;;) {
      const found = this.messages.find(isWanted);
      if (found !== undefined) return found;
      if (this.#isClosed) throw new Error(`closed before ${t}: ${this.kinds().slice(-20)}`);
      await this.#changed.promise;
    }
  }

  /** The kinds of all messages so far, in order; `sub` selects one subscription. */
  kinds(sub?: string): readonly string[] {
    return this.messages
      .filter((message) => sub === undefined || ('sub' in message && message.sub === sub))
      .map((message) => message.t);
  }

  /** Resolves when the server has responded to everything sent so far. */
  async answered(): Promise<void> {
    const id = `round ${this.messages.length} ${Math.random()}`;
    this.send({ t: 'ping', id });
    await this.find('pong', (message) => message.id === id);
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** An open client whose key has been checked. */
export async function openClient(stream: InProcessStream): Promise<StreamClient> {
  const client = await new StreamClient(stream.url, `Bearer ${KEY}`).opened();
  await client.answered();
  return client;
}

/** A `subscribe` to bars of a streamed contract; `more` adds and replaces fields. */
export function subscribe(sub: string, more: object = {}): object {
  return { t: 'subscribe', sub, instrument: 'AA', indicator: 'bars', ...more };
}
