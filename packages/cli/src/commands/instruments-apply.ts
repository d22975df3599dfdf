/** `tapeloom instruments apply`: applies a file of instruments to a data directory. */

import {
  applyInstruments,
  lockDatasets,
} from '@tapeloom/server/markets/instruments/applied-instruments';
import { marketBeside } from '@tapeloom/server/markets/instruments/market-beside';
import { DirectoryLockedError } from '@tapeloom/server/platform/disk/directory-lock';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { COMMON_USAGE, dataDirectory } from '../accounts/account-options.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { configOf } from '../command-config.ts';
import { ExitCode } from '../exit-codes.ts';
import { readInstrumentsText } from '../instruments/instruments-text.ts';
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
    const disk = new NodeDisk();
    using _locks = await lockDatasets(disk, data);
    const changes = await applyInstruments(disk, data, text, {
      now,
      beside: marketBeside(configOf(io), now),
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
