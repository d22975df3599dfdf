/** `tapeloom billing show`: one order with its consent and the events about it. */

import { parseArgs } from 'node:util';
import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { openAccounts } from '../accounts/open-accounts.ts';
import { findOrder } from '../billing/billing-options.ts';
import {
  consentJson,
  eventJson,
  eventsTable,
  orderFacts,
  orderJson,
} from '../billing/order-view.ts';
import { withdrawalFacts, withdrawalJson } from '../billing/withdrawal-view.ts';
import type { CommandBody, CommandIo } from '../command.ts';

export const billingShowCommand: CommandBody = {
  usage: `Usage: tapeloom billing show <order> [--data <directory>] [--json]

Shows one order: what was bought, what its provider says of it, what was agreed to, whether it
was withdrawn from and what became of that, and the events about it.

  <order>             the order's id
${COMMON_USAGE}

Examples:
  tapeloom billing show ord_0f3b6c1d2e4a5968778a
  tapeloom billing show ord_0f3b6c1d2e4a5968778a --json | jq .consent`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: COMMON_OPTIONS,
    allowPositionals: true,
  });
  const id = readWords(positionals, ['the id of the order'])[0]!;
  await using store = await openAccounts(dataDirectory(values.data, io));
  const now = createClock({ kind: 'system' }).now();
  const order = await findOrder(store, id);
  const account = await store.findAccount(order.accountId);
  const consent = await store.orders.consentOf(order);
  const events = await store.orders.eventsOf(order);
  const withdrawal = await store.withdrawals.withdrawalOf(order);
  if (values.json === true) {
    writeJson(io, {
      ...orderJson(order, now),
      account: account?.name ?? null,
      consent: consent === null ? null : consentJson(consent),
      withdrawal: withdrawal === null ? null : withdrawalJson(withdrawal),
      events: events.map(eventJson),
    });
    return 0;
  }
  io.stdout(orderFacts(order, consent, account?.name ?? order.accountId, now));
  if (withdrawal !== null) io.stdout(`\n${withdrawalFacts(withdrawal, order)}`);
  if (events.length > 0) io.stdout(`\n${eventsTable(events)}`);
  return 0;
}
