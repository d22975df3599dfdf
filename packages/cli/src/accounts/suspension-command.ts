/** What `tapeloom account suspend` and `tapeloom account resume` share: all but the direction. */

import { parseArgs } from 'node:util';
import { createClock } from '@tapeloom/server/platform/system-clock';
import type { CommandBody, CommandIo } from '../command.ts';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  findAccount,
  readWords,
  writeJson,
} from './account-options.ts';
import { accountJson } from './account-view.ts';
import { openAccounts } from './open-accounts.ts';

interface Suspension {
  readonly path: readonly [string, string];
  readonly isSuspended: boolean;
  readonly effect: string;
}

export function suspensionCommand(suspension: Suspension): CommandBody {
  const { path, effect } = suspension;
  return {
    usage: `Usage: tapeloom ${path.join(' ')} <name> [--data <directory>] [--json]

${effect}

  <name>              the account's name or id
${COMMON_USAGE}

Examples:
  tapeloom ${path.join(' ')} ada`,
    run: (args, io) => run(suspension, args, io),
  };
}

async function run(
  { isSuspended }: Suspension,
  args: readonly string[],
  io: CommandIo,
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: COMMON_OPTIONS,
    allowPositionals: true,
  });
  const name = readWords(positionals, ['the name of the account'])[0]!;
  await using store = await openAccounts(dataDirectory(values.data, io));
  const before = await findAccount(store, name);
  const now = createClock({ kind: 'system' }).now();
  const call = { now, actor: { kind: 'operator' } } as const;
  const account = await store.setSuspended(call, before.id, isSuspended);
  if (account === null) throw new Error(`the account ${name} has vanished`);
  if (values.json === true) {
    writeJson(io, accountJson(account, now));
    return 0;
  }
  const state = isSuspended ? 'suspended' : 'active';
  const isAsBefore = (before.suspendedAt !== null) === isSuspended;
  io.stdout(`${account.name} is ${state}${isAsBefore ? ', as it was before' : ''}.\n`);
  return 0;
}
