/**
 * Reads every message of a stream behind a number, in order, each once. Repeated messages are dropped. At a gap the
 * reading is discarded and restarted, and so it is after too long a silence: a client may wait a minute for a dead
 * server. Purged messages give an error and are never skipped.
 */

import type { Clock } from '../../platform/clock.ts';
import { type Backoff, backoffMs } from '../../platform/waiting/retry.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import { StreamPurgedError } from './stream-errors.ts';
import type { StoredMessage, StreamReading, TapeStream } from './tape-stream.ts';

/** The interval of silence checks. Ticks are counted, so time in which the process was stopped does not count. */
export const TICK_MS = 100;
/** A reading that is silent for this long is discarded. */
const SILENT_MS_MAX = 1_500;
/** Time without a message or heartbeat of a leader until another server is tried, growing from first to last. */
const RECONNECT_MS = { first: 4_000, last: 16_000 } as const;
/** Between two readings, when the first ended by itself. */
const READ_AGAIN: Backoff = { firstMs: 20, lastMs: 1_000 };

export interface StreamFollowerOptions {
  readonly stream: TapeStream;
  readonly clock: Pick<Clock, 'after'>;
  /** The number of the last known message. */
  readonly from: number;
  /** The next message is read only after this one is handled. A rejection ends the following. */
  readonly onMessage: (stored: StoredMessage) => void | Promise<void>;
  /** The server has reported that nothing is left to read. */
  readonly onIdle: () => void;
}

export class StreamFollower {
  readonly #options: StreamFollowerOptions;
  #last: number;
  #reading: StreamReading | null = null;
  #isHandling = false;
  /** Since a message, or since the server reported that there is none. */
  #quietMs = 0;
  /** Since then, or since the reading began. */
  #readingMs = 0;
  /** Since a message, while a heartbeat has named a later one. */
  #behindMs = 0;
  /** Since a message or a heartbeat of a leader. */
  #aloneMs = 0;
  #reconnectMs: number = RECONNECT_MS.first;
  #told: number;
  #remade = 0;
  #moves = 0;

  constructor(options: StreamFollowerOptions) {
    this.#options = options;
    this.#last = options.from;
    this.#told = options.from;
  }

  get last(): number {
    return this.#last;
  }

  /** Time without a message or a heartbeat of a leader; time spent handling messages does not count. */
  get aloneMs(): number {
    return this.#aloneMs;
  }

  /** Time without anything from the stream or from a leader. */
  get quietMs(): number {
    return Math.min(this.#quietMs, this.#aloneMs);
  }

  /** Number of discarded readings. */
  get remade(): number {
    return this.#remade;
  }

  /** Runs until the signal is aborted. Rejects with `StreamPurgedError`, and with the rejections of `onMessage`. */
  async follow(signal: AbortSignal): Promise<void> {
    const stop = () => this.#throwAway();
    this.refresh();
    signal.addEventListener('abort', stop);
    let fruitless = 0;
    try {
      while (!signal.aborted) {
        const before = this.#last;
        await this.#readOn(signal);
        fruitless = this.#last > before ? 0 : fruitless + 1;
        await sleep(this.#options.clock, backoffMs(fruitless, READ_AGAIN), signal);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Continues behind another number: after this node appended itself, or after a shrunk stream was detected. */
  moveTo(last: number): void {
    this.#last = last;
    this.#moves += 1;
    this.#told = last;
    this.#behindMs = 0;
    this.#throwAway();
  }

  /** A leader's heartbeat has named the end of the stream. */
  hearOf(last: number): void {
    this.#told = last;
    this.#aloneMs = 0;
    this.#reconnectMs = RECONNECT_MS.first;
  }

  /** Resets the timers, as after appends of this node. */
  refresh(): void {
    this.#hear();
    this.#aloneMs = 0;
    this.#reconnectMs = RECONNECT_MS.first;
  }

  /** Called every `TICK_MS`. */
  async tick(): Promise<void> {
    if (this.#isHandling) return;
    this.#quietMs += TICK_MS;
    this.#readingMs += TICK_MS;
    this.#aloneMs += TICK_MS;
    this.#behindMs = this.#told > this.#last ? this.#behindMs + TICK_MS : 0;
    if (this.#readingMs >= SILENT_MS_MAX || this.#behindMs >= SILENT_MS_MAX) this.#throwAway();
    if (this.#aloneMs >= this.#reconnectMs) {
      this.#reconnectMs += Math.min(this.#reconnectMs, RECONNECT_MS.last);
      await this.#options.stream.reconnect();
    }
  }

  /** One reading, until it ends in any way. */
  async #readOn(signal: AbortSignal): Promise<void> {
    const reading = await this.#options.stream.follow(this.#last + 1).catch(() => null);
    if (reading === null) return;
    this.#reading = signal.aborted ? null : reading;
    this.#readingMs = 0;
    this.#behindMs = 0;
    try {
      while (this.#reading === reading) {
        const read = await reading.next().catch(() => null);
        if (read === null || this.#reading !== reading) return;
        this.#hear();
        if (read === 'idle') this.#options.onIdle();
        else if (read.sequence > this.#last + 1) return await this.#judgeGap();
        else if (read.sequence === this.#last + 1) await this.#handle(read);
      }
    } finally {
      if (this.#reading === reading) this.#reading = null;
      await reading[Symbol.asyncDispose]();
    }
  }

  async #handle(message: StoredMessage): Promise<void> {
    this.#isHandling = true;
    const moves = this.#moves;
    try {
      const handled = this.#options.onMessage(message);
      if (handled !== undefined) await handled;
    } finally {
      this.#isHandling = false;
    }
    // Unless `moveTo` was called meanwhile.
    if (this.#moves === moves) this.#last = message.sequence;
    this.#hear();
    this.#behindMs = 0;
    this.#aloneMs = 0;
  }

  #hear(): void {
    this.#quietMs = 0;
    this.#readingMs = 0;
  }

  /** A reading that begins too late started at a purged number; any other gap is a fault of the connection. */
  async #judgeGap(): Promise<void> {
    const ends = await this.#options.stream.ends().catch(() => null);
    if (ends !== null && ends.first > this.#last + 1) {
      throw new StreamPurgedError(this.#last + 1, ends.first);
    }
  }

  #throwAway(): void {
    const reading = this.#reading;
    if (reading === null) return;
    this.#reading = null;
    this.#remade += 1;
    // Its end is awaited where it is read.
    void reading[Symbol.asyncDispose]();
  }
}
