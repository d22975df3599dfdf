/** The shared allowances in memory, by the arithmetic of core: the reference for the database. */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type Allowance,
  type AllowanceState,
  takeFromAllowances,
} from '@tapeloom/core/quota/allowance';
import type { SliceGrant, SliceRequest } from '../../../src/accounts/shared/shared-allowances.ts';

const REQUEST = 60_000_000_000;
/** The share of a limit that is spent before any slice is granted in advance. */
const SPENT_BEFORE = 2_000_000_000;

export class SliceModel {
  readonly #all = new Map<string, AllowanceState>();
  readonly #byTests = new Map<string, AllowanceState>();

  slice(now: EpochNs, { who, perMinute, needed, wanted }: SliceRequest): SliceGrant {
    const counted: { readonly states: Map<string, AllowanceState>; perMinute: number }[] = [];
    if (perMinute.limit !== null) counted.push({ states: this.#all, perMinute: perMinute.limit });
    if (perMinute.testLimit !== null) {
      counted.push({ states: this.#byTests, perMinute: perMinute.testLimit });
    }
    const isSpent = counted.every(({ states, perMinute: limit }) => {
      return (
        spentAt(now, { state: states.get(who) ?? null, perMinute: limit }) >= limit * SPENT_BEFORE
      );
    });
    let granted = 0;
    const most = isSpent ? wanted : needed;
    // Never takes more than requested; the first rejection brings the states up to date.
    for (let isGranted = true; isGranted && granted < most; granted += isGranted ? 1 : 0) {
      const taken = takeFromAllowances(
        now,
        counted.map((it) => ({
          state: it.states.get(who) ?? null,
          perMinute: it.perMinute,
        })),
      );
      isGranted = taken.verdict.granted;
      for (const [index, { states }] of counted.entries()) states.set(who, taken.states[index]!);
    }
    const spent = (states: Map<string, AllowanceState>, limit: number | null) =>
      limit === null ? null : states.get(who)!.spent;
    return {
      granted,
      allSpent: spent(this.#all, perMinute.limit),
      testsSpent: spent(this.#byTests, perMinute.testLimit),
    };
  }
}

/** The spent amount before more is taken. */
function spentAt(now: EpochNs, { state, perMinute }: Allowance): number {
  const { states, verdict } = takeFromAllowances(now, [{ state, perMinute }]);
  return states[0]!.spent - (verdict.granted ? REQUEST : 0);
}
