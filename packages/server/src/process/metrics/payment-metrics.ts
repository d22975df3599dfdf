/** Metrics of payments: webhooks, and failed requests to providers. */

import { WITHDRAWAL_STATES } from '../../accounts/orders/withdrawals-store.ts';
import type { Payments } from '../../billing/payments.ts';
import type { Withdrawals } from '../../billing/withdrawals.ts';
import { counter, gauge, type Reading } from '../../platform/metrics.ts';

export function paymentReadings(payments: Payments): readonly Reading[] {
  return [
    {
      name: 'tapeloom_payment_webhooks_total',
      help: 'Webhooks of payment providers by outcome.',
      kind: 'counter',
      label: 'outcome',
      read: () => ({ ...payments.webhooks }),
    },
    counter('tapeloom_payment_asks_failed_total', 'Failed requests to a payment provider.', () => {
      return payments.failedTotal;
    }),
    gauge(
      'tapeloom_payment_providers_failing',
      'Payment providers whose last request failed.',
      () => {
        return payments.failing;
      },
    ),
  ];
}

export function withdrawalReadings(withdrawals: Withdrawals): readonly Reading[] {
  const waiting = WITHDRAWAL_STATES.filter((state) => state !== 'done');
  return [
    counter('tapeloom_withdrawals_total', 'Withdrawals declared since the start.', () => {
      return withdrawals.declaredTotal;
    }),
    {
      name: 'tapeloom_withdrawals_waiting',
      help: 'Withdrawals that are not settled; by_hand requires the operator.',
      kind: 'gauge',
      label: 'state',
      read: () =>
        Object.fromEntries(waiting.map((state) => [state, withdrawals.waiting[state] ?? 0])),
    },
  ];
}
