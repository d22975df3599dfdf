/** `tapeloom instruments apply`: applies a file of instruments to a data directory. */

import {
  applyInstruments,
  readAppliedInstruments,
} from '@tapeloom/server/markets/instruments/applied-instruments';
import { DirectoryLockedError, lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { COMMON_USAGE, dataDirectory } from '../accounts/account-options.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { readInstrumentsText } from '../instruments/instruments-text.ts';
import { marketBeside } from '../instruments/market-beside.ts';
import { readOrTellFaults } from '../instruments/read-or-tell-faults.ts';
import { tellChanges } from '../instruments/tell-changes.ts';
import { readArgs } from '../read-args.ts';

export const instrumentsApplyCommand: CommandBody = {
  usage: `Usage: tapeloom instruments apply <file> [--data <directory>] [--json]

Applies a file of instruments to the data directory and shows what changed. If that would change the
past, nothing is done and the exit code is 1. A running service reads them after a
reload (SIGHUP) or restart. During an import nothing can be applied.

${COMMON_USAGE}

Examples:
  tapeloom instruments apply instruments.yaml
  tapeloom instruments apply instruments.yaml --data /var/lib/tapeloom`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { texts: ['data'], flags: ['json'], words: ['<file>'] });
  const [file] = words as readonly [string];
  if ((await readOrTellFaults(io, file, values.json)) === null) return ExitCode.failure;
  const text = await readInstrumentsText(file);
  const data = dataDirectory(values.data, io);
  const now = createClock({ kind: 'system' }).now();
  try {
    // The locks keep every writer from adding a day by the old terms while the new ones are checked.
    using _locks = await lockDatasets(data);
    const changes = await applyInstruments(new NodeDisk(), data, text, {
      now,
      beside: marketBeside(io, now),
    });
    const code = tellChanges(io, values.json, changes);
    if (code === ExitCode.ok && changes.length > 0 && !values.json) {
      io.stdout('A running service reads them after a reload (SIGHUP) or restart.\n');
    }
    return code;
  } catch (error) {
    if (!(error instanceof DirectoryLockedError)) throw error;
    io.stderr(`${error.message}. Wait until the import has finished.\n`);
    return ExitCode.failure;
  }
}

/** Imports go only into listed datasets, so locking those is enough. */
async function lockDatasets(data: string): Promise<Disposable> {
  using locks = new DisposableStack();
  const applied = await readAppliedInstruments(new NodeDisk(), data);
  for (const { name } of applied?.datasets ?? []) locks.use(lockDirectory(`${data}/tape/${name}`));
  return locks.move();
}
