/** `tapeloom account delete`: deletes an account, after the portal's waiting time or at once. */

import { mayCharge } from '@tapeloom/core/entitlement/payment';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { COMMON_USAGE, findAccount } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand, YES_USAGE } from '../accounts/operator-command.ts';
import { timeJson, timeText } from '../accounts/time-text.ts';
import { readWaitMs } from '../billing/billing-options.ts';
import { waitedText, waitForService } from '../billing/service-wait.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';

/** The service checks for accounts to delete every minute, and ends their subscriptions first. */
const WAIT_MS = 75_000;

export const accountDeleteCommand = operatorCommand({
  usage: `Usage: tapeloom account delete <name> [--now | --withdraw] [--yes] [--wait <seconds>] [--data <directory>] [--json]

Deletes an account as its owner can in the portal: in 14 days. Until then the owner and you can withdraw it. Its
subscriptions end with the paid period. The owner's address, keys, sessions and rights are deleted;
orders and the audit log stay, without a name. The owner is informed by mail.

  <name>              the account's name or id, or its owner's e-mail address
  --now               without the waiting time; cannot be undone. The running service ends subscriptions at once,
                      before the deletion
  --withdraw          keep an account that is scheduled for deletion
${YES_USAGE}
  --wait <seconds>    how long to wait for the service with --now (default: 75)
${COMMON_USAGE}

Examples:
  tapeloom account delete ada@example.com
  tapeloom account delete ada --withdraw
  tapeloom account delete ada --now --yes`,
  words: ['the name of the account'],
  options: ['wait'],
  flags: ['now', 'withdraw', 'yes'],
  run,
});

async function run(operator: OperatorCall): Promise<number> {
  const { words, flags, call, io, open, confirm, tell } = operator;
  if (flags.has('now') && flags.has('withdraw')) {
    throw new UsageError('use either --now or --withdraw, not both');
  }
  const store = await open();
  const account = await findAccount(store, words[0]!);
  const { id, name } = account;
  if ((await store.people.deletionOf(id))?.doneAt != null)
    throw new Error(`${name} has already been deleted`);
  if (flags.has('withdraw')) {
    if (await store.people.withdrawDeletion(call, id)) {
      return tell({ id, name, deletionDueAt: null }, `${name} stays.\n`);
    }
    io.stderr(`${name} is not scheduled for deletion, or is already being deleted\n`);
    return ExitCode.failure;
  }
  const owner = (await store.people.ownerOf(id))?.email ?? 'nobody';
  const when = flags.has('now') ? 'now, for good' : 'in 14 days';
  if (!(await confirm(`Delete ${name}, owned by ${owner}, ${when}?`))) return ExitCode.failure;
  const asked = await store.people.askDeletion(call, id, null, flags.has('now'));
  if ('refused' in asked) throw new Error('its deletion was requested too often today');
  if (flags.has('now')) return await deleteNow(operator, store, { id, name });
  return tell(
    { id, name, deletionDueAt: timeJson(asked.dueAt) },
    `${name} is deleted ${timeText(asked.dueAt)}. tapeloom account delete ${id} --withdraw keeps it.\n`,
  );
}

async function deleteNow(
  operator: OperatorCall,
  store: AccountStore,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<number> {
  const { values, call, data, tell } = operator;
  const isPaying = (await store.orders.ordersOf(id)).some(mayCharge);
  if (!isPaying) await store.people.deleteAccount(call, id);
  const isGone = async () => (await store.people.deletionOf(id))?.doneAt != null;
  const waited = await waitForService(operator, isGone, readWaitMs(values.wait) ?? WAIT_MS);
  tell(
    { id, name, isDeleted: waited === 'done' },
    waited === 'done'
      ? `${name} is deleted.\n`
      : `${name} will be deleted when its subscriptions have ended at their provider. ${waitedText(waited, data)}`,
  );
  return waited === 'done' ? ExitCode.ok : ExitCode.notNow;
}
