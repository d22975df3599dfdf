/** `tapeloom backup`: a consistent copy of the accounts, while the service runs or not. */

import { resolve } from 'node:path';
import { backupAccounts } from '@tapeloom/server/accounts/store/backup';
import { backupContents } from '@tapeloom/server/accounts/store/backup-contents';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { contentsText } from '../accounts/contents-text.ts';
import { refuseInCluster } from '../accounts/open-accounts.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';

export const backupCommand = operatorCommand({
  usage: `Usage: tapeloom backup <file> [--data <directory>] [--json]

Writes accounts, keys, usage and the audit log as they are at one moment. The file appears when it is
whole and checked; one that is there is never overwritten. It holds digests of keys, no keys, and is
readable by its owner only. The tape is no part of it.

  <file>              where to write the copy
${COMMON_USAGE}

Examples:
  tapeloom backup accounts-2026-11-16.db`,
  words: ['the file to write'],
  run,
});

async function run({ words, data, io, tell }: OperatorCall): Promise<number> {
  await refuseInCluster(io, 'pg_dump makes a copy of them while the nodes run');
  const file = resolve(words[0]!);
  await backupAccounts(data, file);
  const contents = backupContents(file);
  return tell({ file, ...contents }, `${file}: ${contentsText(contents)}\n`);
}
