/** `tapeloom tape ls`: the contents of the tape by contract, or one contract by day. */

import { requireKnownFormat } from '@tapeloom/server/platform/disk/data-format';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { listTape } from '@tapeloom/server/tape/inspect/list-tape';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { readArgs } from '../read-args.ts';
import { appliedCalendars } from '../tape/applied-calendars.ts';
import { contractsTable, contractText } from '../tape/tape-view.ts';

export const tapeLsCommand: CommandBody = {
  usage: `Usage: tapeloom tape ls [<contract>] [--data <directory>] [--json]

Lists every contract with its days, trades, size and missing days; days with missing hours
are partial. With a contract: its calendar, and every day with its problems and where it
came from. Reads only; the service may run.

  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)
  --json              JSON instead of text

Examples:
  tapeloom tape ls
  tapeloom tape ls ESZ6
  tapeloom tape ls --data /var/lib/tapeloom --json`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { texts: ['data'], flags: ['json'], words: null });
  const [symbol, more] = words;
  if (more !== undefined) throw new UsageError(`unexpected argument: ${more}`);
  const data = values.data ?? io.env.TAPELOOM_DATA ?? './data';
  requireKnownFormat(data);
  const disk = new NodeDisk();
  const calendarOf = await appliedCalendars(disk, data);
  const all = await listTape(disk, `${data}/tape`, calendarOf);
  if (symbol !== undefined) {
    const contract = all.find(({ listing }) => listing.symbol === symbol);
    if (contract === undefined) throw new UsageError(`there is no day of ${symbol} on the tape`);
    const { listing, days } = contract;
    io.stdout(
      values.json
        ? `${JSON.stringify({ ...listing, listedDays: days })}\n`
        : contractText(contract),
    );
    return 0;
  }
  const listings = all.map(({ listing }) => listing);
  if (values.json) io.stdout(`${JSON.stringify(listings)}\n`);
  else if (listings.length === 0) io.stdout(`There is no tape in ${data}.\n`);
  else io.stdout(contractsTable(listings));
  return 0;
}
