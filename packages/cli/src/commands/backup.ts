/** `tapeloom backup`: a consistent copy of the accounts, while the service runs or not. */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { backupAccounts } from '@tapeloom/server/accounts/store/backup';
import { backupContents } from '@tapeloom/server/accounts/store/backup-contents';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { contentsText } from '../accounts/contents-text.ts';
import type { CommandBody, CommandIo } from '../command.ts';

export const backupCommand: CommandBody = {
  usage: `Usage: tapeloom backup <file> [--data <directory>] [--json]

Writes accounts, keys, usage and the audit log as they are at one moment. The file appears when it is
whole and checked; one that is there is never overwritten. It holds digests of keys, no keys, and is
readable by its owner only. The tape is no part of it.

  <file>              where to write the copy
${COMMON_USAGE}

Examples:
  tapeloom backup accounts-2026-11-16.db`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: COMMON_OPTIONS,
    allowPositionals: true,
  });
  const file = resolve(readWords(positionals, ['the file to write'])[0]!);
  await backupAccounts(dataDirectory(values.data, io), file);
  const contents = backupContents(file);
  if (values.json === true) writeJson(io, { file, ...contents });
  else io.stdout(`${file}: ${contentsText(contents)}\n`);
  return 0;
}
