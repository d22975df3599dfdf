/** Nothing is charged before the user has seen the price and agreed, at the prompt or with `--yes`. */

import type { Estimate } from '@tapeloom/client';
import { CommandError, type CommandIo } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { ExitCode } from '../exit-codes.ts';
import { wholeText } from '../stream/text-format.ts';
import { type HistoryQuery, queryText } from './history-query.ts';

export interface CostQuestion {
  readonly query: HistoryQuery;
  readonly estimate: Estimate;
  /** From `--yes`. */
  readonly isAgreed: boolean;
  /** Whether the command may stop early, and then costs less. */
  readonly isMost: boolean;
  /** Only a prompt or a rejection may be printed. */
  readonly isQuiet: boolean;
}

/** Null: proceed. Otherwise the exit code of a command that must stop. */
export async function costRefusal(question: CostQuestion, io: CommandIo): Promise<ExitCode | null> {
  const { computeUnits, remainingComputeUnits } = question.estimate;
  // The service itself rejects what exceeds the budget, free of charge and with its own message.
  const isDecided = question.isAgreed || computeUnits === 0 || computeUnits > remainingComputeUnits;
  if (isDecided || !io.input.isTerminal) {
    if (!question.isQuiet) io.stderr(`${costText(question)}\n`);
    if (isDecided) return null;
    throw new CommandError(
      `this costs ${unitsText(computeUnits)} and needs a confirmation, but there is no terminal to ask on: ` +
        'add --yes, or run it in a terminal. Nothing was charged.',
      ExitCode.usage,
      'NOT_AGREED',
    );
  }
  io.stderr(`${costText(question)}\n`);
  if (await confirm(io, 'Continue?', false)) return null;
  io.signal.throwIfAborted();
  io.stderr('Nothing was charged.\n');
  return ExitCode.failure;
}

function costText({ query, estimate, isMost }: CostQuestion): string {
  const { contract, computeUnits, remainingComputeUnits, trades, days } = estimate;
  const read = contract === query.instrument ? '' : ` (${contract})`;
  const most = isMost && computeUnits > 0 ? 'at most ' : '';
  const cost = computeUnits === 0 ? 'nothing' : unitsText(computeUnits);
  const onDays = `${wholeText(days)} day${days === 1 ? '' : 's'}`;
  return (
    `${queryText(query)}${read}: ${wholeText(trades)} trades on ${onDays} cost ${most}${cost}; ` +
    `${wholeText(remainingComputeUnits)} are left this month.`
  );
}

export function unitsText(units: number): string {
  return `${wholeText(units)} compute unit${units === 1 ? '' : 's'}`;
}
