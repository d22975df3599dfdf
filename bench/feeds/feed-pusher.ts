/** Pushes trades of now at a steady rate, and notes when each batch was sent and acknowledged. */

import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Feed, FeedStage } from './feed-stage.ts';

export const STEP_MS = 20;
const LAST_FLUSH_MS = 300;
/** The internal port takes 32 in all. */
const CONNECTIONS = 4;
const PRICE_TICKS = 500_000;

export interface SentBatch {
  readonly sentMs: number;
  readonly ackMs: number;
  /** From the service's first sight of the request until the trades were on disk, as it says. */
  readonly commitMs: number;
  /** The number of the contract's last trade in it. */
  readonly lastTrade: number;
}

export class FeedPusher implements Disposable {
  readonly #stage: FeedStage;
  readonly #feed: Feed;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  #trades: number;
  #batches = 0;

  /** `trades`: how many the contract has on the tape. */
  constructor(stage: FeedStage, feed: Feed, trades = 0) {
    this.#stage = stage;
    this.#feed = feed;
    this.#trades = trades;
  }

  /** Sends a batch every 20 ms, also while earlier ones are not acknowledged. */
  async drive(
    tradesPerSecond: number,
    seconds: number,
    afterMs = 0,
  ): Promise<readonly SentBatch[]> {
    const size = Math.round((tradesPerSecond * STEP_MS) / 1_000);
    const sent: Promise<SentBatch>[] = [];
    const startMs = performance.now() + afterMs;
    for (let step = 0; step * STEP_MS < seconds * 1_000; step += 1) {
      const waitMs = startMs + step * STEP_MS - performance.now();
      if (waitMs > 0) await pause(waitMs);
      sent.push(this.push(size));
    }
    const batches = await Promise.all(sent);
    // Only a later watermark completes the last flush.
    await pause(LAST_FLUSH_MS);
    await this.push(0);
    return batches;
  }

  /** Rejects if the batch is not taken. */
  async push(size: number): Promise<SentBatch> {
    const body = this.#body(size);
    const lastTrade = this.#trades;
    const sentMs = performance.now();
    const commitMs = await this.#post(body);
    return { sentMs, ackMs: performance.now(), commitMs, lastTrade };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #body(size: number): string {
    const ts = `${BigInt(Date.now()) * 1_000_000n}`;
    const lines: string[] = [];
    for (let index = 0; index < size; index += 1) {
      this.#trades += 1;
      const ticks = PRICE_TICKS + ((this.#trades * 7) % 41);
      const price = `${Math.trunc(ticks / 10)}.${ticks % 10}`;
      const side = this.#trades % 2 === 0 ? 'buy' : 'sell';
      lines.push(
        `{"contract":"${this.#feed.contract}","id":${this.#trades},"ts":"${ts}","price":"${price}","size":"0.005","side":"${side}"}`,
      );
    }
    return lines.join('\n');
  }

  async #post(body: string): Promise<number> {
    const upTo = new Date().toISOString();
    const path = `/internal/trades?dataset=${this.#feed.dataset}&upTo=${upTo}`;
    this.#batches += 1;
    const sending = request(new URL(path, this.#stage.internalUrl), {
      method: 'POST',
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.#stage.secret}`,
        'content-type': 'application/x-ndjson',
        'content-length': Buffer.byteLength(body),
        'tapeloom-batch': `${this.#trades}-${this.#batches}`,
      },
    });
    sending.end(body);
    const [response] = await once(sending, 'response');
    const answer = await textOf(response);
    if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${answer}`);
    return Number(/dur=([\d.]+)/.exec(response.headers['server-timing'])?.[1]);
  }
}
