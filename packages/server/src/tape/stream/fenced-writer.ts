/**
 * Appends to a stream as long as no other writer does. A message is stored right behind the last one this writer knows,
 * or not at all. A resolved append is durable. An unresolved one may be, so nothing else is ever published in its
 * place. The first failure ends the writer for good.
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
/** Unknown outcomes before another server is tried. */
const UNKNOWN_BEFORE_RECONNECT = 2;

export interface FencedWriterOptions {
  readonly stream: TapeStream;
  readonly clock: Pick<Clock, 'after'>;
  /** `<node>.<term>`: unique per writer. */
  readonly writer: string;
  /** The number of the last known message. */
  readonly last: number;
}

/**
 * One append:
 *
 * 1. Publish, expecting number L to be the last. Stored as L + 1: done.
 * 2. Unknown outcome: publish the same again with backoff, at most a second apart, and meanwhile read number L + 1.
 *    Reconnect after every second unknown outcome, because a server that is cut off keeps its clients.
 * 3. Another end: no verdict yet. The response may be to a repetition while the first attempt is under way, or from a
 *    server that is behind. So read number L + 1: ours means stored, another writer's means that this writer is fenced,
 *    nothing means unknown.
 */
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

  /** The number of the last known message: the next one goes right behind it. */
  get last(): number {
    return this.#last;
  }

  /** Messages it has stored. */
  get appended(): number {
    return this.#appended;
  }

  /** Unknown outcomes in a row for the current message; 0 when all is well. */
  get unknowns(): number {
    return this.#unknowns;
  }

  /** Unknown outcomes since the writer was created. */
  get unknownsTotal(): number {
    return this.#unknownsTotal;
  }

  /** Aborted by the first failure, or when the writer is abandoned; the reason is the error. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get bodyBytesMax(): number {
    return this.#stream.bodyBytesMax;
  }

  /**
   * Resolves with the message's number once it is durable. Appends are queued. The caller may reuse the bytes at once.
   * Rejects with `FencedError`, `StreamRefusedError`, `StreamShrunkError`, `AppendAbandonedError` or
   * `StreamFaultError`, and so does every later append.
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

  /** Checks whether another writer has appended; then this one ends as by an append. No response: no change. */
  look(): Promise<void> {
    return this.#inTurn(async () => {
      const found = await this.#stream.read(this.#last + 1).catch(() => undefined);
      if (found === undefined) return;
      if (found !== null) throw this.#fencedBy(found);
      await this.#requireLastKept();
      await this.#looksAtEnd();
    });
  }

  /** Abandons the writer. The outcome of a pending append stays unknown. */
  abandon(): void {
    this.end(new AppendAbandonedError(this.#last + 1));
  }

  /** Ends the writer because of a fault that was found elsewhere. */
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

  /** False when the outcome is unknown. */
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
        // The stream may have had room for an earlier attempt.
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

  /** Always false: the message's outcome stays unknown, but the stream may prove to be shrunk. */
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

  /** Detects a stream that was shrunk and has grown back to the known number, and so would accept the next message. */
  async #requireLastKept(): Promise<void> {
    if (this.#appended === 0) return;
    const kept = await this.#read(this.#last);
    if (kept === null) return;
    const isOurs = kept.writer === this.writer && !isLossTold(kept);
    if (!isOurs) throw new StreamShrunkError(this.#last, this.#last - 1);
  }

  /** Purged numbers beyond the last known message were another writer's. */
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
