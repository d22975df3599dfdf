/** `tapeloom billing withdraw`: records a withdrawal that a customer declared by letter or e-mail. */

import { OFFERS } from '@tapeloom/server/billing/offers';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand, YES_USAGE } from '../accounts/operator-command.ts';
import { findOrder } from '../billing/billing-options.ts';
import { withdrawalFacts, withdrawalJson } from '../billing/withdrawal-view.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { readInstant } from '../time-options.ts';

export const billingWithdrawCommand = operatorCommand({
  usage: `Usage: tapeloom billing withdraw <order> --received <time> [--yes] [--data <directory>] [--json]

Records that a customer withdrew from an order by letter or e-mail. It takes effect at the time it was
received. The rights of the order end at once; the running service mails the receipt, ends the subscription at its
provider and refunds the money, as for a withdrawal in the portal. Recording it again changes nothing.

  <order>             the order's id
  --received <time>   when it was received, such as 2026-11-20T09:30:00Z
${YES_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom billing withdraw ord_0f3b6c1d2e4a5968778a --received 2026-11-20T09:30:00Z`,
  words: ['the id of the order'],
  options: ['received'],
  flags: ['yes'],
  run,
});

const REASONS = {
  withdrawn: 'it has already been withdrawn from',
  'no-right': 'it was placed without a right of withdrawal',
  lost: 'the right ended when access was provided',
  over: 'the time for withdrawing had passed by then',
  ended: 'it has ended, so there is nothing to withdraw from',
} as const;

async function run({ words, values, now, io, open, confirm, tell }: OperatorCall): Promise<number> {
  const id = words[0]!;
  const at = readInstant('--received', values.received);
  if (at > now) {
    throw new UsageError('--received must not be in the future');
  }
  const store = await open();
  const order = await findOrder(store, id);
  if (at < order.createdAt)
    throw new UsageError('--received must not be before the order was placed');
  const question = `Record the withdrawal from ${id}? Its rights end at once, and its money is refunded.`;
  if (order.withdrawnAt === null && !(await confirm(question))) return ExitCode.failure;
  const owner = await store.people.ownerOf(order.accountId);
  const nobody = { accountId: null, sessionId: null, address: null, name: null } as const;
  const declared = await store.withdrawals.declare(
    { now: at, actor: { kind: 'operator' } },
    {
      ...nobody,
      orderId: order.id,
      via: 'operator',
      offerName: OFFERS.find((offer) => offer.id === order.offer)?.name ?? order.offer,
      email: owner?.email ?? null,
    },
  );
  if ('refused' in declared) {
    const why = declared.refused === 'no-order' ? 'it no longer exists' : REASONS[declared.why];
    io.stderr(`${id} cannot be withdrawn from: ${why}\n`);
    return ExitCode.failure;
  }
  return tell(
    withdrawalJson(declared.withdrawal),
    withdrawalFacts(declared.withdrawal, declared.order),
  );
}
