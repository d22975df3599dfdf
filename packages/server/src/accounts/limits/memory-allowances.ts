/**
 * Allowances in the memory of one process. Whoever has everything back is forgotten, a few with every
 * request, so that memory follows those who ask. At `whoMax` the one who asked longest ago is forgotten
 * early and has a full allowance again.
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
/** More than one, so that a crowd that came at once is forgotten faster than a new one grows. */
const FORGOTTEN_PER_TAKE = 2;
const NOTHING_SPENT: Spent = { all: null, byTests: null };

/** What was spent of the two allowances somebody may have; null: nothing. */
interface Spent {
  readonly all: AllowanceState | null;
  readonly byTests: AllowanceState | null;
}

export class MemoryAllowances implements Allowances {
  /** In the order in which they last asked. */
  readonly #states = new Map<string, Spent>();
  readonly #whoMax: number;
  #forgottenTotal = 0;

  constructor(whoMax: number = WHO_MAX) {
    this.#whoMax = whoMax;
  }

  take(now: EpochNs, who: string, perMinute: CountedLimit): AllowanceVerdict {
    const spent = this.#states.get(who);
    const { after, verdict } = takeOne(now, spent ?? NOTHING_SPENT, perMinute);
    this.#states.delete(who);
    this.#states.set(who, after);
    this.#forget(now);
    return verdict;
  }

  /** Whether `take` would grant it; takes nothing. */
  wouldGrant(now: EpochNs, who: string, perMinute: CountedLimit): boolean {
    return takeOne(now, this.#states.get(who) ?? NOTHING_SPENT, perMinute).verdict.granted;
  }

  /** How many are remembered. */
  get size(): number {
    return this.#states.size;
  }

  /** Those that were forgotten before they had everything back. */
  get forgottenTotal(): number {
    return this.#forgottenTotal;
  }

  #forget(now: EpochNs): void {
    let left = FORGOTTEN_PER_TAKE;
    for (const who of this.#states.keys()) {
      const spent = this.#states.get(who)!;
      const isDue = isAllBack(spent, now);
      if (left === 0 || (this.#states.size <= this.#whoMax && !isDue)) return;
      this.#states.delete(who);
      if (!isDue) this.#forgottenTotal += 1;
      left -= 1;
    }
  }
}

/** A test key's request counts at both, a live key's at the first alone. */
function takeOne(now: EpochNs, { all, byTests }: Spent, { limit, testLimit }: CountedLimit) {
  const counted: Allowance[] = [];
  if (limit !== null) counted.push({ state: all, perMinute: limit });
  if (testLimit !== null) counted.push({ state: byTests, perMinute: testLimit });
  const { states, verdict } = takeFromAllowances(now, counted);
  const after: Spent = {
    all: limit === null ? all : states[0]!,
    byTests: testLimit === null ? byTests : states.at(-1)!,
  };
  return { after, verdict };
}

function isAllBack({ all, byTests }: Spent, now: EpochNs): boolean {
  return (all === null || isFull(all, now)) && (byTests === null || isFull(byTests, now));
}
