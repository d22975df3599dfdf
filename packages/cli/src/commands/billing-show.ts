/** `tapeloom billing show`: one order with its consent and the events about it. */

import { COMMON_USAGE } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { findOrder } from '../billing/billing-options.ts';
import {
  consentJson,
  eventJson,
  eventsTable,
  orderFacts,
  orderJson,
} from '../billing/order-view.ts';
import { withdrawalFacts, withdrawalJson } from '../billing/withdrawal-view.ts';

export const billingShowCommand = operatorCommand({
  usage: `Usage: tapeloom billing show <order> [--data <directory>] [--json]

Shows one order: the purchase, its state at the provider, the customer's consent, a
withdrawal with its outcome, and the events about it.

  <order>             the order's id
${COMMON_USAGE}

Examples:
  tapeloom billing show ord_0f3b6c1d2e4a5968778a
  tapeloom billing show ord_0f3b6c1d2e4a5968778a --json | jq .consent`,
  words: ['the id of the order'],
  run,
});

async function run({ words, now, open, tell }: OperatorCall): Promise<number> {
  const id = words[0]!;
  const store = await open();
  const order = await findOrder(store, id);
  const account = await store.findAccount(order.accountId);
  const consent = await store.orders.consentOf(order);
  const events = await store.orders.eventsOf(order);
  const withdrawal = await store.withdrawals.withdrawalOf(order);
  return tell(
    {
      ...orderJson(order, now),
      account: account?.name ?? null,
      consent: consent === null ? null : consentJson(consent),
      withdrawal: withdrawal === null ? null : withdrawalJson(withdrawal),
      events: events.map(eventJson),
    },
    [
      orderFacts(order, consent, account?.name ?? order.accountId, now),
      ...(withdrawal === null ? [] : [withdrawalFacts(withdrawal, order)]),
      ...(events.length === 0 ? [] : [eventsTable(events)]),
    ].join('\n'),
  );
}
