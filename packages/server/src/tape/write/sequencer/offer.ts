/** One call of `Intake.offer` in progress: the rows still to be judged, and the promise of its caller. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { IntakeBatch } from '../intake.ts';

/** Rows [from, to) of a batch. */
export interface Run {
  readonly batch: IntakeBatch;
  from: number;
  to: number;
}

export class Offer {
  readonly rows: number;
  readonly promise: EpochNs | null;
  /** Rows to judge on the open day, in order. */
  runs: Run[] = [];
  /** Rows of a day that opens as soon as the open one ends: the offer's watermark is already there. */
  deferred: Run[] = [];
  /** The open day at the time of the deferral, in days since 1970. */
  deferredOn = 0;
  readonly #settled = Promise.withResolvers<void>();

  constructor(batches: readonly IntakeBatch[], promise: EpochNs | null) {
    let rows = 0;
    for (const batch of batches) {
      if (batch.count > 0) this.runs.push({ batch, from: 0, to: batch.count });
      rows += batch.count;
    }
    this.rows = rows;
    this.promise = promise;
  }

  /** Resolves once everything is on disk. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  defer(batch: IntakeBatch, row: number): void {
    const last = this.deferred.at(-1);
    if (last !== undefined && last.batch === batch && last.to === row) last.to += 1;
    else this.deferred.push({ batch, from: row, to: row + 1 });
  }

  resolve(): void {
    this.#settled.resolve();
  }

  reject(error: Error): void {
    this.#settled.reject(error);
  }
}
