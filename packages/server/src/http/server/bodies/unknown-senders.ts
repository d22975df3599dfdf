/**
 * Limits requests that must be signed, from addresses that have sent no signed one yet. Large slow bodies stay in
 * memory, so slots are few, and an address has a share of them. Providers retry, and are known after the first success.
 */

export const UNKNOWN_AT_ONCE_MAX = 64;
export const UNKNOWN_PER_ADDRESS_MAX = 8;

export class UnknownSenders {
  readonly #byAddress = new Map<string, number>();
  #size = 0;

  /** Returns the function that frees the slot; null: no slot is free. */
  enter(address: string): (() => void) | null {
    const own = this.#byAddress.get(address) ?? 0;
    if (own >= UNKNOWN_PER_ADDRESS_MAX || this.#size >= UNKNOWN_AT_ONCE_MAX) return null;
    this.#byAddress.set(address, own + 1);
    this.#size += 1;
    return () => this.#leave(address);
  }

  #leave(address: string): void {
    const left = this.#byAddress.get(address)! - 1;
    if (left === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, left);
    this.#size -= 1;
  }
}
