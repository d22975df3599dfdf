/**
 * When the provider is to be asked about an order again, if nothing is heard of it before. A webhook may be lost for
 * good, so whatever can still change is looked at now and then; what is over is left alone.
 */

import type { Payment } from '@tapeloom/core/entitlement/payment';
import type { EpochNs } from '@tapeloom/core/numbers';

const MINUTE_NS = 60_000_000_000n;
const HOUR_NS = 60n * MINUTE_NS;
const DAY_NS = 24n * HOUR_NS;

/** Most buyers pay within minutes, and wait for it to be seen. */
const FRESH_NS = 15n * MINUTE_NS;
/** After this nobody comes back to a checkout, and no bank takes longer. */
const OPEN_NS = 30n * DAY_NS;

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
      if (age < FRESH_NS) return MINUTE_NS;
      if (age < DAY_NS) return 15n * MINUTE_NS;
      return age < OPEN_NS ? DAY_NS : null;
    case 'paid':
    case 'past_due':
    case 'cancelled': {
      if (kind === 'purchase' || paidUntil === null) return DAY_NS;
      const left = paidUntil - now;
      if (left <= 0n) return HOUR_NS;
      return left < DAY_NS ? left : DAY_NS;
    }
    case 'refunded':
    case 'disputed':
      return DAY_NS;
    case 'ended':
    case 'failed':
      return null;
    default:
      return state satisfies never;
  }
}
