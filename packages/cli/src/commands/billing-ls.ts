/** `tapeloom billing ls`: orders, the newest first. */

import { PAYMENT_STATES, paymentStateAt } from '@tapeloom/core/entitlement/payment';
import { COMMON_USAGE, findAccount, writeJson } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { accountNames } from '../billing/billing-options.ts';
import { orderJson, ordersTable } from '../billing/order-view.ts';
import { waitingText } from '../billing/withdrawal-view.ts';
import { UsageError } from '../command.ts';

const SHOWN = 50;
const SHOWN_MAX = 100_000;

export const billingLsCommand = operatorCommand({
  usage: `Usage: tapeloom billing ls [--account <name>] [--state <state>] [--limit <count>]
                           [--data <directory>] [--json]

Shows orders, newest first, and how many events of payment providers are still to be settled.

  --account <name>    of this account only, by its name or id, or its owner's e-mail address
  --state <state>     in this state only: ${PAYMENT_STATES.join(', ')}
  --limit <count>     at most this many (default: ${SHOWN})
${COMMON_USAGE}

Examples:
  tapeloom billing ls
  tapeloom billing ls --state past_due
  tapeloom billing ls --account ada --json | jq '.orders[].id'`,
  words: [],
  options: ['account', 'state', 'limit'],
  run,
});

async function run({ values, isJson, now, io, open }: OperatorCall): Promise<number> {
  const limit = readLimit(values.limit);
  const state = readState(values.state);
  const store = await open();
  const all =
    values.account === undefined
      ? await store.orders.listOrders(state === null ? limit : SHOWN_MAX)
      : await store.orders.ordersOf((await findAccount(store, values.account)).id);
  const orders = all
    .filter((order) => state === null || paymentStateAt(order, now) === state)
    .slice(0, limit);
  const { eventsPending } = await store.orders.paymentCounts();
  const waiting = await store.withdrawals.waitingWithdrawals();
  if (isJson) {
    const shown = orders.map((order) => orderJson(order, now));
    writeJson(io, { orders: shown, eventsPending, withdrawalsWaiting: waiting });
    return 0;
  }
  if (orders.length === 0) io.stdout('no orders\n');
  else io.stdout(ordersTable(orders, await accountNames(store), now));
  if (eventsPending > 0) {
    const what = eventsPending === 1 ? 'event waits' : 'events wait';
    io.stdout(`\n${eventsPending} ${what} to be settled; tapeloom billing reconcile does it\n`);
  }
  const unsettled = waitingText(waiting);
  if (unsettled !== null) io.stdout(`\n${unsettled}\n`);
  return 0;
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return SHOWN;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= SHOWN_MAX) return limit;
  throw new UsageError(`--limit must be a number from 1 to ${SHOWN_MAX}; got ${text}`);
}

function readState(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (PAYMENT_STATES.some((state) => state === text)) return text;
  throw new UsageError(`--state must be one of ${PAYMENT_STATES.join(', ')}; got ${text}`);
}
