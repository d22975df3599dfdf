/**
 * Nothing is charged before its price was shown and somebody agreed: a person at the terminal, or whoever wrote
 * `--yes` into a script. What costs nothing is not asked about.
 */

import type { Estimate } from '@tapeloom/client';
import { CommandError, type CommandIo } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { ExitCode } from '../exit-codes.ts';
import { wholeText } from '../stream/text-format.ts';
import { type HistoryQuery, queryText } from './history-query.ts';

export interface CostQuestion {
  readonly query: HistoryQuery;
  readonly estimate: Estimate;
  /** `--yes`. */
  readonly isAgreed: boolean;
  /** Whether it may end before all was read, and then costs less. */
  readonly isMost: boolean;
  /** Nothing but a question or a refusal may be said. */
  readonly isQuiet: boolean;
}

/** Null: go on. Else the exit code of a command that must not. */
export async function costRefusal(question: CostQuestion, io: CommandIo): Promise<ExitCode | null> {
  const { computeUnits, remainingComputeUnits } = question.estimate;
  // What the budget does not hold is refused by the service, for nothing and with its own words.
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
