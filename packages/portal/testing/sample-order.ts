/** A paid order of Live for a month, as the portal receives it. */

import type { OrderView } from '../src/api/portal-shapes.ts';

/** An instant in the API's format. */
export const at = (text: string) => `${BigInt(Date.parse(text)) * 1_000_000n}`;

export const SAMPLE_ORDER: OrderView = {
  id: 'ord_1',
  offer: 'live',
  state: 'paid',
  amountMinor: 7_900,
  currency: 'EUR',
  interval: 'month',
  country: 'DE',
  billTo: null,
  payUrl: null,
  provider: 'test',
  createdAt: at('2026-11-15T10:00:00Z'),
  paidAt: at('2026-11-15T10:01:00Z'),
  paidUntil: at('2026-12-15T10:01:00Z'),
  endsAt: null,
  waiverVersion: '2026-11-1',
  taxIncluded: true,
  withdrawal: null,
  withdrawn: null,
};
