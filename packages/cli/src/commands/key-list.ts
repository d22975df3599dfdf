/** `tapeloom key list`: the keys of an account, without their secrets. */

import { parseArgs } from 'node:util';
import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  findAccount,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { keyJson, keysTable } from '../accounts/key-view.ts';
import { openAccounts } from '../accounts/open-accounts.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';

export const keyListCommand: CommandBody = {
  usage: `Usage: tapeloom key list --account <name> [--data <directory>] [--json]

Lists the valid keys and those that ended in the last 30 days, the newest first. Of a secret only the
last four characters are known.

  --account <name>    the account's name or id
${COMMON_USAGE}

Examples:
  tapeloom key list --account ada
  tapeloom key list --account ada --json | jq -r '.[].id'`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...COMMON_OPTIONS, account: { type: 'string' } },
    allowPositionals: true,
  });
  readWords(positionals, []);
  if (values.account === undefined) throw new UsageError('--account is missing: whose keys');
  await using store = await openAccounts(dataDirectory(values.data, io));
  const account = await findAccount(store, values.account);
  const now = createClock({ kind: 'system' }).now();
  const keys = await store.listKeys(now, account.id);
  if (values.json === true) {
    writeJson(
      io,
      keys.map((key) => keyJson(key, now)),
    );
  } else if (keys.length === 0) {
    io.stdout(`${account.name} has no keys.\n`);
  } else {
    io.stdout(keysTable(keys, now));
  }
  return 0;
}
