/** `tapeloom key list`: the keys of an account, without their secrets. */

import { COMMON_USAGE, findAccount } from '../accounts/account-options.ts';
import { keyJson, keysTable } from '../accounts/key-view.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { UsageError } from '../command.ts';

export const keyListCommand = operatorCommand({
  usage: `Usage: tapeloom key list --account <name> [--data <directory>] [--json]

Lists the valid keys and those that ended in the last 30 days, the newest first. Only the
last four characters of a secret are stored.

  --account <name>    the account's name or id, or its owner's e-mail address
${COMMON_USAGE}

Examples:
  tapeloom key list --account ada
  tapeloom key list --account ada --json | jq -r '.[].id'`,
  words: [],
  options: ['account'],
  run,
});

async function run({ values, now, open, tell }: OperatorCall): Promise<number> {
  if (values.account === undefined)
    throw new UsageError('--account is missing: the account of the keys');
  const store = await open();
  const account = await findAccount(store, values.account);
  const keys = await store.listKeys(now, account.id);
  return tell(
    keys.map((key) => keyJson(key, now)),
    keys.length === 0 ? `${account.name} has no keys.\n` : keysTable(keys, now),
  );
}
