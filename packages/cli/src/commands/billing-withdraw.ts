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

Records that a customer withdrew from an order by letter or e-mail. It counts as of the time at which that was
received. What the order grants ends at once; the running service mails the receipt, ends the subscription at its
provider and has the money given back, as for a withdrawal in the portal. Recorded again, it stays as it was.

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
  withdrawn: 'it was withdrawn from before',
  'no-right': 'it was placed without a right of withdrawal',
  lost: 'the right ended when access was provided',
  over: 'the time for withdrawing had passed by then',
  ended: 'it is over, and nothing is left to withdraw from',
} as const;

async function run({ words, values, now, io, open, confirm, tell }: OperatorCall): Promise<number> {
  const id = words[0]!;
  const at = readInstant('--received', values.received);
  if (at > now) {
    throw new UsageError('--received is when it was received, so it is not in the future');
  }
  const store = await open();
  const order = await findOrder(store, id);
  if (at < order.createdAt) throw new UsageError('--received is before the order was placed');
  const question = `Record that ${id} was withdrawn from? What it grants ends at once, and its money is given back.`;
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
    const why = declared.refused === 'no-order' ? 'it is gone' : REASONS[declared.why];
    io.stderr(`${id} cannot be withdrawn from: ${why}\n`);
    return ExitCode.failure;
  }
  return tell(
    withdrawalJson(declared.withdrawal),
    withdrawalFacts(declared.withdrawal, declared.order),
  );
}
