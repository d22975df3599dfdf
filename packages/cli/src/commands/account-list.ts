/** `tapeloom account list`: every account with its owner, plan and state. */

import { COMMON_USAGE } from '../accounts/account-options.ts';
import { accountJson, accountsTable } from '../accounts/account-view.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { UsageError } from '../command.ts';

export const accountListCommand = operatorCommand({
  usage: `Usage: tapeloom account list [<text>] [--data <directory>] [--json]

Lists the accounts, the oldest first. "until" is when the plan of today changes by itself.

  <text>              only accounts whose name, id or owner's e-mail address contains it
${COMMON_USAGE}

Examples:
  tapeloom account list
  tapeloom account list @example.com
  tapeloom account list --json | jq -r '.[].name'`,
  words: null,
  run,
});

async function run({ words, now, open, tell }: OperatorCall): Promise<number> {
  const [text = '', ...rest] = words;
  if (rest.length > 0) throw new UsageError(`unexpected argument: ${rest[0]}`);
  const store = await open();
  const emails = new Map(
    (await store.people.listOwners()).map(({ accountId, email }) => [accountId, email]),
  );
  const sought = text.toLowerCase();
  const all = (await store.listAccounts()).map((account) => {
    return { account, email: emails.get(account.id) ?? null };
  });
  const found = all.filter(({ account: { id, name }, email }) =>
    [id, name, email ?? ''].some((one) => one.toLowerCase().includes(sought)),
  );
  const none = all.length === 0 ? NO_ACCOUNTS : `No account has "${text}" in it.\n`;
  return tell(
    found.map(({ account, email }) => ({ ...accountJson(account, now), email })),
    found.length === 0 ? none : accountsTable(found, now),
  );
}

const NO_ACCOUNTS = 'There are no accounts yet. tapeloom account create makes one.\n';
