/** Runs work one after another, in the order of its arrival. A failure does not stop later work. */

const nothing = () => {};

export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when everything queued so far is over, failed or not. */
  get idle(): Promise<void> {
    return this.#last;
  }

  /** Settles as the work does. */
  run<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.then(nothing, nothing);
    return done;
  }
}

/** A queue for each holder, which exists only while it has work. */
export class SerialQueues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Work of a holder without any starts at once. */
  run<Result>(holder: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(holder);
    const done = before === undefined ? work() : before.then(work);
    const over: Promise<void> = done.then(
      () => this.#ended(holder, over),
      () => this.#ended(holder, over),
    );
    this.#last.set(holder, over);
    return done;
  }

  #ended(holder: string, over: Promise<void>): void {
    if (this.#last.get(holder) === over) this.#last.delete(holder);
  }
}
