/** Everything that `tapeloom account suspend` and `tapeloom account resume` share. */

import type { CommandBody } from '../command.ts';
import { COMMON_USAGE, findAccount } from './account-options.ts';
import { accountJson } from './account-view.ts';
import { type OperatorCall, operatorCommand } from './operator-command.ts';

interface Suspension {
  readonly path: readonly [string, string];
  readonly isSuspended: boolean;
  readonly effect: string;
}

export function suspensionCommand(suspension: Suspension): CommandBody {
  const { path, effect } = suspension;
  return operatorCommand({
    usage: `Usage: tapeloom ${path.join(' ')} <name> [--data <directory>] [--json]

${effect}

  <name>              the account's name or id, or its owner's e-mail address
${COMMON_USAGE}

Examples:
  tapeloom ${path.join(' ')} ada`,
    words: ['the name of the account'],
    run: (call) => run(suspension, call),
  });
}

async function run(
  { isSuspended }: Suspension,
  { words, now, call, open, tell }: OperatorCall,
): Promise<number> {
  const name = words[0]!;
  const store = await open();
  const before = await findAccount(store, name);
  const account = await store.setSuspended(call, before.id, isSuspended);
  if (account === null) throw new Error(`the account ${name} has vanished`);
  const state = isSuspended ? 'suspended' : 'active';
  const isAsBefore = (before.suspendedAt !== null) === isSuspended;
  return tell(
    accountJson(account, now),
    `${account.name} is ${state}${isAsBefore ? ', as it was before' : ''}.\n`,
  );
}
