/** `tapeloom restore`: restores a backup into a data directory, and never overwrites existing files. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { accountsPath } from '@tapeloom/server/accounts/store/sqlite/accounts-path';
import { restoreAccounts } from '@tapeloom/server/accounts/store/sqlite/backup';
import { backupContents } from '@tapeloom/server/accounts/store/sqlite/backup-contents';
import { restoreBackup } from '@tapeloom/server/operations/backup/restore-backup';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { contentsText } from '../accounts/contents-text.ts';
import { refuseInCluster } from '../accounts/open-accounts.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { UsageError } from '../command.ts';
import { ProgressLine } from '../progress-line.ts';
import { sizeText } from '../size-text.ts';

export const restoreCommand = operatorCommand({
  usage: `Usage: tapeloom restore <folder> [--at <time>] [--only accounts] [--data <directory>] [--json]

Restores a backup of tapeloom backup into a data directory: the accounts, the tape, the instruments. Every
file is checked before any takes effect. Existing files are never overwritten, and a directory that a
service uses is refused. Changes after the backup are lost: a key that was revoked since is
valid again, so check tapeloom key list.

  <folder>            the folder of backups; or a file with accounts only, of an earlier version
  --at <time>         the backup, by the beginning of its name, like 2026-11-16 (default: the newest)
  --only accounts     do not restore the tape and the instruments
${COMMON_USAGE}

Examples:
  tapeloom restore /backup/tapeloom --data ./data
  tapeloom restore /backup/tapeloom --at 2026-11-16 --only accounts --data ./data`,
  words: ['the folder to read'],
  options: ['at', 'only'],
  run,
});

const REVOKED_AGAIN = 'Keys that were revoked after the copy was made are valid again.\n';

async function run(call: OperatorCall): Promise<number> {
  const { words, values, data, io, isJson, tell } = call;
  await refuseInCluster(io, 'stop the nodes and restore a copy with pg_restore');
  if (values.only !== undefined && values.only !== 'accounts') {
    throw new UsageError(`--only must be accounts; got ${values.only}`);
  }
  const folder = resolve(words[0]!);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`there is no folder ${folder}`);
  if (found.isFile()) return await restoreFile(folder, call);
  using _lock = lockDirectory(data);
  const line = new ProgressLine(io, { isQuiet: isJson });
  let read = 0;
  const restored = await restoreBackup({
    ...{ folder, data, at: values.at ?? null, onlyAccounts: values.only === 'accounts' },
    signal: io.signal,
    onBytes: (count) => {
      read += count;
      line.show(() => `${sizeText(read)} restored`);
    },
  });
  line.erase();
  const contents = backupContents(accountsPath(data));
  return tell(
    { data, ...restored, accounts: contents },
    `${data} has the backup of ${restored.at}: ${restored.files.toLocaleString('en')} files, ` +
      `${sizeText(restored.bytes)}; ${contentsText(contents)}.\n${REVOKED_AGAIN}`,
  );
}

/** The format before folders: accounts alone, without a checksum. */
async function restoreFile(file: string, { data, io, tell }: OperatorCall): Promise<number> {
  using _lock = lockDirectory(data);
  await restoreAccounts(file, data);
  io.stderr(`${file} has no checksum, so changes since the backup cannot be detected.\n`);
  const contents = backupContents(file);
  return tell(
    { data, ...contents },
    `The accounts of ${data} are those of the copy: ${contentsText(contents)}.\n${REVOKED_AGAIN}`,
  );
}
