/** `tapeloom billing refund`: refunds an order's newest charge, whole or in part. */

import { mayCharge } from '@tapeloom/core/entitlement/payment';
import type { OrderRecord } from '@tapeloom/server/accounts/orders/orders-store';
import type { Receipt } from '@tapeloom/server/billing/payment-provider';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand, YES_USAGE } from '../accounts/operator-command.ts';
import { findOrder, readWaitMs, WAIT_USAGE } from '../billing/billing-options.ts';
import { openOrderProvider } from '../billing/order-provider.ts';
import { currencyDigits, priceText } from '../billing/order-view.ts';
import { tellAfterwards } from '../billing/provider-change.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';

export const billingRefundCommand = operatorCommand({
  usage: `Usage: tapeloom billing refund <order> [--amount <money>] [--yes] [--wait <seconds>] [--data <directory>] [--json]

Refunds the order's newest charge at the payment provider, tax included: all that is left of it, or a
part. After a full refund the customer loses access, and a subscription ends at once; after a partial one
both stay. This cannot be undone. For a withdrawal by the customer use tapeloom billing withdraw, which computes the
amount. Needs the settings of the service, which hold the provider's keys.

  <order>             the order's id
  --amount <money>    a part, in the order's currency, such as 12.50
${YES_USAGE}
${WAIT_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom billing refund ord_0f3b6c1d2e4a5968778a
  tapeloom billing refund ord_0f3b6c1d2e4a5968778a --amount 12.50 --yes`,
  words: ['the id of the order'],
  options: ['amount', 'wait'],
  flags: ['yes'],
  run,
});

async function run(operator: OperatorCall): Promise<number> {
  const { words, values, call, data, io, open, confirm } = operator;
  const waitMs = readWaitMs(values.wait);
  const store = await open();
  const order = await findOrder(store, words[0]!);
  if (order.paidAt === null || order.withdrawnAt !== null) {
    const why =
      order.paidAt === null
        ? 'was never paid'
        : 'was withdrawn from: the service refunds that money';
    io.stderr(`${order.id} ${why}\n`);
    return ExitCode.failure;
  }
  const amountMinor = readAmount(values.amount, order);
  const provider = await openOrderProvider(io, data, order);
  const charge = newestPaid(await provider.receipts());
  const left = charge === null ? order.amountMinor : charge.totalMinor - charge.refundedMinor;
  if (left <= 0) {
    io.stderr(`${order.id}: its newest charge has already been refunded\n`);
    return ExitCode.failure;
  }
  if (amountMinor !== null && amountMinor > left) {
    throw new UsageError(
      `--amount must be at most ${priceText({ amountMinor: left, currency: order.currency })} of this charge`,
    );
  }
  const isAll = amountMinor === null || amountMinor === left;
  const endsIt = isAll && order.kind === 'subscription' && mayCharge(order);
  const money = priceText({ amountMinor: amountMinor ?? left, currency: order.currency });
  const then = isAll ? ` ${endsIt ? 'The subscription ends and access' : 'Access'} is lost.` : '';
  if (!(await confirm(`Refund ${money} of ${order.id}?${then}`))) return ExitCode.failure;
  // Cancelled first: nothing is charged afterwards, even if the refund fails.
  if (endsIt) await provider.cancel(true);
  const key = `operator:${charge?.id ?? order.id}:${charge?.refundedMinor ?? 0}:${amountMinor ?? 'all'}`;
  const outcome = await provider.refund({ key, amountMinor });
  const details = { amountMinor: amountMinor ?? left, currency: order.currency, outcome };
  const event = await store.orders.noteAsked(call, order, { kind: 'order.refund-asked', details });
  if (outcome === 'nothing') {
    io.stderr(`${order.provider} had nothing to refund for ${order.id}\n`);
    return ExitCode.failure;
  }
  const given =
    outcome === 'done'
      ? `${money} refunded`
      : `${money} requested; ${order.provider} decides later`;
  return await tellAfterwards(operator, store, { order, event, waitMs }, given);
}

function newestPaid(receipts: readonly Receipt[] | null): Receipt | null {
  if (receipts === null) return null;
  const charge = receipts.find(({ state }) => state === 'paid' || state === 'refunded');
  if (charge === undefined) throw new Error('the provider lists no paid charge');
  return charge;
}

function readAmount(text: string | undefined, { currency }: OrderRecord): number | null {
  if (text === undefined) return null;
  const digits = currencyDigits(currency);
  const [, whole, part = ''] = /^(\d{1,9})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined || part.length > digits) {
    throw new UsageError(`--amount must be an amount in ${currency}, such as 12.50; got ${text}`);
  }
  const minor = Number(`${whole}${part.padEnd(digits, '0')}`);
  if (minor > 0) return minor;
  throw new UsageError('--amount must be more than 0');
}
