/** What `/metrics` shows of payments: what providers said, and whether they can be asked. */

import type { Payments } from './billing/payments.ts';
import { counter, gauge, type Reading } from './platform/metrics.ts';

export function paymentReadings(payments: Payments): readonly Reading[] {
  return [
    {
      name: 'tapeloom_payment_webhooks_total',
      help: 'Webhooks of payment providers by what they were.',
      kind: 'counter',
      label: 'outcome',
      read: () => ({ ...payments.webhooks }),
    },
    counter('tapeloom_payment_asks_failed_total', 'A payment provider could not be asked.', () => {
      return payments.failedTotal;
    }),
    gauge('tapeloom_payment_providers_failing', 'Payment providers that failed last.', () => {
      return payments.failing;
    }),
  ];
}
