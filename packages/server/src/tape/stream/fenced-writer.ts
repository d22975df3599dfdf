/**
 * Appends to a stream as long as nobody else does. A message is stored right behind the last one this writer knows, or not
 * at all; an append that has resolved is durable, and one that was never resolved may be, so nothing else is ever
 * published in its place. The first failure is the last: then the writer is done, and so is whoever appends with it.
 *
 * One append: (1) publish, expecting number L to be the last. Stored as L + 1: done. (2) Nobody knows: publish the same again,
 * sooner first, then every second, and look meanwhile whether somebody stands in its place; after every second time of not
 * knowing by another server, for one that is cut off keeps its clients. (3) Another end: no verdict yet, since this may be the answer to a repetition while the first is still on its
 * way, or of a server that is behind. So number L + 1 is read: ours, it is stored; somebody else's, this writer is fenced;
 * nothing there, still nobody knows.
 */

import type { Clock } from '../../platform/clock.ts';
import { type Backoff, backoffMs } from '../../platform/waiting/retry.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import { isLossTold } from './claim-body.ts';
import { isProvedShrunk, ShrinkWatch } from './shrink-watch.ts';
import {
  AppendAbandonedError,
  FencedError,
  StreamFaultError,
  StreamRefusedError,
  StreamShrunkError,
} from './stream-errors.ts';
import {
  isSameMessage,
  type StoredMessage,
  type StreamMessage,
  type StreamSubject,
  type TapeStream,
} from './tape-stream.ts';

const TRY_AGAIN: Backoff = { firstMs: 50, lastMs: 1_000 };
/** So often nobody knew before another server is looked for. */
const UNKNOWN_BEFORE_RECONNECT = 2;

export interface FencedWriterOptions {
  readonly stream: TapeStream;
  readonly clock: Pick<Clock, 'after'>;
  /** `<node>.<term>`: never used twice for two writers. */
  readonly writer: string;
  /** The number of the last message that is known. */
  readonly last: number;
}

export class FencedWriter {
  readonly writer: string;
  readonly #stream: TapeStream;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #ended = new AbortController();
  readonly #shrinking: ShrinkWatch;
  #last: number;
  readonly #appends = new SerialQueue();
  #unknowns = 0;
  #unknownsTotal = 0;
  #appended = 0;

  constructor({ stream, clock, writer, last }: FencedWriterOptions) {
    this.#stream = stream;
    this.#clock = clock;
    this.#shrinking = new ShrinkWatch(clock);
    this.#ended.signal.addEventListener('abort', () => this.#shrinking[Symbol.dispose]());
    this.writer = writer;
    this.#last = last;
  }

  /** The number of the last message that is known: behind it the next one goes. */
  get last(): number {
    return this.#last;
  }

  /** How many messages it has stored. */
  get appended(): number {
    return this.#appended;
  }

  /** How often in a row nobody knew whether the message that is being appended is stored; 0 when all is well. */
  get unknowns(): number {
    return this.#unknowns;
  }

  /** How often nobody knew, since it was made. */
  get unknownsTotal(): number {
    return this.#unknownsTotal;
  }

  /** Aborted by the first failure, or when the writer is given up; the reason is the error. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The largest body that is taken. */
  get bodyBytesMax(): number {
    return this.#stream.bodyBytesMax;
  }

