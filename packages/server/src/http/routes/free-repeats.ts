/**
 * How often a paid page is computed again free of charge: enough for any unstable connection, too few to waste much
 * work. Each process counts for itself, and only the latest pages.
 */

import type { OnceRequest } from '../../accounts/store/once.ts';

export const FREE_REPEATS = 10;
const PAGES_MAX = 10_000;

export class FreeRepeats {
  readonly #counts = new Map<string, number>();

  /** Whether one more repeat is free. */
  take(keyId: string, { idempotencyKey }: OnceRequest): boolean {
    const page = `${keyId} ${idempotencyKey}`;
    const count = (this.#counts.get(page) ?? 0) + 1;
    this.#counts.delete(page);
    this.#counts.set(page, count);
    if (this.#counts.size > PAGES_MAX) this.#counts.delete(this.#counts.keys().next().value!);
    return count <= FREE_REPEATS;
  }
}
