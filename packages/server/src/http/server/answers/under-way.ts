/** Counts pieces of work from beginning to end, so that a caller can wait until there is none. */

export class UnderWay {
  #count = 0;
  /** Only while a caller waits. */
  #idle: PromiseWithResolvers<void> | null = null;

  during<T>(work: () => Promise<T> | T): Promise<T> | T {
    this.#count += 1;
    try {
      const done = work();
      if (done instanceof Promise) return done.finally(() => this.#end());
      this.#end();
      return done;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async idle(): Promise<void> {
    if (this.#count === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  #end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#idle?.resolve();
    this.#idle = null;
  }
}
