/** `tapeloom restore`: puts a copy of the accounts into a data directory that has none. */

import { resolve } from 'node:path';
import { restoreAccounts } from '@tapeloom/server/accounts/store/backup';
import { backupContents } from '@tapeloom/server/accounts/store/backup-contents';
import { lockDirectory } from '@tapeloom/server/platform/directory-lock';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { contentsText } from '../accounts/contents-text.ts';
import { refuseInCluster } from '../accounts/open-accounts.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';

export const restoreCommand = operatorCommand({
  usage: `Usage: tapeloom restore <file> [--data <directory>] [--json]

Checks a copy that tapeloom backup made and makes it the accounts of the data directory. Accounts that
are there are never overwritten, and a directory that a service is using is refused. What happened
after the copy is forgotten: a key that was revoked since is valid again, so look at tapeloom key list.

  <file>              the copy
${COMMON_USAGE}

Examples:
  tapeloom restore accounts-2026-11-16.db --data ./data`,
  words: ['the file to read'],
  run,
});

async function run({ words, data, io, tell }: OperatorCall): Promise<number> {
  await refuseInCluster(io, 'stop the nodes and put a copy back with pg_restore');
  const file = resolve(words[0]!);
  using _lock = lockDirectory(data);
  await restoreAccounts(file, data);
  const contents = backupContents(file);
  return tell(
    { data, ...contents },
    `The accounts of ${data} are those of the copy: ${contentsText(contents)}.\n` +
      'Keys that were revoked after the copy was made are valid again.\n',
  );
}
