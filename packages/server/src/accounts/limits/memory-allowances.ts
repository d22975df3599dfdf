/**
 * Allowances in the memory of one process. Askers with full allowances are forgotten, a few with every request, so
 * memory follows the active ones. At `whoMax` the least recently active is evicted early, and has a full allowance
 * again.
 */

import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type Allowance,
  type AllowanceState,
  type AllowanceVerdict,
  isFull,
  takeFromAllowances,
} from '@tapeloom/core/quota/allowance';
import type { Allowances } from './allowances.ts';

const WHO_MAX = 100_000;
/** More than one, so that a burst of askers is forgotten faster than the next one grows. */
const FORGOTTEN_PER_TAKE = 2;
const NOTHING_SPENT: Spent = { all: null, byTests: null };

/** The state of the two allowances of an asker; null: nothing spent. */
interface Spent {
  readonly all: AllowanceState | null;
  readonly byTests: AllowanceState | null;
}

/** One asker, linked in the order of the last request: keeping a map in that order would rebuild it all the time. */
interface Asker {
  readonly who: string;
  all: AllowanceState | null;
  byTests: AllowanceState | null;
  older: Asker | null;
  newer: Asker | null;
}

export class MemoryAllowances implements Allowances {
  readonly #askers = new Map<string, Asker>();
  #oldest: Asker | null = null;
  #newest: Asker | null = null;
  readonly #whoMax: number;
  #forgottenTotal = 0;

  constructor(whoMax: number = WHO_MAX) {
    this.#whoMax = whoMax;
  }

  take(now: EpochNs, who: string, perMinute: CountedLimit): AllowanceVerdict {
    let asker = this.#askers.get(who);
    if (asker === undefined) {
      asker = { who, all: null, byTests: null, older: null, newer: null };
      this.#askers.set(who, asker);
    } else this.#unlink(asker);
    this.#append(asker);
    const { states, verdict } = takeFromAllowances(now, counted(asker, perMinute));
    if (perMinute.limit !== null) asker.all = states[0]!;
    if (perMinute.testLimit !== null) asker.byTests = states.at(-1)!;
    this.#forget(now);
    return verdict;
  }

  /** Whether `take` would grant it; takes nothing. */
  wouldGrant(now: EpochNs, who: string, perMinute: CountedLimit): boolean {
    const spent = this.#askers.get(who) ?? NOTHING_SPENT;
    return takeFromAllowances(now, counted(spent, perMinute)).verdict.granted;
  }

  get size(): number {
    return this.#askers.size;
  }

  /** Askers that were evicted before their allowance was full again. */
  get forgottenTotal(): number {
    return this.#forgottenTotal;
  }

  #forget(now: EpochNs): void {
    for (let left = FORGOTTEN_PER_TAKE; left > 0 && this.#oldest !== null; left -= 1) {
      const asker = this.#oldest;
      const isDue = isAllBack(asker, now);
      if (!isDue && this.#askers.size <= this.#whoMax) return;
      this.#unlink(asker);
      this.#askers.delete(asker.who);
      if (!isDue) this.#forgottenTotal += 1;
    }
  }

  #append(asker: Asker): void {
    asker.older = this.#newest;
    asker.newer = null;
    if (this.#newest === null) this.#oldest = asker;
    else this.#newest.newer = asker;
    this.#newest = asker;
  }

  #unlink({ older, newer }: Asker): void {
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
  }
}

/** A test key's request counts against both, a live key's against the first alone. */
function counted({ all, byTests }: Spent, { limit, testLimit }: CountedLimit): Allowance[] {
  const allowances: Allowance[] = [];
  if (limit !== null) allowances.push({ state: all, perMinute: limit });
  if (testLimit !== null) allowances.push({ state: byTests, perMinute: testLimit });
  return allowances;
}

function isAllBack({ all, byTests }: Spent, now: EpochNs): boolean {
  return (all === null || isFull(all, now)) && (byTests === null || isFull(byTests, now));
}
