/** Notifies listeners of changes. */

export class Changes {
  readonly #listeners = new Set<() => void>();

  tell(): void {
    for (const hear of this.#listeners) hear();
  }

  /** Calls `hear` on every change. Returns a function that unsubscribes. */
  listen(hear: () => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }
}
