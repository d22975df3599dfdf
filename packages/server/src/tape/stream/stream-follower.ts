/**
 * Every message of a stream behind a number, in order, each once. What comes twice is left out; where one is missing
 * the reading is thrown away and begun anew. So is one that has been silent for too long: a client that waits for its
 * server was seen to wait for a minute. What the stream no longer has is told, never passed over.
 */

import type { Clock } from '../../platform/clock.ts';
import { type Backoff, backoffMs } from '../../platform/waiting/retry.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import { StreamPurgedError } from './stream-errors.ts';
import type { StoredMessage, StreamReading, TapeStream } from './tape-stream.ts';

/** How often silence is looked at. Ticks are counted, so a process that was stopped has not waited meanwhile. */
export const TICK_MS = 100;
/** A reading that says nothing for so long is thrown away. */
const SILENT_MS_MAX = 1_500;
/** Without a word of who appends another server is looked for, first so soon, then ever less often. */
const RECONNECT_MS = { first: 4_000, last: 16_000 } as const;
/** Between two readings of which the first ended by itself. */
const READ_AGAIN: Backoff = { firstMs: 20, lastMs: 1_000 };

export interface StreamFollowerOptions {
  readonly stream: TapeStream;
  readonly clock: Pick<Clock, 'after'>;
  /** The number of the last message that is known. */
  readonly from: number;
  /** The next message is not read before this one is done. What it rejects with ends the following. */
  readonly onMessage: (stored: StoredMessage) => void | Promise<void>;
  /** The keeper has said that there is nothing beyond what was read. */
  readonly onIdle: () => void;
}

export class StreamFollower {
  readonly #options: StreamFollowerOptions;
  #last: number;
  #reading: StreamReading | null = null;
  #isHandling = false;
  /** Since a message, or a word of the keeper that there is none. */
  #quietMs = 0;
  /** Since then, or since the reading was begun. */
  #readingMs = 0;
  /** Since a message, while somebody has told of one beyond it. */
  #behindMs = 0;
  /** Since a message or a word of who appends. */
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

  /** The number of the last message that is known. */
  get last(): number {
    return this.#last;
  }

  /** For how long neither a message nor a word of who appends has come; the time in which messages are dealt with does not count. */
  get aloneMs(): number {
    return this.#aloneMs;
  }

  /** For how long nothing at all has come of the stream or of who appends. */
  get quietMs(): number {
    return Math.min(this.#quietMs, this.#aloneMs);
  }

  /** How many readings were thrown away. */
  get remade(): number {
    return this.#remade;
  }

  /** Until the signal says so. Rejects with `StreamPurgedError`, and with what `onMessage` rejects with. */
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

  /** Goes on behind another number than before, as who appended itself, or has learnt that the stream was shrunk. */
  moveTo(last: number): void {
    this.#last = last;
    this.#moves += 1;
    this.#told = last;
    this.#behindMs = 0;
    this.#throwAway();
  }

  /** Somebody who appends has said where the stream ends. */
  hearOf(last: number): void {
    this.#told = last;
    this.#aloneMs = 0;
    this.#reconnectMs = RECONNECT_MS.first;
  }

  /** Begins to count anew, as after having appended itself. */
  refresh(): void {
    this.#hear();
    this.#aloneMs = 0;
    this.#reconnectMs = RECONNECT_MS.first;
  }

  /** Every `TICK_MS`. */
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

  /** One reading, until it ends in whatever way. */
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
    // Unless it was moved meanwhile.
    if (this.#moves === moves) this.#last = message.sequence;
    this.#hear();
    this.#behindMs = 0;
    this.#aloneMs = 0;
  }

  #hear(): void {
    this.#quietMs = 0;
    this.#readingMs = 0;
  }

  /** A reading that begins too late was begun on a purged number; any other gap is one of the line. */
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
    // That it has ended is waited for where it is read.
    void reading[Symbol.asyncDispose]();
  }
}
