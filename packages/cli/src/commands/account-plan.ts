/** `tapeloom account plan`: changes the plan of an account. */

import { planAt } from '@tapeloom/core/entitlement/plan';
import { COMMON_USAGE, findAccount, readPlan, writeJson } from '../accounts/account-options.ts';
import { accountJson, grantsOf } from '../accounts/account-view.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { readFutureTime, timeText } from '../accounts/time-text.ts';
import { UsageError } from '../command.ts';

export const accountPlanCommand = operatorCommand({
  usage: `Usage: tapeloom account plan <name> <plan> [--until <time>] [--data <directory>] [--json]

Replaces the plan that operators granted the account; purchases stay. A running service applies it within a second, also to open
streams: one with another delay starts again, and streams beyond a smaller plan end, newest first.

  <name>              the account's name or id, or its owner's e-mail address
  <plan>              sandbox, live, history or live_history
  --until <time>      when the plan ends: a date, an RFC 3339 time, or a span from now such as 30d
                      (default: it never ends)
${COMMON_USAGE}

Examples:
  tapeloom account plan ada live
  tapeloom account plan ada live_history --until 2027-01-31`,
  words: ['the name of the account', 'the plan'],
  options: ['until'],
  run,
});

async function run({ words, values, isJson, now, call, io, open }: OperatorCall): Promise<number> {
  const [name, planText] = words;
  const plan = readPlan(planText!);
  const until = values.until === undefined ? null : readFutureTime('--until', values.until, now);
  if (plan === 'sandbox' && until !== null) throw new UsageError('the sandbox plan never ends');
  const store = await open();
  const before = await findAccount(store, name!);
  const account = await store.setGrants(call, before.id, grantsOf(plan, until));
  if (account === null) throw new Error(`the account ${name} has vanished`);
  if (isJson) {
    writeJson(io, accountJson(account, now));
    return 0;
  }
  const end = until === null ? '' : `, until ${timeText(until)}`;
  const after = planAt(account.grants, now);
  io.stdout(`${account.name}: ${planAt(before.grants, now)} → ${after}${end}\n`);
  if (after !== plan) {
    io.stdout(
      `It keeps purchases beyond ${plan}; tapeloom billing ls --account ${account.name} shows it.\n`,
    );
  }
  return 0;
}
