/** `tapeloom account list`: every account with its plan and state. */

import { COMMON_USAGE } from '../accounts/account-options.ts';
import { accountJson, accountsTable } from '../accounts/account-view.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';

export const accountListCommand = operatorCommand({
  usage: `Usage: tapeloom account list [--data <directory>] [--json]

Lists the accounts, the oldest first. "until" is when the plan of today changes by itself.

${COMMON_USAGE}

Examples:
  tapeloom account list
  tapeloom account list --json | jq -r '.[].name'`,
  words: [],
  run,
});

async function run({ now, open, tell }: OperatorCall): Promise<number> {
  const store = await open();
  const accounts = await store.listAccounts();
  return tell(
    accounts.map((account) => accountJson(account, now)),
    accounts.length === 0
      ? 'There are no accounts yet. tapeloom account create makes one.\n'
      : accountsTable(accounts, now),
  );
}
