/** `tapeloom billing cancel`: ends a customer's subscription, at the end of its period or at once. */

import { paymentStateAt, willEnd } from '@tapeloom/core/entitlement/payment';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand, YES_USAGE } from '../accounts/operator-command.ts';
import { timeText } from '../accounts/time-text.ts';
import { findOrder, readWaitMs, WAIT_USAGE } from '../billing/billing-options.ts';
import { openOrderProvider } from '../billing/order-provider.ts';
import { tellAfterwards } from '../billing/provider-change.ts';
import { ExitCode } from '../exit-codes.ts';

export const billingCancelCommand = operatorCommand({
  usage: `Usage: tapeloom billing cancel <order> [--now] [--yes] [--wait <seconds>] [--data <directory>] [--json]

Cancels a subscription at its payment provider, as its customer can in the portal. It stays active until the end of
the period that is paid for. With --now it ends at once, which cannot be undone; no money is given back (see
tapeloom billing refund). Needs the settings of the service, which hold the provider's keys.

  <order>             the order's id
  --now               end it at once
${YES_USAGE}
${WAIT_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom billing cancel ord_0f3b6c1d2e4a5968778a
  tapeloom billing cancel ord_0f3b6c1d2e4a5968778a --now --yes`,
  words: ['the id of the order'],
  options: ['wait'],
  flags: ['now', 'yes'],
  run,
});

async function run(operator: OperatorCall): Promise<number> {
  const { words, values, flags, now, call, data, io, open, confirm } = operator;
  const isNow = flags.has('now');
  const waitMs = readWaitMs(values.wait);
  const store = await open();
  const order = await findOrder(store, words[0]!);
  const state = paymentStateAt(order, now);
  if (order.kind !== 'subscription' || !['paid', 'past_due', 'cancelled'].includes(state)) {
    const what = order.kind === 'subscription' ? state : 'paid once and does not renew';
    io.stderr(`${order.id} is ${what}: there is nothing to cancel\n`);
    return ExitCode.failure;
  }
  if (!isNow && willEnd(order)) {
    return operator.tell(
      { id: order.id, state, isDone: true },
      `${order.id} is already cancelled and stays active until ${timeText(order.paidUntil!)}.\n`,
    );
  }
  const question = `End ${order.id} at once? Its customer loses what they paid for.`;
  if (isNow && !(await confirm(question))) return ExitCode.failure;
  const provider = await openOrderProvider(io, data, order);
  await provider.cancel(isNow);
  const event = await store.orders.noteAsked(call, order, {
    kind: 'order.cancel-asked',
    details: { isNow },
  });
  return await tellAfterwards(operator, store, { order, event, waitMs });
}
