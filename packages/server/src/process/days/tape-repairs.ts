/**
 * Days that arrived on the tape after results were computed without them, or that were replaced (rule DET-23).
 * Dependent results are computed again, and every earlier cursor that depends on these days becomes invalid. While a
 * repair is in progress no such cursor is resumed, so none slips through between the old and the new results.
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
   * Makes the engines read the tape again. Resolves when the affected topics have ended, to a position that nothing
   * shown of the contract lies beyond.
   */
  readonly computeAnew: (contract: string) => Promise<TapeEnd>;
  readonly epochs: Promise<Pick<EpochStore, 'recordRepair'>>;
  /** Whether all nodes of a cluster know, or will know, that cursors end for this day: nothing is recorded then. */
  readonly isAgreed?: (contract: string, day: UtcDay) => boolean;
  /** Whether a cursor of this contract may have been issued. */
  readonly mayHaveCursors: (contract: string) => boolean;
  readonly onFault: (error: unknown) => void;
}

/** What a stream depends on: its kind of sessions, and how many of them it looks back on. */
export interface StreamSessions {
  readonly sessions: SessionTable;
  readonly lookBack: number;
}

/** Whether the state at a cursor depends on a day: a day of its session up to the cursor, or of its look-back. */
export function dayMatters(
  { sessions, lookBack }: StreamSessions,
  cursor: Pick<Cursor, 'day'>,
  day: UtcDay,
): boolean {
  const midnight = epochNs(cursor.day, 0);
  // While the market is closed, the previous session is shown.
  const first = sessions.atOrBefore(midnight) ?? sessions.atOrAfter(midnight);
  if (first === null) return true;
  return dayOf(sessionsEarlier(sessions, first, lookBack).open) <= day && day <= cursor.day;
}

export class TapeRepairs {
  readonly #options: TapeRepairsOptions;
  /** By contract, the days not recorded yet, each with the number of the newest note that named it. */
  readonly #days = new Map<string, Map<UtcDay, number>>();
  #notes = 0;
  /** By contract, the days not computed with yet, in the same form. */
  readonly #uncomputed = new Map<string, Map<UtcDay, number>>();
  /** Contracts whose engines read changed days only after a notification. */
  readonly #imported = new Set<string>();
  /** Contracts with a queued or running repair. */
  readonly #working = new Set<string>();
  readonly #repairs = new SerialQueue();

  constructor(options: TapeRepairsOptions) {
    this.#options = options;
  }

  get idle(): Promise<void> {
    return this.#repairs.idle;
  }

  underWay(contract: string): readonly UtcDay[] {
    return [...(this.#days.get(contract)?.keys() ?? [])];
  }

  /** Days that results of this contract may have been computed without. */
  uncomputed(contract: string): readonly UtcDay[] {
    return [...(this.#uncomputed.get(contract)?.keys() ?? [])];
  }

  get isComputed(): boolean {
    return this.#uncomputed.values().every((days) => days.size === 0);
  }

  /** A past day of a contract was added to the tape, was removed, or changed its readability. */
  noteFilled(contract: string, day: UtcDay): void {
    this.#note(contract, [day]);
  }

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

  /** A repair that could not be recorded stays in progress and is retried with the next noted day. */
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

/** Days noted again since then stay: they are repaired once more. */
function forget(days: Map<UtcDay, number>, done: ReadonlyMap<UtcDay, number>): void {
  for (const [day, note] of done) if (days.get(day) === note) days.delete(day);
}
