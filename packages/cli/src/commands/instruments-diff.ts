/** `tapeloom instruments diff`: what another file of instruments would change for people. */

import { diffInstruments } from '@tapeloom/server/markets/instruments/instruments-diff';
import { createClock } from '@tapeloom/server/platform/system-clock';
import type { CommandBody, CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { changesText } from '../instruments/instruments-view.ts';
import { readOrTellFaults } from '../instruments/read-or-tell-faults.ts';
import { readArgs } from '../read-args.ts';

export const instrumentsDiffCommand: CommandBody = {
  usage: `Usage: tapeloom instruments diff <before> <after> [--json]

Compares two files of instruments and says what would change for people when the second takes the
place of the first: contracts, their terms, sessions and rolls. A roll that has taken effect never
changes: where the second file says otherwise, the line begins with PAST, and the exit code is 1. So it
is when a file has faults. Reads these two files and nothing else.

  --json  JSON instead of text

Examples:
  tapeloom instruments diff instruments.yaml edited.yaml
  tapeloom instruments diff instruments.yaml edited.yaml --json`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { flags: ['json'], words: ['<before>', '<after>'] });
  const [before, after] = words as readonly [string, string];
  const old = await readOrTellFaults(io, before, values.json);
  if (old === null) return ExitCode.failure;
  const young = await readOrTellFaults(io, after, values.json);
  if (young === null) return ExitCode.failure;
  const changes = diffInstruments(old, young, createClock({ kind: 'system' }).now());
  io.stdout(values.json ? `${JSON.stringify({ changes })}\n` : changesText(changes));
  return changes.some(({ isPast }) => isPast) ? ExitCode.failure : ExitCode.ok;
}
