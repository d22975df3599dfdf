/** `tapeloom billing withdraw`: records a withdrawal that a customer declared by letter or e-mail. */

import { parseArgs } from 'node:util';
import { OFFERS } from '@tapeloom/server/billing/offers';
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
import { withdrawalFacts, withdrawalJson } from '../billing/withdrawal-view.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { readInstant } from '../time-options.ts';

export const billingWithdrawCommand: CommandBody = {
  usage: `Usage: tapeloom billing withdraw <order> --received <time> [--data <directory>] [--json]

Records that a customer withdrew from an order by letter or e-mail. It counts as of the time at which that was
received. What the order grants ends at once; the running service mails the receipt, ends the subscription at its
provider and has the money given back, as for a withdrawal in the portal. Recorded again, it stays as it was.

  <order>             the order's id
  --received <time>   when it was received, such as 2026-11-20T09:30:00Z
${COMMON_USAGE}

Examples:
  tapeloom billing withdraw ord_0f3b6c1d2e4a5968778a --received 2026-11-20T09:30:00Z`,
  run,
};

const REASONS = {
  withdrawn: 'it was withdrawn from before',
  'no-right': 'it was placed without a right of withdrawal',
  lost: 'the right ended when access was provided',
  over: 'the time for withdrawing had passed by then',
  ended: 'it is over, and nothing is left to withdraw from',
} as const;

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...COMMON_OPTIONS, received: { type: 'string' } },
    allowPositionals: true,
  });
  const id = readWords(positionals, ['the id of the order'])[0]!;
  const at = readInstant('--received', values.received);
  if (at > createClock({ kind: 'system' }).now()) {
    throw new UsageError('--received is when it was received, so it is not in the future');
  }
  await using store = await openAccounts(dataDirectory(values.data, io));
  const order = await findOrder(store, id);
  if (at < order.createdAt) throw new UsageError('--received is before the order was placed');
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
  if (values.json === true) writeJson(io, withdrawalJson(declared.withdrawal));
  else io.stdout(withdrawalFacts(declared.withdrawal, declared.order));
  return ExitCode.ok;
}
