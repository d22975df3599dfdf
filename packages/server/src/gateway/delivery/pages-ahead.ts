/** Limits the replay pages that are made ahead on a connection: each stays in memory until it may be sent. */

const PAGES_AHEAD_MAX = 4;

export class PagesAhead {
  /** Subscriptions whose page is being made, or is made and not written. */
  readonly #holders = new Set<object>();
  readonly #requests = new Map<object, () => void>();

  /** Makes the page as soon as there is a slot for it. */
  take(holder: object, make: () => void): void {
    if (this.#holders.size >= PAGES_AHEAD_MAX) {
      this.#requests.set(holder, make);
      return;
    }
    this.#holders.add(holder);
    make();
  }

  /** The holder's page is written, or no longer wanted. */
  free(holder: object): void {
    this.#requests.delete(holder);
    if (!this.#holders.delete(holder)) return;
    const [next] = this.#requests;
    if (next === undefined) return;
    this.#requests.delete(next[0]);
    this.take(...next);
  }
}
