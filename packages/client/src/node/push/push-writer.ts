/**
 * Pushes trades to the internal port of a service: in batches, in order, each until it is acknowledged. A batch that is
 * repeated keeps its id, so the service takes it once. Memory is bounded: `write` waits while too much is pending.
 */

import {
  NDJSON_TYPE,
  PUSH_BATCH_HEADER,
  PUSH_PATH,
  PUSH_POSITION_PATH,
  type PushPosition,
  type PushReceipt,
} from '@tapeloom/protocol/push';
import { TapeloomError } from '../../tapeloom-error.ts';
import { PushCalls } from './push-call.ts';
import { type PushTerms, type PushWriterOptions, pushTerms } from './push-options.ts';
import { PushQueue, type QueuedBatch } from './push-queue.ts';

/** A trade as the venue reports it. Decimal numbers are exact as texts. */
export interface PushTrade {
  readonly contract: string;
  /** A whole number that grows from trade to trade of a contract. */
  readonly id: number | bigint | string;
  /** Nanoseconds since 1970, or ISO 8601 with up to nine decimals. */
  readonly ts: bigint | string;
  readonly price: number | string;
  readonly size: number | string;
  /** The side that crossed the spread. */
  readonly side?: 'buy' | 'sell' | 'unknown' | null;
}

/**
 * One writer sends one batch at a time, so that trades reach the tape in the order of `write`. After an error that a
 * retry cannot mend the writer takes nothing more, and every call rejects with it: no later trade may overtake the
 * refused ones. Mend the cause, read `position()` and start another writer from there.
 */
export class PushWriter implements AsyncDisposable {
  readonly #terms: PushTerms;
  readonly #calls: PushCalls;
  readonly #queue = new PushQueue();
  readonly #stopping = new AbortController();
  #timer: { cancel(): void } | null = null;
  /** Whether the pending trades are to be sent now. */
  #isDue = false;
  #sending: Promise<void> | null = null;
  /** Trades of the batch that is being sent. */
  #sendingTrades = 0;
  #waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  #failure: unknown = null;
  #isClosed = false;

  constructor(options: PushWriterOptions) {
    this.#terms = pushTerms(options);
    this.#calls = new PushCalls(this.#terms);
  }

  /** Trades that were written and not acknowledged yet. */
  get pendingTrades(): number {
    return this.#queue.trades + this.#sendingTrades;
  }

  /** Takes a trade. Resolves at once, or as soon as memory is free; it is acknowledged by `flush` only. */
  async write(trade: PushTrade): Promise<void> {
    this.#requireUsable();
    this.#queue.add(lineOf(trade));
    if (this.#queue.trades >= this.#terms.batchTrades) this.#send();
    else this.#sendSoon();
    while (this.pendingTrades > this.#terms.pendingTradesMax) await this.#progress();
  }

  /**
   * Says that no trade before this venue time will follow. It moves a quiet market on. Once it was called, the service
   * derives no such time from the trades, so call it regularly.
   */
  upTo(time: bigint | string): void {
    this.#requireUsable();
    this.#queue.mark(String(time));
    this.#sendSoon();
  }

  /**
   * Says that the trades before this venue time which the service does not have are lost. Call it after a cut that your
   * venue cannot fill, before you write the first trade behind it: the service records a gap instead of a wrong tape.
   */
  missingBefore(time: bigint | string): void {
    this.#requireUsable();
    this.#queue.lose(String(time));
    this.#sendSoon();
  }

  /** Resolves when everything written so far is on the service's disk. */
  async flush(): Promise<void> {
    this.#requireUsable(true);
    while (!this.#queue.isEmpty || this.#sending !== null) {
      this.#send();
      await this.#progress();
    }
  }

  /** Flushes and ends the writer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.flush();
    } finally {
      this.#timer?.cancel();
      this.#stopping.abort(closed());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What the service has on disk: resume behind `lastId` of each contract. */
  async position(): Promise<PushPosition> {
    const text = await this.#calls.run({
      method: 'GET',
      path: `${PUSH_POSITION_PATH}${this.#query({})}`,
      headers: {},
      body: null,
      batch: null,
      signal: this.#stopping.signal,
    });
    return parsed<PushPosition>(text);
  }

  #requireUsable(isClosing = false): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosed && !isClosing) throw closed();
  }

  #sendSoon(): void {
    if (this.#timer !== null || this.#isDue) return;
    const { clock, batchMs } = this.#terms;
    this.#timer = clock.after(batchMs, () => this.#send());
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isDue = true;
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    const { batchTrades } = this.#terms;
    try {
      while (this.#isDue && !this.#queue.isEmpty) {
        const batch = this.#queue.take(batchTrades);
        // What is left goes as soon as a batch is full, or after its time.
        this.#isDue = this.#queue.trades >= batchTrades;
        if (!this.#isDue && !this.#queue.isEmpty) this.#sendSoon();
        this.#sendingTrades = batch.trades;
        await this.#push(batch);
        this.#sendingTrades = 0;
        this.#wake();
      }
      this.#isDue = false;
    } catch (error) {
      this.#failure = error;
      this.#timer?.cancel();
    }
    this.#sending = null;
    this.#wake();
  }

  async #push({ body, upTo, missingBefore }: QueuedBatch): Promise<void> {
    const batch = this.#terms.newBatchId();
    const text = await this.#calls.run({
      method: 'POST',
      path: `${PUSH_PATH}${this.#query({ upTo, missingBefore })}`,
      headers: { 'content-type': NDJSON_TYPE, [PUSH_BATCH_HEADER]: batch },
      body,
      batch,
      signal: this.#stopping.signal,
    });
    this.#terms.onReceipt(parsed<PushReceipt>(text));
  }

  #query(times: Readonly<Record<string, string | null>>): string {
    const query = new URLSearchParams();
    const all = { dataset: this.#terms.dataset, ...times };
    for (const [name, value] of Object.entries(all)) if (value !== null) query.set(name, value);
    return query.size === 0 ? '' : `?${query}`;
  }

  /** Resolves after the next batch; rejects when the writer has failed. */
  #progress(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { resolve, reject } of waiting) {
      if (this.#failure === null) resolve();
      else reject(this.#failure);
    }
  }
}

function lineOf({ contract, id, ts, price, size, side = null }: PushTrade): string {
  const aggressor = side === null ? '' : `,"side":${JSON.stringify(side)}`;
  const [name, exactPrice, exactSize] = [contract, String(price), String(size)].map((text) =>
    JSON.stringify(text),
  );
  return `{"contract":${name},"id":"${id}","ts":"${ts}","price":${exactPrice},"size":${exactSize}${aggressor}}\n`;
}

function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const message = 'The answer is not one of the push endpoint. Check the option "urls".';
    throw new TapeloomError('INVALID_RESPONSE', message, { cause });
  }
}

function closed(): TapeloomError {
  return new TapeloomError('CLOSED', 'The push writer is closed.');
}
