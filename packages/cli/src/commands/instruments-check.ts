/** `tapeloom instruments check`: the faults of a file of instruments, or its contents. */

import { createClock } from '@tapeloom/server/platform/system-clock';
import type { CommandBody, CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { datasetText, datasetView } from '../instruments/instruments-view.ts';
import { readOrTellFaults } from '../instruments/read-or-tell-faults.ts';
import { readArgs } from '../read-args.ts';

export const instrumentsCheckCommand: CommandBody = {
  usage: `Usage: tapeloom instruments check <file> [--json]

Checks a file of instruments, YAML or JSON, and shows its contents: products and contracts, the next
session of every calendar, and what aliases designate. Every error is shown with
its line and column, and the exit code is then 1. Nothing is changed.

  --json  JSON instead of text

Examples:
  tapeloom instruments check instruments.yaml
  tapeloom instruments check instruments.yaml --json`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { flags: ['json'], words: ['<file>'] });
  const [file] = words as readonly [string];
  const read = await readOrTellFaults(io, file, values.json);
  if (read === null) return ExitCode.failure;
  const now = createClock({ kind: 'system' }).now();
  const datasets = read.datasets.map((dataset) => datasetView(dataset, now));
  io.stdout(
    values.json ? `${JSON.stringify({ datasets })}\n` : datasets.map(datasetText).join('\n'),
  );
  return ExitCode.ok;
}
