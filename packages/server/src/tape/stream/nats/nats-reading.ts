/** Messages of an ordered NATS consumer, a limited number ahead. The reader discards a silent consumer. */

import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { StoredMessage, StreamReading, StreamSubject } from '../tape-stream.ts';

/** Requested from the server at a time; a tenth of it halves the speed. */
const MESSAGES_AHEAD = 2_000;
/** Messages queued here until the reader takes them. */
const MESSAGES_WAITING_MAX = 256;
const HEARTBEAT_MS = 500;

export const WRITER_HEADER = 'Writer';

export class NatsReading implements StreamReading {
  readonly #consumer: Consumer;
  readonly #messages: ConsumerMessages;
  readonly #subjects: ReadonlyMap<string, StreamSubject>;
  #queue: StoredMessage[] = [];
  #taken = 0;
  #asked: PromiseWithResolvers<StoredMessage | 'idle'> | null = null;
  #room: PromiseWithResolvers<void> | null = null;
  #failure: Error | null = null;

  private constructor(
    consumer: Consumer,
    messages: ConsumerMessages,
    subjects: ReadonlyMap<string, StreamSubject>,
  ) {
    this.#consumer = consumer;
    this.#messages = messages;
    this.#subjects = subjects;
    void this.#pump();
    void this.#watch();
  }

  static async of(
    consumer: Consumer,
    subjects: ReadonlyMap<string, StreamSubject>,
  ): Promise<NatsReading> {
    const messages = await consumer.consume({
      max_messages: MESSAGES_AHEAD,
      idle_heartbeat: HEARTBEAT_MS,
    });
    return new NatsReading(consumer, messages, subjects);
  }

  next(): Promise<StoredMessage | 'idle'> {
    const message = this.#queue[this.#taken];
    if (message !== undefined) {
      this.#taken += 1;
      if (this.#taken === this.#queue.length) this.#makeRoom();
      return Promise.resolve(message);
    }
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#asked = Promise.withResolvers();
    return this.#asked.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#failure !== null) return;
    this.#fail(new Error('the reading has ended'));
    this.#messages.stop();
    // A server that misses this deletes the idle consumer by itself.
    this.#consumer.delete().catch(() => {});
  }

  async #pump(): Promise<void> {
    try {
      for await (const message of this.#messages) {
        if (this.#failure !== null) return;
        this.#put(this.#stored(message));
        if (this.#queue.length >= MESSAGES_WAITING_MAX) {
          this.#room = Promise.withResolvers();
          await this.#room.promise;
        }
      }
      this.#fail(new Error('the consumer has ended'));
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#messages.status()) {
      if (type === 'heartbeat') this.#answer('idle');
    }
  }

  #put(message: StoredMessage): void {
    if (this.#asked === null) this.#queue.push(message);
    else this.#answer(message);
  }

  #answer(said: StoredMessage | 'idle'): void {
    const asked = this.#asked;
    this.#asked = null;
    asked?.resolve(said);
  }

  #makeRoom(): void {
    this.#queue = [];
    this.#taken = 0;
    this.#room?.resolve();
    this.#room = null;
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#makeRoom();
    this.#asked?.reject(this.#failure);
    this.#asked = null;
  }

  #stored(message: JsMsg): StoredMessage {
    const subject = this.#subjects.get(message.subject);
    if (subject === undefined) throw new Error(`nobody knows the subject ${message.subject}`);
    return {
      sequence: message.seq,
      subject,
      writer: message.headers?.get(WRITER_HEADER) ?? '',
      // Copied, because the received bytes are an unaligned part of a larger buffer.
      body: new Uint8Array(message.data),
    };
  }
}
