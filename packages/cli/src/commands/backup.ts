/** `tapeloom backup`: copies the accounts, the tape and what belongs to them, also while the service runs. */

import { resolve } from 'node:path';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { type BackupMade, makeBackup } from '@tapeloom/server/operations/backup/make-backup';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { refuseInCluster } from '../accounts/open-accounts.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { ProgressLine } from '../progress-line.ts';
import { sizeText } from '../size-text.ts';

const KEEP_DEFAULT = 30;

export const backupCommand = operatorCommand({
  usage: `Usage: tapeloom backup <folder> [--backups <number>] [--data <directory>] [--json]

Adds a backup to a folder: the accounts, the tape, instruments.yaml and the stream epochs as they are
now, while the service runs. Files that the newest backup already contains are not read again. Every file is
recorded with its SHA-256, which tapeloom backup verify and tapeloom restore check. The folder identifies
your customers: it is readable by its owner only; store it encrypted on another machine.

  <folder>            the folder of backups; created if it is missing
  --backups <number>  how many backups to keep in the folder (default: ${KEEP_DEFAULT})
${COMMON_USAGE}

Examples:
  tapeloom backup /backup/tapeloom
  tapeloom backup /backup/tapeloom --backups 90 --data /var/lib/tapeloom`,
  words: ['the folder of backups'],
  options: ['backups'],
  run,
});

async function run({ words, values, data, io, isJson, now, tell }: OperatorCall): Promise<number> {
  await refuseInCluster(io, 'copy them with pg_dump while the nodes run');
  const keep = Number(values.backups ?? KEEP_DEFAULT);
  if (!Number.isSafeInteger(keep) || keep < 1) {
    throw new UsageError(`--backups must be a whole number, at least 1; got ${values.backups}`);
  }
  const folder = resolve(words[0]!);
  const line = new ProgressLine(io, { isQuiet: isJson });
  const at = new Date(Number(now / MS_NS_BIG)).toISOString();
  const made = await makeBackup({
    ...{ data, folder, at, keep },
    signal: io.signal,
    onProgress: ({ files, filesTotal, bytesRead }) =>
      line.show(
        () =>
          `${files.toLocaleString('en')} of ${filesTotal.toLocaleString('en')} files, ${sizeText(bytesRead)} read`,
      ),
  });
  line.erase();
  for (const file of made.damaged) {
    io.stderr(
      `${file} is damaged; earlier backups may contain an intact copy. See tapeloom tape verify.\n`,
    );
  }
  for (const file of made.missing) {
    io.stderr(`${file} is missing, though its manifest names it. See tapeloom tape verify.\n`);
  }
  tell({ at, ...made }, madeText(made));
  return made.damaged.length + made.missing.length === 0 ? ExitCode.ok : ExitCode.failure;
}

function madeText({ record, files, bytes, filesCopied, bytesCopied, removed }: BackupMade): string {
  const old = removed === 0 ? '' : ` Older backups removed: ${removed}.`;
  return (
    `${record}: ${files.toLocaleString('en')} files, ${sizeText(bytes)}; ` +
    `copied now: ${filesCopied.toLocaleString('en')}, ${sizeText(bytesCopied)}.${old}\n`
  );
}
