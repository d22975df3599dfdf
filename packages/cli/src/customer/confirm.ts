/** Asks for a confirmation before something irreversible or costly. */

import { type CommandIo, UsageError } from '../command.ts';

/** True with `--yes` or a yes at the prompt. Without a terminal, only `--yes` proceeds. */
export async function confirm(io: CommandIo, question: string, isYes: boolean): Promise<boolean> {
  if (isYes) return true;
  if (!io.input.isTerminal) {
    throw new UsageError(
      'this needs a confirmation, but there is no terminal to ask on; add --yes',
    );
  }
  return await isAgreed(io, question);
}

export async function isAgreed(io: CommandIo, question: string): Promise<boolean> {
  const answer = await io.input.ask(`${question} [y/N] `);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}
