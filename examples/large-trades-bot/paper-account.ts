/**
 * Orders on paper, one for each reason at most. Every order is on the disk before it counts, so a bot that
 * was killed at any moment knows all it has done when it starts again.
 */

import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';

export interface PaperOrder {
  /** Why: the id of the object that it reacts to. There is one order for an id, whatever happens. */
  readonly reason: string;
  /** The place in the stream: who starts after it misses nothing and sees nothing again. */
  readonly cursor: string;
  readonly side: 'buy' | 'sell';
  readonly lots: number;
  /** In ticks. */
  readonly price: number;
}

export class PaperAccount {
  readonly #path: string;
  readonly #orders = new Map<string, PaperOrder>();

  constructor(path: string) {
    this.#path = path;
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // A line that a crash has cut was never an order.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) truncateSync(path, Buffer.byteLength(whole));
    for (const line of whole.split('\n').filter((part) => part !== '')) {
      const order = JSON.parse(line) as PaperOrder;
      this.#orders.set(order.reason, order);
    }
  }

  /** Where the stream goes on; null before the first order. */
  get cursor(): string | null {
    return [...this.#orders.values()].at(-1)?.cursor ?? null;
  }

  /** Lots held: more bought than sold is above zero. */
  get position(): number {
    const signed = [...this.#orders.values()].map(({ side, lots }) =>
      side === 'buy' ? lots : -lots,
    );
    return signed.reduce((sum, lots) => sum + lots, 0);
  }

  has(reason: string): boolean {
    return this.#orders.has(reason);
  }

  /** A broker in earnest would get `reason` as the order's own id, and refuse a second one of it. */
  place(order: PaperOrder): void {
    if (this.has(order.reason)) throw new Error(`there is an order for ${order.reason}`);
    appendFileSync(this.#path, `${JSON.stringify(order)}\n`, { flush: true });
    this.#orders.set(order.reason, order);
  }
}
