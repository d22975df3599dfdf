/** One subscription that moves from node to node, with its messages and its last cursor. */

import assert from 'node:assert/strict';
import {
  type StreamMessage,
  type TestSubscriber,
  WAIT_LIMIT_MS,
  within,
} from '../running-service.ts';
import type { ClusterNode } from './cluster-node.ts';
import { NEWER_VOLUME } from './newer-volume.ts';

const INSTRUMENT = 'BTC.c.0';

export class HoppingStream {
  readonly #key: string;
  readonly #indicator: string;
  #connection: TestSubscriber | null = null;
  #cursor: string | null = null;
  #read = 0;
  /** The versions that computed the objects since the last snapshot. */
  readonly #versions = new Set<'older' | 'newer'>();

  constructor(key: string, indicator: string) {
    this.#key = key;
    this.#indicator = indicator;
  }

  /** Resumes at another node; returns the reason of a reset, or null. */
  async hop(node: ClusterNode): Promise<string | null> {
    const cursor = this.#cursor;
    const untilMs = performance.now() + WAIT_LIMIT_MS;
    for (let isRefused = true; isRefused; ) {
      assert(performance.now() < untilMs, `${this.#indicator} is refused again and again`);
      await this.close();
      this.#connection = node.connect(this.#key);
      await this.#connection.send({
        ...{ t: 'subscribe', sub: 's', instrument: INSTRUMENT, indicator: this.#indicator },
        ...(cursor === null ? {} : { from: { cursor } }),
      });
      const isAnswer = ({ t, state }: StreamMessage) => state === 'live' || t === 'error';
      const answered = this.#next(isAnswer);
      answered.catch(() => {});
      const answer = await Promise.race([answered, this.#connection.closed]);
      // A just started node with another version rejects until the tape's book has its floors. A
      // node behind the cursor sends the customer away for a moment.
      isRefused = !('t' in answer) || answer.t === 'error';
      if (isRefused) assert.ok([1013, 'SOURCE_DOWN'].includes(answer.code as string | number));
    }
    assert(this.#connection !== null);
    const reset = this.#connection.messages.find(({ t }) => t === 'reset');
    const isAfresh = cursor === null || reset !== undefined;
    if (isAfresh) await this.#next(({ t }) => t === 'snapshot', 0);
    return reset === undefined ? null : String(reset.reason);
  }

  /** Resolves at the next update or heartbeat. */
  async goesOn(): Promise<void> {
    this.#take();
    await this.#next(({ t }) => t === 'upsert' || t === 'hb');
  }

  /** Resolves to the error code when the subscription ends. */
  async ended(): Promise<string> {
    const { code } = await this.#next(({ t }) => t === 'error');
    return String(code);
  }

  /** The version of all objects that the customer holds. */
  get version(): 'older' | 'newer' {
    assert.equal(this.#versions.size, 1, `mixed: ${[...this.#versions].join(' and ')}`);
    return [...this.#versions][0]!;
  }

  async close(): Promise<void> {
    if (this.#connection === null) return;
    await this.#connection.close();
    this.#take();
    this.#connection = null;
    this.#read = 0;
  }

  async #next(is: (message: StreamMessage) => boolean, from = this.#read): Promise<StreamMessage> {
    const { messages } = this.#connection!;
    const found = this.#connection!.first((it) => is(it) && messages.indexOf(it) >= from);
    const message = await within(WAIT_LIMIT_MS, `more of ${this.#indicator}`, found).catch(
      (error: Error) => {
        const told = messages.map(({ t, state = '', code = '' }) => `${t} ${state}${code}`);
        throw new Error(`${error.message}; it was told ${told.join(', ')}`, { cause: error });
      },
    );
    this.#take();
    return message;
  }

  #take(): void {
    const { messages } = this.#connection!;
    for (const message of messages.slice(this.#read)) this.#hear(message);
    this.#read = messages.length;
  }

  #hear(message: StreamMessage): void {
    if (typeof message.cursor === 'string') this.#cursor = message.cursor;
    if (message.t === 'snapshot') {
      this.#versions.clear();
      for (const item of message.items as readonly StreamMessage[]) this.#see(item);
    }
    if (message.t === 'upsert') this.#see(message);
  }

  #see({ data }: StreamMessage): void {
    const { volume } = data as { readonly volume: number };
    this.#versions.add(volume >= NEWER_VOLUME ? 'newer' : 'older');
    assert.ok(this.#versions.size === 1, `${this.#indicator}: two versions on one subscription`);
  }
}
