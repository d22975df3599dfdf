/** A customer's connection that notes when it has results of how many trades. */

import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface Receipt {
  /** The trades of the contract's day that the newest message includes. */
  readonly trades: number;
  readonly atMs: number;
}

const PING_MS = 10_000;
const HAS_LIMIT_MS = 20_000;
/** `20261119.974.1`: the day, and the rank of its last trade. */
const CURSOR = /"cursor":"\d{8}\.(\d+)\./g;

export class FeedReader implements Disposable {
  readonly receipts: Receipt[] = [];
  readonly #socket: WebSocket;
  readonly #pinging: NodeJS.Timeout;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#take(String(data)));
    // The service closes a connection that is silent for 30 s.
    this.#pinging = setInterval(() => socket.send('{"t":"ping"}'), PING_MS);
  }

  static async open(url: string, key: string, instrument: string): Promise<FeedReader> {
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
    await once(socket, 'open');
    const reader = new FeedReader(socket);
    socket.send(JSON.stringify({ t: 'subscribe', sub: '1', instrument, indicator: 'bars' }));
    return reader;
  }

  /** When the first message arrived that includes this trade; null: none did. */
  arrivalOf(trade: number): number | null {
    let [low, high] = [0, this.receipts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.receipts[middle]!.trades >= trade) high = middle;
      else low = middle + 1;
    }
    return this.receipts[low]?.atMs ?? null;
  }

  /** Resolves when a message with this trade is here. */
  async has(trade: number): Promise<void> {
    const signal = AbortSignal.timeout(HAS_LIMIT_MS);
    while (this.#trades < trade) {
      await once(this.#socket, 'message', { signal }).catch(() => {
        throw new Error(`trade ${trade} did not arrive; the last was ${this.#trades}`);
      });
    }
  }

  get #trades(): number {
    return this.receipts.at(-1)?.trades ?? 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#pinging);
    this.#socket.terminate();
  }

  #take(text: string): void {
    const atMs = performance.now();
    let trades = 0;
    for (const [, rank] of text.matchAll(CURSOR)) trades = Math.max(trades, Number(rank));
    if (trades > this.#trades) this.receipts.push({ trades, atMs });
  }
}
