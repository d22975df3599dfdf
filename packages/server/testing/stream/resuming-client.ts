/**
 * A client with one subscription that survives any disconnect: it keeps its state, and resumes from its last cursor.
 */

import type { StreamFrom } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { RuleKeepingClient } from './rule-keeping-client.ts';
import { type StreamClient, subscribe } from './stream-client.ts';

export const RESUMING_SUB = 'r';

export class ResumingClient implements Disposable {
  readonly rules = new RuleKeepingClient();
  readonly #connect: () => Promise<StreamClient>;
  readonly #more: object;
  #connection: StreamClient | null = null;
  #heard = 0;

  /** `more` extends every `subscribe`. */
  constructor(connect: () => Promise<StreamClient>, more: object = {}) {
    this.#connect = connect;
    this.#more = more;
  }

  get connection(): StreamClient {
    return this.#connection!;
  }

  get state(): ReadonlyMap<string, string> {
    this.#hear();
    return new Map([...this.rules.state].sort());
  }

  get cursor(): string | undefined {
    this.#hear();
    return this.rules.cursors.at(-1);
  }

  /** The kinds of messages that this connection's subscription received, with equal neighbours merged. */
  get kinds(): readonly string[] {
    const kinds = this.messages.filter(({ t }) => t !== 'hb').map(({ t }) => t);
    return kinds.filter((kind, index) => kind !== kinds[index - 1]);
  }

  get messages(): readonly ServerMessage[] {
    return this.connection.messages.filter((it) => 'sub' in it && it.sub === RESUMING_SUB);
  }

  /** Connects and subscribes, from the given position or its last cursor. */
  async start(from?: StreamFrom): Promise<void> {
    this.cut();
    const { cursor } = this;
    this.#connection = await this.#connect();
    this.#heard = 0;
    const where = from ?? (cursor === undefined ? 'live' : { cursor });
    this.connection.send(subscribe(RESUMING_SUB, { ...this.#more, from: where }));
  }

  /** Drops the connection without a close frame. */
  cut(): void {
    if (this.#connection === null) return;
    this.#hear();
    this.connection.socket.terminate();
    this.#connection = null;
  }

  [Symbol.dispose](): void {
    this.cut();
  }

  #hear(): void {
    if (this.#connection === null) return;
    const { messages } = this;
    for (; this.#heard < messages.length; this.#heard += 1) {
      this.rules.hear(messages[this.#heard]!);
    }
  }
}
