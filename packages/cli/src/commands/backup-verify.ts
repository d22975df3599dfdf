/** `tapeloom backup verify`: compares every byte of a folder of backups with the recorded digests. */

import { resolve } from 'node:path';
import { checkBackups } from '@tapeloom/server/operations/backup/check-backup';
import { writeJson } from '../accounts/account-options.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { ProgressLine } from '../progress-line.ts';
import { readArgs } from '../read-args.ts';
import { sizeText } from '../size-text.ts';

export const backupVerifyCommand: CommandBody = {
  usage: `Usage: tapeloom backup verify <folder> [--json]

Reads every file of every backup in a folder and compares it with its recorded SHA-256. Exits with 1 if
a file was changed or is missing.

  <folder>  where tapeloom backup put the backups
  --json    JSON instead of text

Examples:
  tapeloom backup verify /backup/tapeloom`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { flags: ['json'], words: ['the folder of backups'] });
  const folder = resolve(words[0]!);
  const line = new ProgressLine(io, { isQuiet: values.json });
  let read = 0;
  const check = await checkBackups(folder, {
    signal: io.signal,
    onBytes: (count) => {
      read += count;
      line.show(() => `${sizeText(read)} read`);
    },
  });
  line.erase();
  const { findings, records, contents, bytes } = check;
  if (values.json) writeJson(io, { folder, ...check });
  else {
    for (const { file, what } of findings) io.stdout(`${file}: ${what}\n`);
    const found =
      findings.length === 0 ? 'all are intact' : `damaged: ${findings.length.toLocaleString('en')}`;
    io.stdout(
      `${records.toLocaleString('en')} backups, ${contents.toLocaleString('en')} files, ${sizeText(bytes)}: ${found}.\n`,
    );
  }
  return findings.length === 0 ? ExitCode.ok : ExitCode.failure;
}
