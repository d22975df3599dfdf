/** One call of `Intake.offer` in progress: the rows still to be judged, and the promise and notes of its caller. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { IntakeBatch, OfferCounts } from '../intake.ts';
import type { OfferNotes } from '../notes/offer-notes.ts';

/** Rows [from, to) of a batch. */
export interface Run {
  readonly batch: IntakeBatch;
  from: number;
  to: number;
}

export class Offer {
  readonly rows: number;
  readonly promise: EpochNs | null;
  /** Null: none. */
  readonly notes: OfferNotes | null;
  /** Whether the notes that come before the trades were taken. */
  areNotesBegun = false;
  /** Rows to judge on the open day, in order. */
  runs: Run[] = [];
  /** Rows of a day that opens as soon as the open one ends: the offer's watermark is already there. */
  deferred: Run[] = [];
  /** The open day at the time of the deferral, in days since 1970. */
  deferredOn = 0;
  readonly #counts = { duplicate: 0, tooOld: 0, late: 0, rejected: 0 };
  readonly #settled = Promise.withResolvers<OfferCounts>();

  constructor(
    batches: readonly IntakeBatch[],
    promise: EpochNs | null,
    notes: OfferNotes | null = null,
  ) {
    let rows = 0;
    for (const batch of batches) {
      if (batch.count > 0) this.runs.push({ batch, from: 0, to: batch.count });
      rows += batch.count;
    }
    this.rows = rows;
    this.promise = promise;
    this.notes = notes;
  }

  /** Resolves once everything is on disk. */
  get settled(): Promise<OfferCounts> {
    return this.#settled.promise;
  }

  defer(batch: IntakeBatch, row: number): void {
    const last = this.deferred.at(-1);
    if (last !== undefined && last.batch === batch && last.to === row) last.to += 1;
    else this.deferred.push({ batch, from: row, to: row + 1 });
  }

  count(change: OfferCounts): void {
    this.#counts.duplicate += change.duplicate;
    this.#counts.tooOld += change.tooOld;
    this.#counts.late += change.late;
    this.#counts.rejected += change.rejected;
  }

  resolve(): void {
    this.#settled.resolve(this.#counts);
  }

  reject(error: Error): void {
    this.#settled.reject(error);
  }
}
