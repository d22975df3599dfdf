/**
 * How many units of history charts may spend without asking: 1 % of the month's budget for one gesture, 5 % for one UTC
 * day. The day's spending is remembered in a store that all tabs share, and what a reader loads on request counts for
 * it too. A clock that is set back begins no new day.
 */

export const GESTURE_SHARE = 0.01;
export const DAY_SHARE = 0.05;
const STORED_AS = 'tapeloom.history-units';
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** Remembers a text, as `localStorage` does. It may forget, and may throw. */
export interface TextStore {
  get(name: string): string | null;
  set(name: string, text: string): void;
}

export interface HistoryBudgetOptions {
  /** Units a month; 0: the plan has none. */
  readonly unitsPerMonth: number;
  readonly store: TextStore;
  /** Milliseconds since 1970. */
  readonly wallMs: () => number;
}

/** Units that are taken before they are charged. */
export interface Reservation {
  /** The units that were charged; the rest is free again. Calls after the first do nothing. */
  settle(units: number): void;
}

interface SpentDay {
  /** UTC, `2026-11-17`. */
  readonly day: string;
  readonly units: number;
}

export class HistoryBudget {
  readonly #options: HistoryBudgetOptions;
  unitsPerMonth: number;
  /** Where the store forgets or fails. */
  #known: SpentDay = { day: '', units: 0 };
  /** The newest time of the service, in milliseconds since 1970. */
  #serviceMs = 0;

  constructor(options: HistoryBudgetOptions) {
    this.#options = options;
    this.unitsPerMonth = options.unitsPerMonth;
  }

  /** The service's time, which is righter than the machine's. */
  hearTime(ns: bigint): void {
    this.#serviceMs = Math.max(this.#serviceMs, Number(ns / 1_000_000n));
  }

  /** Milliseconds since 1970 as the service has it, or the machine before the service was heard. */
  get nowMs(): number {
    return Math.max(this.#serviceMs, this.#options.wallMs());
  }

  /** Units spent or reserved today, by all charts and tabs. */
  get spentToday(): number {
    return this.#today().units;
  }

  /** What a gesture that has spent `spent` units may still spend without asking. */
  allowance(spent = 0): number {
    const ofGesture = this.unitsPerMonth * GESTURE_SHARE - spent;
    const ofDay = this.unitsPerMonth * DAY_SHARE - this.spentToday;
    return Math.max(0, Math.floor(Math.min(ofGesture, ofDay)));
  }

  /** Takes units that the allowance permits, or a reader. */
  reserve(units: number): Reservation {
    const { day } = this.#add(units);
    let isSettled = false;
    return {
      settle: (charged) => {
        if (isSettled) return;
        isSettled = true;
        // What was reserved yesterday is no part of today.
        if (this.#today().day === day) this.#add(charged - units);
      },
    };
  }

  #add(units: number): SpentDay {
    const before = this.#today();
    const after = { day: before.day, units: Math.max(0, before.units + units) };
    this.#known = after;
    try {
      this.#options.store.set(STORED_AS, JSON.stringify(after));
    } catch {
      // A full or forbidden store: this page still remembers.
    }
    return after;
  }

  #today(): SpentDay {
    const now = new Date(this.nowMs).toISOString().slice(0, 10);
    const stored = this.#stored();
    const newest = stored.day >= this.#known.day ? stored : this.#known;
    // Both know of today: this page may know what the store has lost.
    const units =
      stored.day === this.#known.day ? Math.max(stored.units, this.#known.units) : newest.units;
    if (newest.day < now) return { day: now, units: 0 };
    // A day far ahead is none of ours; what it spent still counts.
    const isAhead = Date.parse(newest.day) > this.nowMs + DAY_MS;
    return { day: isAhead ? now : newest.day, units };
  }

  #stored(): SpentDay {
    try {
      const read: unknown = JSON.parse(this.#options.store.get(STORED_AS) ?? 'null');
      const { day, units } = (read ?? {}) as Partial<SpentDay>;
      const isGood =
        typeof day === 'string' &&
        DAY.test(day) &&
        !Number.isNaN(Date.parse(day)) &&
        typeof units === 'number' &&
        units >= 0;
      if (isGood) return { day, units };
    } catch {
      // As if nothing were stored.
    }
    return { day: '', units: 0 };
  }
}
