/**
 * When to query the provider about an order again, if no event comes before. A webhook may be lost for good, so every
 * order that can still change is checked from time to time; finished ones are not.
 */

import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';

/** Most buyers pay within minutes, and wait for the confirmation. */
const FRESH_NS = 15n * MINUTE_NS_BIG;
/** After this no buyer returns to a checkout, and no bank takes longer. */
const OPEN_NS = 30n * DAY_NS_BIG;

export interface Looked {
  readonly createdAt: EpochNs;
  readonly payment: Payment;
}

/** Null: it will not change any more. */
export function nextLook({ createdAt, payment }: Looked, now: EpochNs): EpochNs | null {
  const wait = waitOf(payment, now - createdAt, now);
  return wait === null ? null : ((now + wait) as EpochNs);
}

function waitOf({ kind, state, paidUntil }: Payment, age: bigint, now: EpochNs): bigint | null {
  switch (state) {
    case 'open':
      if (age < FRESH_NS) return MINUTE_NS_BIG;
      if (age < DAY_NS_BIG) return 15n * MINUTE_NS_BIG;
      return age < OPEN_NS ? DAY_NS_BIG : null;
    case 'paid':
    case 'past_due':
    case 'cancelled': {
      if (kind === 'purchase' || paidUntil === null) return DAY_NS_BIG;
      const left = paidUntil - now;
      if (left <= 0n) return HOUR_NS_BIG;
      return left < DAY_NS_BIG ? left : DAY_NS_BIG;
    }
    case 'refunded':
    case 'disputed':
      return DAY_NS_BIG;
    case 'ended':
    case 'failed':
      return null;
    default:
      return state satisfies never;
  }
}