  /**
   * Resolves with the number of the message once it is durable. Those who come meanwhile wait for their turn. The bytes are
   * the caller's again at once. Rejects with `FencedError`, `StreamRefusedError`, `StreamShrunkError`,
   * `AppendAbandonedError` or `StreamFaultError`, and so does every append after it.
   */
  append(subject: StreamSubject, body: Uint8Array): Promise<number> {
    const message = { subject, writer: this.writer, body: new Uint8Array(body) };
    return this.#inTurn(async () => {
      await this.#store(message);
      this.#last += 1;
      this.#appended += 1;
      return this.#last;
    });
  }

  /** Looks whether somebody else has appended; then this writer ends as by an append. Learns nothing where nobody answers. */
  look(): Promise<void> {
    return this.#inTurn(async () => {
      const found = await this.#stream.read(this.#last + 1).catch(() => undefined);
      if (found === undefined) return;
      if (found !== null) throw this.#fencedBy(found);
      await this.#requireLastKept();
      await this.#looksAtEnd();
    });
  }

  /** Gives the writer up. An append under way ends without an answer. */
  abandon(): void {
    this.end(new AppendAbandonedError(this.#last + 1));
  }

  /** Likewise, because of what was found elsewhere. */
  end(reason: Error): void {
    if (!this.#ended.signal.aborted) this.#ended.abort(reason);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#appends.run(async () => {
      this.#ended.signal.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        if (!this.#ended.signal.aborted) this.#ended.abort(error);
        throw error;
      }
    });
  }

  async #store(message: StreamMessage): Promise<void> {
    this.#unknowns = 0;
    for (;;) {
      if (await this.#isStored(message)) break;
      this.#unknowns += 1;
      this.#unknownsTotal += 1;
      if (this.#unknowns % UNKNOWN_BEFORE_RECONNECT === 0) await this.#stream.reconnect();
      const waitMs = backoffMs(this.#unknowns - 1, TRY_AGAIN);
      const paused = sleep(this.#clock, waitMs, this.#ended.signal);
      const [isFound] = await Promise.all([this.#isFound(message), paused]);
      if (isFound) break;
      if (this.#shrinking.isSuspected) await this.#requireLastKept();
      this.#ended.signal.throwIfAborted();
    }
    this.#unknowns = 0;
    this.#shrinking[Symbol.dispose]();
  }

  /** False where nobody knows. */
  async #isStored(message: StreamMessage): Promise<boolean> {
    const published = await this.#stream.publish(message, this.#last);
    this.#ended.signal.throwIfAborted();
    switch (published.outcome) {
      case 'stored':
        if (published.sequence === this.#last + 1) return true;
        throw new StreamFaultError(
          `a message that goes behind number ${this.#last} was stored as ${published.sequence}`,
        );
      case 'unknown':
        return false;
      case 'otherEnd':
        return (await this.#isFound(message)) || (await this.#looksAtEnd());
      case 'refused':
        // An earlier attempt may have found the room that this one did not.
        if (published.why === 'full' && (await this.#isFound(message))) return true;
        throw new StreamRefusedError(published.why, message.body.length);
      default:
        return published satisfies never;
    }
  }

  async #isFound(message: StreamMessage): Promise<boolean> {
    const found = await this.#read(this.#last + 1);
    if (found === null) return false;
    if (isSameMessage(found, message)) return true;
    throw this.#fencedBy(found);
  }

  /** Always false: nothing is known of the message, but perhaps of the stream. */
  async #looksAtEnd(): Promise<false> {
    const ends = await this.#stream.ends().catch(() => null);
    if (ends === null) return false;
    this.#requireNotPurged(ends.first);
    if (!this.#shrinking.hear(this.#last, ends.last)) return false;
    if (await isProvedShrunk(this.#stream, this.writer, this.#last, ends.last)) {
      throw new StreamShrunkError(this.#last, ends.last);
    }
    return false;
  }

  /** A stream that was shrunk, and has grown again to the very number that is known, would take the next message as if nothing had been. */
  async #requireLastKept(): Promise<void> {
    if (this.#appended === 0) return;
    const kept = await this.#read(this.#last);
    if (kept === null) return;
    const isOurs = kept.writer === this.writer && !isLossTold(kept);
    if (!isOurs) throw new StreamShrunkError(this.#last, this.#last - 1);
  }

  /** What was purged beyond the last message that is known was somebody else's. */
  #requireNotPurged(first: number): void {
    if (first > this.#last + 1) throw new FencedError(this.writer, this.#last + 1, null);
  }

  async #read(sequence: number): Promise<StoredMessage | null> {
    return await this.#stream.read(sequence).catch(() => null);
  }

  #fencedBy(found: StoredMessage): FencedError {
    return new FencedError(this.writer, found.sequence, found.writer);
  }
}
