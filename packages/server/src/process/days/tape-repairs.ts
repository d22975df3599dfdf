/**
 * Days that came onto the tape behind what was computed without them, or were replaced (determinism 23). What they change is
 * computed anew, and every cursor issued before that depends on them is worthless. While a repair is under
 * way no such cursor is gone on from, so none slips through between the old computation and the new one.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { Cursor } from '@tapeloom/core/cursor';
import type { UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { sessionsEarlier } from '../../runs/look-back.ts';
import type { TapeEnd } from '../../topics/epoch-floors.ts';
import type { EpochStore } from '../../topics/epoch-store.ts';

export interface TapeRepairsOptions {
  /**
   * Makes the engines look again at what is on the tape; resolves when what that changes has ended, to a
   * place that nothing shown of the contract lies beyond.
   */
  readonly computeAnew: (contract: string) => Promise<TapeEnd>;
  readonly epochs: Promise<Pick<EpochStore, 'recordRepair'>>;
  /** Whether all nodes of a cluster know that cursors end for this day, or will: then nothing is recorded here. */
  readonly isAgreed?: (contract: string, day: UtcDay) => boolean;
  /** Whether a cursor of this contract may have been issued. */
  readonly mayHaveCursors: (contract: string) => boolean;
  readonly onFault: (error: unknown) => void;
}

/** What a stream runs over: the sessions of its kind, and how many of them it looks back on. */
export interface StreamSessions {
  readonly sessions: SessionTable;
  readonly lookBack: number;
}

/** Whether the state at a cursor depends on a day: one of its own session, from the open on, or of its look-back. */
export function dayMatters(
  { sessions, lookBack }: StreamSessions,
  cursor: Pick<Cursor, 'day'>,
  day: UtcDay,
): boolean {
  const midnight = epochNs(cursor.day, 0);
  // While the market is shut the session before it is shown.
  const first = sessions.atOrBefore(midnight) ?? sessions.atOrAfter(midnight);
  if (first === null) return true;
  return dayOf(sessionsEarlier(sessions, first, lookBack).open) <= day && day <= cursor.day;
}

export class TapeRepairs {
  readonly #options: TapeRepairsOptions;
  /** By contract, what is not recorded yet: each day with the number of the note that named it last. */
  readonly #days = new Map<string, Map<UtcDay, number>>();
  #notes = 0;
  /** Likewise, what is not computed with yet. */
  readonly #uncomputed = new Map<string, Map<UtcDay, number>>();
  /** Contracts whose engines read other days only once they are told. */
  readonly #imported = new Set<string>();
  /** Contracts whose turn is to come, or has. */
  readonly #working = new Set<string>();
  readonly #repairs = new SerialQueue();

  constructor(options: TapeRepairsOptions) {
    this.#options = options;
  }

  /** Resolves when all that was noted so far is recorded. */
  get idle(): Promise<void> {
    return this.#repairs.idle;
  }

  /** The days of a contract whose repair is not recorded yet. */
  underWay(contract: string): readonly UtcDay[] {
    return [...(this.#days.get(contract)?.keys() ?? [])];
  }

  /** The days of a contract that what is shown of it may be computed without. */
  uncomputed(contract: string): readonly UtcDay[] {
    return [...(this.#uncomputed.get(contract)?.keys() ?? [])];
  }

  /** Whether everything shown is computed with all that was noted. */
  get isComputed(): boolean {
    return this.#uncomputed.values().every((days) => days.size === 0);
  }

  /** A day of a contract was sealed that the tape had passed over. */
  noteFilled(contract: string, day: UtcDay): void {
    this.#note(contract, [day]);
  }

  /** An import has added, replaced or removed days of a contract. */
  noteImported(contract: string, days: Iterable<UtcDay>): void {
    this.#imported.add(contract);
    this.#note(contract, days);
  }

  #note(contract: string, days: Iterable<UtcDay>): void {
    this.#notes += 1;
    const all = [...days];
    for (const byContract of [this.#days, this.#uncomputed]) {
      const noted = byContract.getOrInsertComputed(contract, () => new Map());
      for (const day of all) noted.set(day, this.#notes);
    }
    if (this.#working.has(contract)) return;
    this.#working.add(contract);
    this.#repairs.run(() => this.#repair(contract)).catch(this.#options.onFault);
  }

  /** What could not be recorded stays under way, and is tried again with the next day. */
  async #repair(contract: string): Promise<void> {
    const { computeAnew, epochs, mayHaveCursors, isAgreed = () => false } = this.#options;
    const days = this.#days.get(contract)!;
    const uncomputed = this.#uncomputed.get(contract)!;
    try {
      const store = await epochs;
      while (days.size > 0) {
        const done = new Map(days);
        const hasCursors = mayHaveCursors(contract);
        if (hasCursors || this.#imported.has(contract)) {
          const end = await computeAnew(contract);
          forget(uncomputed, done);
          const own = [...done.keys()].filter((day) => !isAgreed(contract, day));
          if (hasCursors && own.length > 0) await store.recordRepair(contract, end, ...own);
        }
        forget(uncomputed, done);
        forget(days, done);
      }
    } finally {
      this.#working.delete(contract);
    }
  }
}

/** One that has become another once more since then is repaired once more. */
function forget(days: Map<UtcDay, number>, done: ReadonlyMap<UtcDay, number>): void {
  for (const [day, note] of done) if (days.get(day) === note) days.delete(day);
}
