/**
 * How often a page that was paid is made again for nothing: often enough for any line that drops, too seldom to have the
 * service compute for nobody. Counted by each process for itself, and for the latest pages only.
 */

import type { OnceRequest } from '../../accounts/store/once.ts';

export const FREE_REPEATS = 10;
const PAGES_MAX = 10_000;

export class FreeRepeats {
  readonly #counts = new Map<string, number>();

  /** Whether one more is free. */
  take(keyId: string, { idempotencyKey }: OnceRequest): boolean {
    const page = `${keyId} ${idempotencyKey}`;
    const count = (this.#counts.get(page) ?? 0) + 1;
    this.#counts.delete(page);
    this.#counts.set(page, count);
    if (this.#counts.size > PAGES_MAX) this.#counts.delete(this.#counts.keys().next().value!);
    return count <= FREE_REPEATS;
  }
}
