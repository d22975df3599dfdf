/** Counts works from their beginning to their end, so that one can wait until there is none. */

export class UnderWay {
  #count = 0;
  #idle = Promise.withResolvers<void>();

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) {
        this.#idle.resolve();
        this.#idle = Promise.withResolvers();
      }
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#count > 0) await this.#idle.promise;
  }
}
