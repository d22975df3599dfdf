/** `tapeloom account create`: a new account, with a plan. */

import { COMMON_USAGE, readPlan } from '../accounts/account-options.ts';
import { accountJson, grantsOf } from '../accounts/account-view.ts';
import { makeAccounts } from '../accounts/open-accounts.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { readFutureTime } from '../accounts/time-text.ts';
import { UsageError } from '../command.ts';

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u;

export const accountCreateCommand = operatorCommand({
  usage: `Usage: tapeloom account create <name> [--plan <plan>] [--until <time>] [--data <directory>] [--json]

Creates an account without keys. A running service knows it at once.

  <name>              1 to 64 letters, digits, . _ @ + and -; must be new
  --plan <plan>       sandbox (default), live, history or live_history
  --until <time>      when the plan ends and the account falls back to sandbox: a date, an RFC 3339
                      time, or a span from now such as 30d (default: it never ends)
${COMMON_USAGE}

Examples:
  tapeloom account create ada
  tapeloom account create ada --plan live_history --until 30d`,
  words: ['the name of the account'],
  options: ['plan', 'until'],
  run,
});

async function run({ words, values, data, now, call, io, tell }: OperatorCall): Promise<number> {
  const name = words[0]!;
  if (!NAME.test(name)) {
    throw new UsageError(`the name must be 1 to 64 letters, digits, . _ @ + and -; got ${name}`);
  }
  const plan = readPlan(values.plan ?? 'sandbox');
  const until = values.until === undefined ? null : readFutureTime('--until', values.until, now);
  if (plan === 'sandbox' && until !== null) throw new UsageError('the sandbox plan never ends');
  await using store = await makeAccounts(io, data);
  const grants = grantsOf(plan, until);
  const account = await store.createAccount(call, { name, grants });
  if ('refused' in account) throw new Error(`an account called ${name} already exists`);
  return tell(
    accountJson(account, now),
    `Account ${name} has been created with the plan ${plan}. It has no key yet:\n\n` +
      `  tapeloom key create --account ${name} --name first --environment live ` +
      '--scopes stream,history,export,keys\n',
  );
}
