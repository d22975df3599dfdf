/** `tapeloom cluster repair`: restores lost records of the stream from the nodes' directories. */

import { ClusterRepair } from '@tapeloom/server/operations/cluster/repair-cluster';
import { NothingLostError, type RepairPlan } from '@tapeloom/server/tape/shared/log/repair-stream';
import { dataDirectory, writeJson } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import { isWanted } from '../cluster/is-wanted.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { dateText } from '../day-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';

export const clusterRepairCommand: CommandBody = {
  usage: `Usage: tapeloom cluster repair [<directory>…] [--yes] [--json]

If the stream has lost records that it acknowledged, no node appends; nodes serve what they have and report
"down". Of the given data directories, this takes the one whose records reach furthest beyond the end of
the stream, and appends them byte for byte, so that followers see no difference. Name the
directories of all nodes, copied from their machines if necessary; their services may run. It shows what it
found and asks before it writes. If no node has proved a loss it does nothing. If the NATS servers of
the stream differ it refuses and names those to refill; nodes resume by themselves after that.

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
    if (!values.yes && !(await isWanted(io, 'Append them, so that the cluster resumes?'))) {
      io.stderr('Nothing was changed.\n');
      return ExitCode.failure;
    }
    await repair.carryOut();
    const records = repair.plan.records.length;
    if (values.json) writeJson(io, { isRepaired: true, records });
    else
      io.stdout(`The stream has its ${records} records again. Its nodes resume by themselves.\n`);
    return ExitCode.ok;
  } catch (error) {
    if (!(error instanceof NothingLostError)) throw error;
    if (values.json) writeJson(io, { isRepaired: false, records: 0 });
    else io.stdout(`Nothing to repair: ${error.message}.\n`);
    return ExitCode.ok;
  }
}

function planText({ last, known, tapeRoot, records, days }: RepairPlan): string {
  const lost = `The stream ends with message ${last}, but it had ${known}.\n`;
  if (tapeRoot === null) {
    return `${lost}None of these directories has records beyond its end. If they are those of all nodes, no trade is lost, and nodes may append again.\n`;
  }
  const of = days.map(dateText).join(', ');
  return `${lost}${tapeRoot} has ${records.length} records beyond its end, of ${of}. They would be appended.\n`;
}
