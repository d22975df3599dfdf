/** `tapeloom key revoke`: ends a key for good. */

import { parseArgs } from 'node:util';
import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { keyJson } from '../accounts/key-view.ts';
import { openAccounts } from '../accounts/open-accounts.ts';
import { timeText } from '../accounts/time-text.ts';
import type { CommandBody, CommandIo } from '../command.ts';

export const keyRevokeCommand: CommandBody = {
  usage: `Usage: tapeloom key revoke <id> [--data <directory>] [--json]

The key is refused from now on; a running service closes its connections within a second. A key that
has ended already stays as it is. There is no way back: create another one instead.

  <id>                the key's id, as tapeloom key list shows it
${COMMON_USAGE}

Examples:
  tapeloom key revoke key_3f2c9a`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: COMMON_OPTIONS,
    allowPositionals: true,
  });
  const id = readWords(positionals, ['the id of the key'])[0]!;
  await using store = await openAccounts(dataDirectory(values.data, io));
  const now = createClock({ kind: 'system' }).now();
  const found = await store.findKeyById(null, id);
  if (found === null) throw unknownKey(id);
  const { account } = found;
  const call = { now, actor: { kind: 'operator' } } as const;
  const key = await store.revokeKey(call, account.id, id);
  if ('refused' in key) throw unknownKey(id);
  if (values.json === true) {
    writeJson(io, keyJson(key, now));
  } else if (key.revokedAt === null) {
    io.stdout(`The key "${key.name}" of ${account.name} has expired before; it stays as it is.\n`);
  } else {
    const at = timeText(key.revokedAt);
    io.stdout(`The key "${key.name}" of ${account.name} is revoked since ${at}.\n`);
  }
  return 0;
}

function unknownKey(id: string): Error {
  return new Error(`no key has the id ${id}; tapeloom key list --account <name> shows them`);
}
