/** `tapeloom instruments diff`: what another file of instruments would change for customers. */

import { diffApplied } from '@tapeloom/server/markets/instruments/applied-instruments';
import { diffInstruments } from '@tapeloom/server/markets/instruments/instruments-diff';
import { marketBeside } from '@tapeloom/server/markets/instruments/market-beside';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { COMMON_USAGE, dataDirectory } from '../accounts/account-options.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { configOf } from '../command-config.ts';
import { ExitCode } from '../exit-codes.ts';
import { readInstrumentsText } from '../instruments/instruments-text.ts';
import { readOrTellFaults } from '../instruments/read-or-tell-faults.ts';
import { tellChanges } from '../instruments/tell-changes.ts';
import { readArgs, readWords } from '../read-args.ts';

export const instrumentsDiffCommand: CommandBody = {
  usage: `Usage: tapeloom instruments diff <file> [--data <directory>] [--json]
       tapeloom instruments diff <before> <after> [--json]

Shows what would change for customers if a file of instruments replaced those of the data
directory, or of another file: contracts, their terms, sessions and rolls. Changes to the past are
refused: such a line begins with REFUSED, and the exit code is 1, as with a file that has errors. With two
files only their contents are compared; with a data directory also which contracts have days on the tape
and which rolls are decided. Reads only; the service may run.

${COMMON_USAGE}

Examples:
  tapeloom instruments diff instruments.yaml
  tapeloom instruments diff instruments.yaml edited.yaml --json`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { texts: ['data'], flags: ['json'], words: null });
  if (words.length < 2) return await diffWithDirectory(io, words, values);
  const [before, after] = readWords(words, ['<before>', '<after>']) as readonly [string, string];
  if (values.data !== undefined) throw new UsageError('--data cannot be used with two files');
  const old = await readOrTellFaults(io, before, values.json);
  if (old === null) return ExitCode.failure;
  const young = await readOrTellFaults(io, after, values.json);
  if (young === null) return ExitCode.failure;
  return tellChanges(io, values.json, diffInstruments(old, young, now()));
}

async function diffWithDirectory(
  io: CommandIo,
  words: readonly string[],
  { data, json }: { readonly data?: string; readonly json: boolean },
): Promise<number> {
  const [file] = readWords(words, ['<file>']) as readonly [string];
  if ((await readOrTellFaults(io, file, json)) === null) return ExitCode.failure;
  const changes = await diffApplied(
    new NodeDisk(),
    dataDirectory(data, io),
    await readInstrumentsText(file),
    { now: now(), beside: marketBeside(configOf(io), now()) },
  );
  return tellChanges(io, json, changes);
}

function now() {
  return createClock({ kind: 'system' }).now();
}
