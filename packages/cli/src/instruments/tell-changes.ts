/** Prints the changes that other instruments make; returns the exit code. */

import type { InstrumentsChange } from '@tapeloom/server/markets/instruments/instruments-diff';
import type { CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { changesText } from './instruments-view.ts';

export function tellChanges(
  io: CommandIo,
  isJson: boolean,
  changes: readonly InstrumentsChange[],
): number {
  io.stdout(isJson ? `${JSON.stringify({ changes })}\n` : changesText(changes));
  return changes.some(({ isRefused }) => isRefused) ? ExitCode.failure : ExitCode.ok;
}
