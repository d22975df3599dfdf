/** `tapeloom billing write-off`: ends an order whose payment its provider has lost. */

import { COMMON_USAGE } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { findOrder } from '../billing/billing-options.ts';
import { orderJson } from '../billing/order-view.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';

const REASON_LENGTH_MAX = 500;

export const billingWriteOffCommand = operatorCommand({
  usage: `Usage: tapeloom billing write-off <order> --reason <text> [--data <directory>] [--json]

Ends an order for good whose payment its provider has lost, or will never settle. What it grants ends at once, and
the customer can buy the same again. The provider is not asked, and nothing it says of it later counts: money that
was paid has to be given back there. The reason stands in the audit log.

  <order>             the order's id
  --reason <text>     why, in a sentence
${COMMON_USAGE}

Examples:
  tapeloom billing write-off ord_0f3b6c1d2e4a5968778a --reason "lost by the provider, their ticket 4711"`,
  words: ['the id of the order'],
  options: ['reason'],
  run,
});

async function run({ words, values, now, call, io, open, tell }: OperatorCall): Promise<number> {
  const id = words[0]!;
  const reason = values.reason?.trim() ?? '';
  if (reason === '') throw new UsageError('--reason is missing: why the order is written off');
  if (reason.length > REASON_LENGTH_MAX) {
    throw new UsageError(`--reason has at most ${REASON_LENGTH_MAX} characters`);
  }
  const store = await open();
  const before = await findOrder(store, id);
  const order = await store.orders.writeOff(call, before.id, reason);
  if ('refused' in order) {
    io.stderr(`${id} is ${before.state}: there is nothing to write off\n`);
    return ExitCode.failure;
  }
  return tell(orderJson(order, now), `${id}: ${before.state} → ${order.state}, written off\n`);
}
