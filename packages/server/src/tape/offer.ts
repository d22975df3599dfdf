/** One call of `Intake.offer` on its way: how far it was taken, and who waits for it. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { IntakeBatch } from './intake.ts';

export class Offer {
  readonly batches: readonly IntakeBatch[];
  readonly promise: EpochNs | null;
  /** The first batch and row not yet taken. */
  nextBatch = 0;
  nextRow = 0;
  /** Rows that wait for midnight. */
  heldRows = 0;
  /** Whether every row was judged and the promise taken. */
  isTaken = false;
  readonly #settled = Promise.withResolvers<void>();

  constructor(batches: readonly IntakeBatch[], promise: EpochNs | null) {
    this.batches = batches;
    this.promise = promise;
  }

  /** Resolves once all of it is on disk. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  get rows(): number {
    return this.batches.reduce((rows, batch) => rows + batch.count, 0);
  }

  resolve(): void {
    this.#settled.resolve();
  }

  reject(error: Error): void {
    this.#settled.reject(error);
  }
}
