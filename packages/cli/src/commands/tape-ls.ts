/** `tapeloom tape ls`: what is on the tape, contract by contract. */

import { parseArgs } from 'node:util';
import { NodeDisk } from '@tapeloom/server/platform/node-disk';
import { type ContractListing, listTape } from '@tapeloom/server/tape/list-tape';
import { type Command, type CommandIo, UsageError } from '../command.ts';

const HEADINGS = [
  'dataset',
  'contract',
  'first',
  'last',
  'days',
  'trades',
  'bytes',
  'bytes/trade',
  'state',
  'gaps',
] as const;
/** Columns of words; the others are numbers and end at their right edge. */
const LEFT_COLUMNS: ReadonlySet<string> = new Set(['dataset', 'contract', 'state', 'gaps']);
const GAPS_SHOWN_MAX = 3;

export const tapeLsCommand: Command = {
  path: ['tape', 'ls'],
  summary: 'Show what is on the tape, contract by contract.',
  usage: `Usage: tapeloom tape ls [--data <directory>] [--json]

Lists every contract with its days, trades, size and missing days. Reads only; the service may run.

  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)
  --json              one JSON array instead of a table`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { data: { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (positionals.length > 0) throw new UsageError(`unexpected argument: ${positionals[0]}`);
  const data = values.data ?? io.env.TAPELOOM_DATA ?? './data';
  const listings = await listTape(new NodeDisk(), `${data}/tape`);
  if (values.json === true) {
    io.stdout(`${JSON.stringify(listings)}\n`);
  } else if (listings.length === 0) {
    io.stdout(`There is no tape in ${data}.\n`);
  } else {
    io.stdout(formatTable(listings));
  }
  return 0;
}

function formatTable(listings: readonly ContractListing[]): string {
  const rows = [HEADINGS as readonly string[], ...listings.map(formatRow)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        LEFT_COLUMNS.has(HEADINGS[column]!)
          ? cell.padEnd(widths[column]!)
          : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function formatRow(listing: ContractListing): readonly string[] {
  const { sealedTrades, sealedBytes, gaps } = listing;
  const shown = gaps.slice(0, GAPS_SHOWN_MAX).join(' ');
  return [
    listing.dataset,
    listing.symbol,
    String(listing.firstDay),
    String(listing.lastDay),
    listing.days.toLocaleString('en'),
    listing.trades.toLocaleString('en'),
    sealedBytes.toLocaleString('en'),
    sealedTrades === 0 ? '-' : (sealedBytes / sealedTrades).toFixed(2),
    listing.state,
    gaps.length > GAPS_SHOWN_MAX
      ? `${shown} and ${gaps.length - GAPS_SHOWN_MAX} more`
      : shown || '-',
  ];
}
