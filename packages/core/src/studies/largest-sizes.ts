/**
 * The n largest of any number of sizes: a binary heap with the smallest on top. The smallest is the n-th largest of all
 * or, with fewer than n sizes, the smallest of all.
 */

export class LargestSizes {
  readonly #heap: Float64Array;
  #count = 0;

  constructor(sizesMax: number) {
    this.#heap = new Float64Array(sizesMax);
  }

  clear(): void {
    this.#count = 0;
  }

  /** Null if nothing was added. */
  get smallest(): number | null {
    return this.#count === 0 ? null : this.#heap[0]!;
  }

  add(size: number): void {
    if (this.#count < this.#heap.length) {
      this.#rise(this.#count, size);
      this.#count += 1;
    } else if (size > this.#heap[0]!) {
      this.#sink(size);
    }
  }

  #rise(from: number, size: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#heap[parent]! <= size) break;
      this.#heap[at] = this.#heap[parent]!;
      at = parent;
    }
    this.#heap[at] = size;
  }

  /** Replaces the smallest by `size`. */
  #sink(size: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#count) break;
      if (child + 1 < this.#count && this.#heap[child + 1]! < this.#heap[child]!) child += 1;
      if (this.#heap[child]! >= size) break;
      this.#heap[at] = this.#heap[child]!;
      at = child;
    }
    this.#heap[at] = size;
  }
}
