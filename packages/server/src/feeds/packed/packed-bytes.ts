/** Packed bytes as they arrive, in the order of the file, as many at a time as an expander asks for. */

import { FeedError } from '../feed-trades.ts';

const ROOM_BYTES = 65_536;

export class PackedBytes {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #what: string;
  #memory = new Uint8Array(ROOM_BYTES);
  #from = 0;
  #to = 0;
  #isOver = false;
  /** How many bytes were passed. */
  passed = 0;

  /** `what` it is, for sentences. */
  constructor(pieces: AsyncIterable<Uint8Array>, what: string) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#what = what;
  }

  /** How many of the next `count` bytes there are; fewer only at the end. */
  async available(count: number): Promise<number> {
    while (this.#to - this.#from < count && !this.#isOver) {
      const { value, done } = await this.#pieces.next();
      if (done === true) this.#isOver = true;
      else this.#append(value);
    }
    return Math.min(count, this.#to - this.#from);
  }

  /** The next bytes, which stay the next ones; refuses a file that ends before. They hold until more are asked for. */
  async next(count: number): Promise<Uint8Array> {
    if ((await this.available(count)) < count) {
      throw new FeedError(`The ${this.#what} ends too early: was the file cut?`);
    }
    return this.#memory.subarray(this.#from, this.#from + count);
  }

  /** Those that are there, without waiting. */
  there(): Uint8Array {
    return this.#memory.subarray(this.#from, this.#to);
  }

  /** Behind the next bytes, which are there. */
  pass(count: number): void {
    this.#from += count;
    this.passed += count;
  }

  /** The next bytes, which are passed. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = await this.next(count);
    this.pass(count);
    return bytes;
  }

  /** Ends the reading of the file. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#pieces.return?.();
  }

  damaged(why: string): FeedError {
    return new FeedError(`The ${this.#what} is damaged: ${why}.`);
  }

  /** Room follows what has arrived. */
  #append(piece: Uint8Array): void {
    const left = this.#to - this.#from;
    if (this.#to + piece.length > this.#memory.length) {
      const isEnough = left + piece.length <= this.#memory.length / 2;
      const memory = isEnough
        ? this.#memory
        : new Uint8Array(Math.max(this.#memory.length * 2, (left + piece.length) * 2));
      memory.set(this.#memory.subarray(this.#from, this.#to));
      this.#memory = memory;
      this.#from = 0;
      this.#to = left;
    }
    this.#memory.set(piece, this.#to);
    this.#to += piece.length;
  }
}
