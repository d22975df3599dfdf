/** Reads a file of instruments for a command, and prints its faults. */

import type { InstrumentsFile } from '@tapeloom/server/markets/instruments/instruments-file';
import { readInstruments } from '@tapeloom/server/markets/instruments/read-instruments';
import { FaultsError } from '@tapeloom/server/markets/instruments/reading';
import type { CommandIo } from '../command.ts';
import { readInstrumentsText } from './instruments-text.ts';
import { faultsText } from './instruments-view.ts';

/** Null when the file has faults, which are then already printed. */
export async function readOrTellFaults(
  io: CommandIo,
  file: string,
  isJson: boolean,
): Promise<InstrumentsFile | null> {
  const text = await readInstrumentsText(file);
  try {
    return readInstruments(text);
  } catch (error) {
    if (!(error instanceof FaultsError)) throw error;
    if (isJson) io.stdout(`${JSON.stringify({ file, faults: error.faults })}\n`);
    else io.stderr(faultsText(file, error.faults));
    return null;
  }
}
