/** Tells whoever listens that something has changed. */

export class Changes {
  readonly #listeners = new Set<() => void>();

  tell(): void {
    for (const hear of this.#listeners) hear();
  }

  /** Hears of every change; the answer stops it. */
  listen(hear: () => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }
}
