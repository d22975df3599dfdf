/** Asks the person at the terminal to confirm an irreversible action. */

import type { CommandIo } from '../command.ts';
import { isAgreed } from '../customer/confirm.ts';

export async function isWanted(io: CommandIo, question: string): Promise<boolean> {
  if (!io.input.isTerminal) {
    io.stderr('This needs a confirmation, but there is no terminal to ask on; add --yes.\n');
    return false;
  }
  return await isAgreed(io, question);
}
