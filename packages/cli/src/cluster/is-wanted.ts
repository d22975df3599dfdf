/** Asks the person at the terminal whether a thing that cannot be taken back is wanted. */

import type { CommandIo } from '../command.ts';
import { isAgreed } from '../customer/confirm.ts';

export async function isWanted(io: CommandIo, question: string): Promise<boolean> {
  if (!io.input.isTerminal) {
    io.stderr('Nobody can be asked here: --yes says that it is wanted.\n');
    return false;
  }
  return await isAgreed(io, question);
}
