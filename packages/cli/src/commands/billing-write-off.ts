/** `tapeloom billing write-off`: ends an order whose payment its provider has lost, after asking the provider. */

import type { OrderRecord } from '@tapeloom/server/accounts/orders/orders-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand, YES_USAGE } from '../accounts/operator-command.ts';
import { findOrder, readWaitMs, WAIT_USAGE } from '../billing/billing-options.ts';
import { orderJson } from '../billing/order-view.ts';
import { waitForService } from '../billing/service-wait.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';

const REASON_LENGTH_MAX = 500;

export const billingWriteOffCommand = operatorCommand({
  usage: `Usage: tapeloom billing write-off <order> --reason <text> [--force] [--yes] [--wait <seconds>] [--data <directory>] [--json]

Ends an order for good whose payment its provider has lost, or will never settle. Its rights end at once, and
the customer can buy the same again. The running service asks the provider first: while the provider knows the
payment, or cannot be reached, nothing is written off without --force. The service then cancels the payment at the
provider. You must refund money that was paid at the provider. The reason is recorded in the audit log.

  <order>             the order's id
  --reason <text>     why, in a sentence
  --force             write it off even if the provider knows the payment, or cannot be reached
${YES_USAGE}
${WAIT_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom billing write-off ord_0f3b6c1d2e4a5968778a --reason "lost by the provider, their ticket 4711"`,
  words: ['the id of the order'],
  options: ['reason', 'wait'],
  flags: ['force', 'yes'],
  run,
});

async function run(operator: OperatorCall): Promise<number> {
  const { words, values, flags, now, call, io, open, confirm, tell } = operator;
  const id = words[0]!;
  const reason = values.reason?.trim() ?? '';
  if (reason === '') throw new UsageError('--reason is missing: why the order is written off');
  if (reason.length > REASON_LENGTH_MAX) {
    throw new UsageError(`--reason must have at most ${REASON_LENGTH_MAX} characters`);
  }
  const store = await open();
  const before = await findOrder(store, id);
  const isOver = before.state === 'ended' || before.state === 'failed';
  const objection =
    isOver || flags.has('force') ? null : await objectionTo(operator, store, before);
  if (objection !== null) {
    io.stderr(`${id} is not written off: ${objection}\n`);
    return ExitCode.failure;
  }
  const question = `Write ${id} off? Its rights end at once.`;
  if (!isOver && !(await confirm(question))) return ExitCode.failure;
  const order = await store.orders.writeOff(call, before.id, reason);
  if ('refused' in order) {
    io.stderr(`${id} is ${before.state}: there is nothing to write off\n`);
    return ExitCode.failure;
  }
  return tell(orderJson(order, now), `${id}: ${before.state} → ${order.state}, written off\n`);
}

/** Why the provider objects, as the running service reports it; null: the payment is over. */
async function objectionTo(
  { values, now, io, data }: OperatorCall,
  store: AccountStore,
  before: OrderRecord,
): Promise<string | null> {
  const { provider } = before;
  await store.orders.lookAgain(before, now);
  const read = async () => (await store.orders.findOrder(null, before.id))!;
  const waitMs = readWaitMs(values.wait);
  const wasAsked = async () => (await read()).lookAt !== now;
  const isAsked = (await waitForService({ io, data }, wasAsked, waitMs)) === 'done';
  const after = await read();
  if (after.heardAsk > before.heardAsk) {
    if (after.state === 'ended' || after.state === 'failed') return null;
    return (
      `${provider} knows the payment, which is ${after.state} there. Its customer would lose what they paid for. ` +
      `With --force the order ends and the payment is cancelled at ${provider}; refund the money there`
    );
  }
  return isAsked
    ? `${provider} could not be reached, or does not know the payment; see the service's log. If ${provider} has lost it, repeat with --force`
    : `no service runs here to ask ${provider}. Start it, or repeat with --force: the payment is then cancelled when the service starts`;
}
