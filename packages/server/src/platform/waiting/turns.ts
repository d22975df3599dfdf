/** Work that is done one after the other for each holder, in the order in which it was asked for. */

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves and rejects as the work does, once all that came before for this holder is over. */
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
