/**
 * How many units of history charts may spend without asking: 1 % of the month's budget for one gesture, 5 % for one day.
 * The day's spending is remembered in a store that all tabs share. What a reader loads on request counts for the day too.
 */

export const GESTURE_SHARE = 0.01;
export const DAY_SHARE = 0.05;

/** Remembers a text, as `localStorage` does. May forget, and may fail. */
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

export interface Reservation {
  /** The units that were charged; the rest is free again. Calls after the first do nothing. */
  settle(units: number): void;
}

export class HistoryBudget {
  readonly #options: HistoryBudgetOptions;
  #unitsPerMonth: number;

  constructor(options: HistoryBudgetOptions) {
    this.#options = options;
    this.#unitsPerMonth = options.unitsPerMonth;
  }

  get unitsPerMonth(): number {
    return this.#unitsPerMonth;
  }

  /** After a change of plan. */
  set unitsPerMonth(units: number) {
    this.#unitsPerMonth = units;
  }

  /** Units spent or reserved today, by all charts and tabs. */
  get spentToday(): number {
    return Number(this.#options.store.get('') ?? 0);
  }

  /** Whether a gesture that has spent `spent` units may spend these too, without asking. */
  allows(units: number, spent = 0): boolean {
    return units + spent <= this.#unitsPerMonth * GESTURE_SHARE;
  }

  /** Takes the units, for a request that `allows` or a reader has permitted. */
  reserve(units: number): Reservation {
    return { settle: (charged) => void (charged - units) };
  }
}
