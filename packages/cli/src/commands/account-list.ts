/** `tapeloom account list`: every account with its plan and state. */

import { parseArgs } from 'node:util';
import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { accountJson, accountsTable } from '../accounts/account-view.ts';
import { openAccounts } from '../accounts/open-accounts.ts';
import type { CommandBody, CommandIo } from '../command.ts';

export const accountListCommand: CommandBody = {
  usage: `Usage: tapeloom account list [--data <directory>] [--json]

Lists the accounts, the oldest first. "until" is when the plan of today changes by itself.

${COMMON_USAGE}

Examples:
  tapeloom account list
  tapeloom account list --json | jq -r '.[].name'`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: COMMON_OPTIONS,
    allowPositionals: true,
  });
  readWords(positionals, []);
  await using store = await openAccounts(dataDirectory(values.data, io));
  const now = createClock({ kind: 'system' }).now();
  const accounts = await store.listAccounts();
  if (values.json === true) {
    writeJson(
      io,
      accounts.map((account) => accountJson(account, now)),
    );
  } else if (accounts.length === 0) {
    io.stdout('There are no accounts yet. tapeloom account create makes one.\n');
  } else {
    io.stdout(accountsTable(accounts, now));
  }
  return 0;
}
