/** `tapeloom cluster repair`: puts back what the stream has lost, out of what nodes have. */

import { ClusterRepair } from '@tapeloom/server/operations/cluster/repair-cluster';
import { NothingLostError, type RepairPlan } from '@tapeloom/server/tape/shared/repair-stream';
import { dataDirectory, writeJson } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import { isWanted } from '../cluster/is-wanted.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { dateText } from '../day-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';

export const clusterRepairCommand: CommandBody = {
  usage: `Usage: tapeloom cluster repair [<directory>…] [--yes] [--json]

Where the stream has lost what it had acknowledged, nobody appends, nodes serve what they have, and say
"down". This takes, of the data directories it is given, the one whose records go on furthest from where
the stream ends, and appends them byte for byte, so that nobody who follows can tell. Give it the
directories of all nodes, copied from their machines if need be; their services may run. It says what it
found and asks before it writes. Where no node has proved a loss it does nothing. Where the NATS servers of
the stream differ it refuses and says which to fill anew; nodes resume by themselves after that.

  <directory>  data directories of nodes (default: TAPELOOM_DATA or ./data)
  --yes        do not ask
  --json       JSON instead of text

Examples:
  tapeloom cluster repair /srv/tapeloom /mnt/serve-2/tapeloom`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, { flags: ['yes', 'json'], words: null });
  const named = words.length === 0 ? [undefined] : words;
  const directories = named.map((directory) => dataDirectory(directory, io));
  const { cluster, dataset } = await clusterPlace(io);
  try {
    await using repair = await ClusterRepair.planned(cluster, dataset, directories);
    io.stderr(planText(repair.plan));
    if (!values.yes && !(await isWanted(io, 'Append them, after which everybody goes on?'))) {
      io.stderr('Nothing was changed.\n');
      return ExitCode.failure;
    }
    await repair.carryOut();
    const records = repair.plan.records.length;
    if (values.json) writeJson(io, { isRepaired: true, records });
    else io.stdout(`The stream has its ${records} records again. Its nodes go on by themselves.\n`);
    return ExitCode.ok;
  } catch (error) {
    if (!(error instanceof NothingLostError)) throw error;
    if (values.json) writeJson(io, { isRepaired: false, records: 0 });
    else io.stdout(`Nothing is to be repaired: ${error.message}.\n`);
    return ExitCode.ok;
  }
}

function planText({ last, known, tapeRoot, records, days }: RepairPlan): string {
  const lost = `The stream ends with message ${last}, and had ${known}.\n`;
  if (tapeRoot === null) {
    return `${lost}None of these directories has records beyond its end. If they are those of all nodes, no trade is lost, and nodes may append again.\n`;
  }
  const of = days.map(dateText).join(', ');
  return `${lost}${tapeRoot} has ${records.length} records beyond its end, of ${of}: they would be appended.\n`;
}
