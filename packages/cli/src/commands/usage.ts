/** `tapeloom usage`: the plan, this month's usage as bars, and the limits. */

import type { Usage } from '@tapeloom/client';
import { tell } from '../accounts/account-options.ts';
import type { Command, CommandIo } from '../command.ts';
import { CUSTOMER_USAGE, customerClient, PLACE_OPTIONS } from '../customer/customer-options.ts';
import { readArgs } from '../read-args.ts';
import { sizeText } from '../size-text.ts';
import { createInk, type Ink, padEndSeen } from '../stream/ink.ts';
import { dateText, wholeText } from '../stream/text-format.ts';
import { factsText } from '../table-text.ts';

const BAR_CELLS = 30;
const NEARLY_ALL = 0.9;
const MUCH = 0.7;
/** The service's value for all history. */
const ALL_HISTORY_DAYS = 36_500;

export const usageCommand: Command = {
  path: ['usage'],
  summary: 'Show the plan, its usage this month, and its limits.',
  usage: `Usage: tapeloom usage [options]

Shows what the account has used of its monthly budgets, as bars, and the limits of its plan. A test key
shows what test keys have used, and the limits of the sandbox.

${CUSTOMER_USAGE}

Examples:
  tapeloom usage
  tapeloom usage --json | jq .remaining.computeUnits
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { texts: PLACE_OPTIONS, flags: ['json'], words: [] });
  await using client = await customerClient(values, io);
  const usage = await client.usage({ signal: io.signal });
  const ink = createInk(io.isTerminal && !io.env.NO_COLOR);
  return tell(io, values.json, usage, usageText(usage, ink));
}

export function usageText(usage: Usage, ink: Ink): string {
  const { plan, period, resetsAt, limits, used, remaining } = usage;
  const budgets = [
    budgetLine('compute units', limits.computeBudget, remaining.computeUnits, wholeText, ink),
    budgetLine('export volume', limits.exportBytes, remaining.exportBytes, sizeText, ink),
  ];
  const delay = limits.delaySeconds === 0 ? 'real time' : `${limits.delaySeconds / 60} min behind`;
  const facts: [string, string][] = [
    ['history items', `${wholeText(used.historyItems)} received`],
    [
      'REST requests',
      `${wholeText(used.restRequests)} made, ${wholeText(limits.restPerMinute)} a minute allowed`,
    ],
    ['history', historyText(limits.historyDays)],
    ['stream', delay],
    [
      'at a time',
      [
        counted(limits.maxConnections, 'connection'),
        counted(limits.maxSubscriptions, 'subscription'),
        counted(limits.maxCustomConfigs, 'custom configuration'),
      ].join(', '),
    ],
  ];
  return [
    `${ink.bold(plan)}, ${period}; the budgets are renewed on ${dateText(BigInt(resetsAt))}\n`,
    budgets.join(''),
    factsText(facts),
  ].join('\n');
}

/** The share of a budget that is gone, reservations of running work included. */
function budgetLine(
  name: string,
  limit: number,
  left: number,
  text: (amount: number) => string,
  ink: Ink,
): string {
  if (limit === 0) return `${name}  ${ink.faint('none in this plan')}\n`;
  const share = Math.min(1, Math.max(0, 1 - left / limit));
  const filled = share === 0 ? 0 : Math.max(1, Math.round(share * BAR_CELLS));
  const paint = share >= NEARLY_ALL ? ink.red : share >= MUCH ? ink.yellow : ink.green;
  const bar = `${paint('█'.repeat(filled))}${ink.faint('░'.repeat(BAR_CELLS - filled))}`;
  const percent = `${percentText(share)} %`.padStart(6);
  return `${name}  ${padEndSeen(bar, BAR_CELLS)} ${percent}  ${text(left)} of ${text(limit)} left\n`;
}

/** A touched budget never shows 0 %, and one with something left never 100 %. */
function percentText(share: number): string {
  if (share > 0 && share < 0.01) return '<1';
  if (share > 0.99 && share < 1) return '>99';
  return String(Math.round(share * 100));
}

function historyText(days: number): string {
  if (days === 0) return 'none in this plan';
  return days >= ALL_HISTORY_DAYS ? 'all there is' : `the last ${counted(days, 'day')}`;
}

function counted(count: number, word: string): string {
  return `${wholeText(count)} ${word}${count === 1 ? '' : 's'}`;
}
