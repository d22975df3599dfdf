/**
 * The trades that wait, as lines, and the venue times said among them. A time goes out with the batch that has every
 * trade written before it, never earlier: the service would take those trades as late. A loss goes out with the first
 * trades behind it: the service would leave out those before it.
 */

export interface QueuedBatch {
  readonly body: string;
  readonly trades: number;
  readonly upTo: string | null;
  readonly missingBefore: string | null;
}

interface TimeMark {
  /** The number of lines written before. */
  readonly after: number;
  readonly time: string;
}

export class PushQueue {
  #lines: string[] = [];
  #marks: TimeMark[] = [];
  #losses: TimeMark[] = [];
  /** Lines that were taken since the start. */
  #taken = 0;
  #lastUpTo: string | null = null;

  get trades(): number {
    return this.#lines.length;
  }

  get isEmpty(): boolean {
    return this.#lines.length + this.#marks.length + this.#losses.length === 0;
  }

  add(line: string): void {
    this.#lines.push(line);
  }

  mark(upTo: string): void {
    this.#add(this.#marks, upTo);
  }

  lose(before: string): void {
    this.#add(this.#losses, before);
  }

  /** The next batch. Once a time was said, every batch carries one: the service then derives none from trades. */
  take(tradesMax: number): QueuedBatch {
    const isLoss = this.#losses[0]?.after === this.#taken;
    const missingBefore = isLoss ? this.#losses.shift()!.time : null;
    const untilLoss = (this.#losses[0]?.after ?? Number.POSITIVE_INFINITY) - this.#taken;
    const lines = this.#lines.splice(0, Math.min(tradesMax, untilLoss));
    this.#taken += lines.length;
    while (this.#marks.length > 0 && this.#marks[0]!.after <= this.#taken) {
      this.#lastUpTo = this.#marks.shift()!.time;
    }
    return {
      body: lines.join(''),
      trades: lines.length,
      upTo: this.#lastUpTo,
      missingBefore,
    };
  }

  #add(marks: TimeMark[], time: string): void {
    const after = this.#taken + this.#lines.length;
    if (marks.at(-1)?.after === after) marks.pop();
    marks.push({ after, time });
  }
}
