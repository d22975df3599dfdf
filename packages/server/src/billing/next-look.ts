/**
 * When the provider is to be asked about an order again, if nothing is heard of it before. A webhook may be lost for
 * good, so whatever can still change is looked at now and then; what is over is left alone.
 */

import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, HOUR_NS_BIG, MINUTE_NS_BIG } from '@tapeloom/core/units';

/** Most buyers pay within minutes, and wait for it to be seen. */
const FRESH_NS = 15n * MINUTE_NS_BIG;
/** After this nobody comes back to a checkout, and no bank takes longer. */
const OPEN_NS = 30n * DAY_NS_BIG;

export interface Looked {
  readonly createdAt: EpochNs;
  readonly payment: Payment;
}

/** Null: nothing more will come of it by itself. */
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
