/** Packed bytes in file order, as many at a time as an expander requests. */

import { FeedError } from '../feed-trades.ts';

const ROOM_BYTES = 65_536;

export class PackedBytes {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #what: string;
  #memory = new Uint8Array(ROOM_BYTES);
  #from = 0;
  #to = 0;
  #isOver = false;
  passed = 0;

  /** `what` names the format in messages. */
  constructor(pieces: AsyncIterable<Uint8Array>, what: string) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#what = what;
  }

  /** How many of the next `count` bytes exist; fewer only at the end. */
  async available(count: number): Promise<number> {
    while (this.#to - this.#from < count && !this.#isOver) {
      const { value, done } = await this.#pieces.next();
      if (done === true) this.#isOver = true;
      else this.#append(value);
    }
    return Math.min(count, this.#to - this.#from);
  }

  /** Peeks at the next bytes, which are valid until the next request; rejects a file that ends before them. */
  async next(count: number): Promise<Uint8Array> {
    if ((await this.available(count)) < count) {
      throw new FeedError(`The ${this.#what} ends too early: was the file cut?`);
    }
    return this.#memory.subarray(this.#from, this.#from + count);
  }

  /** The buffered bytes, without waiting. */
  there(): Uint8Array {
    return this.#memory.subarray(this.#from, this.#to);
  }

  /** Skips the next bytes, which must be buffered. */
  pass(count: number): void {
    this.#from += count;
    this.passed += count;
  }

  /** Reads and passes the next bytes. */
  async take(count: number): Promise<Uint8Array> {
    const bytes = await this.next(count);
    this.pass(count);
    return bytes;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#pieces.return?.();
  }

  damaged(why: string): FeedError {
    return new FeedError(`The ${this.#what} is damaged: ${why}.`);
  }

  /** The buffer grows with the bytes that have arrived. */
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
