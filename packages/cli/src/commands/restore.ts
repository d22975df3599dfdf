/** `tapeloom restore`: puts a copy of the accounts into a data directory that has none. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { restoreAccounts } from '@tapeloom/server/accounts/store/backup';
import { backupContents } from '@tapeloom/server/accounts/store/backup-contents';
import { lockDirectory } from '@tapeloom/server/platform/directory-lock';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { contentsText } from '../accounts/contents-text.ts';
import type { CommandBody, CommandIo } from '../command.ts';

export const restoreCommand: CommandBody = {
  usage: `Usage: tapeloom restore <file> [--data <directory>] [--json]

Checks a copy that tapeloom backup made and makes it the accounts of the data directory. Accounts that
are there are never overwritten, and a directory that a service is using is refused. What happened
after the copy is forgotten: a key that was revoked since is valid again, so look at tapeloom key list.

  <file>              the copy
${COMMON_USAGE}

Examples:
  tapeloom restore accounts-2026-11-16.db --data ./data`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: COMMON_OPTIONS,
    allowPositionals: true,
  });
  const file = resolve(readWords(positionals, ['the file to read'])[0]!);
  const data = dataDirectory(values.data, io);
  using _lock = lockDirectory(data);
  await restoreAccounts(file, data);
  const contents = backupContents(file);
  if (values.json === true) {
    writeJson(io, { data, ...contents });
    return 0;
  }
  io.stdout(
    `The accounts of ${data} are those of the copy: ${contentsText(contents)}.\n` +
      'Keys that were revoked after the copy was made are valid again.\n',
  );
  return 0;
}
