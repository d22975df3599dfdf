/** `tapeloom estimate`: the cost of history or an export, and whether the range is complete. Free. */

import { type Estimate, nsOf, TapeloomError } from '@tapeloom/client';
import type { EpochNs } from '@tapeloom/core/numbers';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { writeJson } from '../accounts/account-options.ts';
import { timeText } from '../accounts/time-text.ts';
import type { Command, CommandIo } from '../command.ts';
import { CUSTOMER_USAGE, customerClient } from '../customer/customer-options.ts';
import { ExitCode } from '../exit-codes.ts';
import { unitsText } from '../history/cost-question.ts';
import { gapLines } from '../history/gaps-text.ts';
import {
  QUERY_OPTIONS,
  QUERY_USAGE,
  QUERY_WORDS,
  queryText,
  readQuery,
} from '../history/history-query.ts';
import { missingDaysText } from '../history/missing-days.ts';
import { readArgs } from '../read-args.ts';
import { wholeText } from '../stream/text-format.ts';
import { factsText } from '../table-text.ts';

export const estimateCommand: Command = {
  path: ['estimate'],
  summary: 'Show the cost of a history query. Free.',
  usage: `Usage: tapeloom estimate <instrument> <indicator> --from <time> [--to <time>] [options]

Shows the cost of history or an export of the range, what is left this month, and which days are missing.
Charges nothing. Exits with 8 if days are missing: history and exports would be refused. With --gaps allow they
would not be, and the gaps are listed.

${QUERY_USAGE}
${CUSTOMER_USAGE}

Examples:
  tapeloom estimate ES.c.0 footprint --from 2026-11-12 --to 2026-11-13
  tapeloom estimate BTC.c.0 bars --from 2026-11-01 --params '{"size":300}' --json`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const given = readArgs(args, { texts: QUERY_OPTIONS, flags: ['json'], words: QUERY_WORDS });
  const { values } = given;
  const query = readQuery(given, createClock({ kind: 'system' }).now());
  await using client = await customerClient(values, io);
  const estimated = await orMissing(() => client.estimate({ ...query, signal: io.signal }));
  if (values.json) writeJson(io, { indicator: query.indicator, ...estimated });
  else io.stdout(`${queryText(query)}\n${factsText(factsOf(estimated))}`);
  const isRefused = estimated.missingDaysTotal > 0 && query.gaps !== 'allow';
  return isRefused ? ExitCode.noData : ExitCode.ok;
}

/** With missing days there is no estimate: this is what is known of the missing and the present days. */
type Missing = Pick<Estimate, 'missingDays' | 'missingDaysTotal'> & {
  readonly computeUnits: number | null;
};

async function orMissing(estimate: () => Promise<Estimate>): Promise<Estimate | Missing> {
  try {
    return await estimate();
  } catch (error) {
    if (!(error instanceof TapeloomError) || error.missingDays.length === 0) throw error;
    const { missingDays, missingDaysTotal, computeUnits } = error;
    return { computeUnits, missingDays, missingDaysTotal: missingDaysTotal ?? missingDays.length };
  }
}

function factsOf(estimated: Estimate | Missing): readonly (readonly [string, string])[] {
  const missing = estimated.missingDaysTotal === 0 ? 'none' : missingDaysText(estimated);
  if (!('trades' in estimated)) {
    const { computeUnits } = estimated;
    const others =
      computeUnits === null ? [] : [['the others cost', unitsText(computeUnits)] as const];
    return [['missing days', missing], ...others];
  }
  const { contract, computeUnits, remainingComputeUnits, trades, days, lookBackFrom } = estimated;
  return [
    ['contract', contract],
    ['cost', unitsText(computeUnits)],
    ['left this month', unitsText(remainingComputeUnits)],
    ['trades', wholeText(trades)],
    ['days', wholeText(days)],
    ['missing days', missing],
    ...gapLines(estimated).map((line, at) => [at === 0 ? 'not there' : '', line] as const),
    ...(lookBackFrom === null
      ? []
      : [['looks back to', timeText(nsOf(lookBackFrom) as EpochNs)] as const]),
  ];
}
