/** A value that parts of the page watch. Listeners run once for each change, never for an equal value. */

export class Store<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const hear of [...this.#listeners]) hear();
  }

  change(change: (value: Value) => Value): void {
    this.set(change(this.#value));
  }

  /** Returns a function that unsubscribes. */
  listen(hear: () => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }
}
