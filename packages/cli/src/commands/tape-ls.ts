/** `tapeloom tape ls`: what is on the tape, contract by contract. */

import { NodeDisk } from '@tapeloom/server/platform/node-disk';
import { type ContractListing, listTape } from '@tapeloom/server/tape/inspect/list-tape';
import type { CommandBody, CommandIo } from '../command.ts';
import { readArgs } from '../read-args.ts';
import { type Column, tableText } from '../table-text.ts';

const COLUMNS: readonly Column[] = [
  { title: 'dataset' },
  { title: 'contract' },
  { title: 'first', isNumber: true },
  { title: 'last', isNumber: true },
  { title: 'days', isNumber: true },
  { title: 'trades', isNumber: true },
  { title: 'bytes', isNumber: true },
  { title: 'bytes/trade', isNumber: true },
  { title: 'state' },
  { title: 'gaps' },
];
const GAPS_SHOWN_MAX = 3;

export const tapeLsCommand: CommandBody = {
  usage: `Usage: tapeloom tape ls [--data <directory>] [--json]

Lists every contract with its days, trades, size and missing days. Reads only; the service may run.

  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)
  --json              one JSON array instead of a table

Examples:
  tapeloom tape ls
  tapeloom tape ls --data /var/lib/tapeloom --json`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { texts: ['data'], flags: ['json'], words: [] });
  const data = values.data ?? io.env.TAPELOOM_DATA ?? './data';
  const listings = await listTape(new NodeDisk(), `${data}/tape`);
  if (values.json === true) {
    io.stdout(`${JSON.stringify(listings)}\n`);
  } else if (listings.length === 0) {
    io.stdout(`There is no tape in ${data}.\n`);
  } else {
    io.stdout(tableText(COLUMNS, listings.map(formatRow)));
  }
  return 0;
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
