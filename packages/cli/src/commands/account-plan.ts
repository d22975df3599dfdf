/** `tapeloom account plan`: gives an account another plan. */

import { parseArgs } from 'node:util';
import { planAt } from '@tapeloom/core/entitlement/plan';
import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  findAccount,
  readPlan,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { accountJson, grantsOf } from '../accounts/account-view.ts';
import { openAccounts } from '../accounts/open-accounts.ts';
import { readFutureTime, timeText } from '../accounts/time-text.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';

export const accountPlanCommand: CommandBody = {
  usage: `Usage: tapeloom account plan <name> <plan> [--until <time>] [--data <directory>] [--json]

Replaces what operators granted the account; what it bought and pays for stays. A running service applies it within a second, also to what is
open: a stream with another delay starts again, and what is beyond a smaller plan ends, youngest first.

  <name>              the account's name or id
  <plan>              sandbox, live, history or live_history
  --until <time>      when all of it ends: a date, an RFC 3339 time, or a span from now such as 30d
                      (default: it never ends)
${COMMON_USAGE}

Examples:
  tapeloom account plan ada live
  tapeloom account plan ada live_history --until 2027-01-31`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...COMMON_OPTIONS, until: { type: 'string' } },
    allowPositionals: true,
  });
  const [name, planText] = readWords(positionals, ['the name of the account', 'the plan']);
  const now = createClock({ kind: 'system' }).now();
  const plan = readPlan(planText!);
  const until = values.until === undefined ? null : readFutureTime('--until', values.until, now);
  if (plan === 'sandbox' && until !== null) throw new UsageError('the sandbox plan never ends');
  await using store = await openAccounts(dataDirectory(values.data, io));
  const before = await findAccount(store, name!);
  const call = { now, actor: { kind: 'operator' } } as const;
  const account = await store.setGrants(call, before.id, grantsOf(plan, until));
  if (account === null) throw new Error(`the account ${name} has vanished`);
  if (values.json === true) {
    writeJson(io, accountJson(account, now));
    return 0;
  }
  const end = until === null ? '' : `, until ${timeText(until)}`;
  const after = planAt(account.grants, now);
  io.stdout(`${account.name}: ${planAt(before.grants, now)} → ${after}${end}\n`);
  if (after !== plan) {
    io.stdout(
      `It bought more than ${plan}, which stays; tapeloom billing ls --account ${account.name} shows it.\n`,
    );
  }
  return 0;
}
