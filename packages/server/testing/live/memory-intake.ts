/**
 * A tape in memory that loses what is not durable when its process crashes. It takes an offer as the sequencer does: it
 * drops duplicates, and requires that numbers and watermarks grow.
 */

import assert from 'node:assert/strict';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { NotedOffer } from '../../src/markets/divided-offer.ts';
import type { TapeGap } from '../../src/tape/tape-gap.ts';
import type { Intake, IntakeBatch, OfferCounts } from '../../src/tape/write/intake.ts';
import { checkedNotes } from '../../src/tape/write/notes/offer-notes.ts';
import type { TapeNote } from '../../src/tape/write/tape-note.ts';

export interface TapeTrade {
  readonly id: number;
  readonly ts: EpochNs;
  readonly price: number;
  readonly size: number;
  readonly side: number;
}

/** Numbers further below the highest one are not remembered. */
const WINDOW_IDS = 4_096;

export class MemoryIntake implements Omit<Intake, 'offer' | 'batch'> {
  readonly trades = new Map<string, TapeTrade[]>();
  readonly #ids = new Map<string, Set<number>>();
  readonly #gaps = new Map<string, TapeGap>();
  readonly #positions = new Map<string, string>();
  promise: EpochNs | null = null;
  late = 0;

  lastId(symbol: string): number {
    return this.trades.get(symbol)?.reduce((highest, { id }) => Math.max(highest, id), -1) ?? -1;
  }

  /** Those that touch the open day. */
  get gaps(): readonly TapeGap[] {
    const midnight = this.promise === null ? 0n : epochNs(dayOf(this.promise), 0);
    return this.allGaps.filter(({ to }) => to === null || to > midnight);
  }

  get allGaps(): readonly TapeGap[] {
    return [...this.#gaps.values()];
  }

  position(key: string): string | null {
    return this.#positions.get(key) ?? null;
  }

  /** `isCut`: only the first record is durable, with half of the trades. */
  take({ batches, promise, notes }: NotedOffer, isCut = false): OfferCounts {
    // As the tape does, which ends its source otherwise.
    checkedNotes(notes);
    const counts = { duplicate: 0, tooOld: 0, late: 0, rejected: 0 };
    checkedNotes(notes);
    for (const note of notes) if (note.kind === 'gap') this.#take(note);
    for (const batch of batches) {
      this.#takeBatch(batch, isCut ? Math.ceil(batch.count / 2) : batch.count, counts);
    }
    if (isCut) return counts;
    for (const note of notes) this.#take(note);
    if (promise === null) return counts;
    assert.ok(this.promise === null || promise > this.promise, 'the watermark went back');
    this.promise = promise;
    return counts;
  }

  #take(note: TapeNote): void {
    if (note.kind === 'position') this.#positions.set(note.key, note.text);
    if (note.kind === 'gap') {
      const { from, to, firstId, lastId } = note.gap;
      assert.ok(to === null || to > from, 'an empty gap');
      assert.ok((firstId ?? 0) >= 0 && (lastId ?? 0) >= 0, 'a gap with a negative number');
      this.#gaps.set(`${note.gap.symbol} ${note.gap.from}`, note.gap);
    }
  }

  #takeBatch(
    batch: IntakeBatch,
    count: number,
    counts: { duplicate: number; tooOld: number; late: number },
  ): void {
    const trades = this.trades.getOrInsertComputed(batch.symbol, () => []);
    const ids = this.#ids.getOrInsertComputed(batch.symbol, () => new Set());
    for (let row = 0; row < count; row += 1) {
      const id = batch.id[row]!;
      const ts = epochNs(batch.day, batch.ts[row]!);
      const highest = trades.at(-1)?.id ?? -1;
      if (ids.has(id)) counts.duplicate += 1;
      else if (highest - id >= WINDOW_IDS) counts.tooOld += 1;
      else {
        assert.ok(id > highest, `trade ${id} comes behind ${highest}`);
        ids.add(id);
        trades.push({
          id,
          ts,
          price: batch.price[row]!,
          size: batch.size[row]!,
          side: batch.side[row]!,
        });
        if (this.promise !== null && ts < this.promise) {
          counts.late += 1;
          this.late += 1;
        }
      }
    }
  }
}
