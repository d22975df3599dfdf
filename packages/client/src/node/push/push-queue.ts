/**
 * The trades that wait, as lines, and the venue times said among them. A time goes out with the batch that has every
 * trade written before it, never earlier: the service would take those trades as late.
 */

export interface QueuedBatch {
  readonly body: string;
  readonly trades: number;
  readonly upTo: string | null;
}

interface TimeMark {
  /** The number of lines written before. */
  readonly after: number;
  readonly upTo: string;
}

export class PushQueue {
  #lines: string[] = [];
  #marks: TimeMark[] = [];
  /** Lines that were taken since the start. */
  #taken = 0;
  #lastUpTo: string | null = null;

  get trades(): number {
    return this.#lines.length;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0 && this.#marks.length === 0;
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  mark(upTo: string): void {
    const after = this.#taken + this.#lines.length;
    if (this.#marks.at(-1)?.after === after) this.#marks.pop();
    this.#marks.push({ after, upTo });
  }

  /** The next batch. Once a time was said, every batch carries one: the service then derives none from trades. */
  take(tradesMax: number): QueuedBatch {
    const lines = this.#lines.splice(0, tradesMax);
    this.#taken += lines.length;
    while (this.#marks.length > 0 && this.#marks[0]!.after <= this.#taken) {
      this.#lastUpTo = this.#marks.shift()!.upTo;
    }
    return { body: lines.join(''), trades: lines.length, upTo: this.#lastUpTo };
  }
}
