/** `tapeloom cluster repair`: restores lost records of the stream from the nodes' directories. */

import type { ClusterConfig } from '@tapeloom/server/config/cluster-settings';
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
  usage: `Usage: tapeloom cluster repair [<directory>…] [--dataset <name>] [--yes] [--json]

If the stream has lost records that it acknowledged, no node appends; nodes serve what they have and report
"down". Of the given data directories, this takes the one whose records reach furthest beyond the end of
the stream, and appends them byte for byte, so that followers see no difference. Name the
directories of all nodes, copied from their machines if necessary; their services may run. It shows what it
found and asks before it writes. If no node has proved a loss it does nothing. If the NATS servers of
the stream differ it refuses and names those to refill; nodes resume by themselves after that.

  <directory>       data directories of nodes (default: TAPELOOM_DATA or ./data)
  --dataset <name>  only this live dataset (default: all in turn)
  --yes             do not ask
  --json            JSON instead of text

Examples:
  tapeloom cluster repair /srv/tapeloom /mnt/serve-2/tapeloom`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const taken = { texts: ['dataset'], flags: ['yes', 'json'], words: null } as const;
  const { values, words } = readArgs(args, taken);
  const named = words.length === 0 ? [undefined] : words;
  const directories = named.map((directory) => dataDirectory(directory, io));
  const place = await clusterPlace(io, values.dataset);
  await using planned = new AsyncDisposableStack();
  const repairs: { readonly dataset: string; readonly repair: ClusterRepair }[] = [];
  for (const dataset of place.datasets) {
    const repair = await planOf(place.cluster, dataset, directories);
    if (typeof repair === 'string') {
      if (!values.json) io.stdout(`Nothing to repair in ${dataset}: ${repair}.\n`);
    } else repairs.push({ dataset, repair: planned.use(repair) });
  }
  if (repairs.length === 0) {
    if (values.json) writeJson(io, { isRepaired: false, records: 0, datasets: [] });
    return ExitCode.ok;
  }
  for (const { dataset, repair } of repairs) io.stderr(planText(dataset, repair.plan));
  if (!values.yes && !(await isWanted(io, 'Append them, so that the cluster resumes?'))) {
    io.stderr('Nothing was changed.\n');
    return ExitCode.failure;
  }
  const datasets: { readonly dataset: string; readonly records: number }[] = [];
  for (const { dataset, repair } of repairs) {
    await repair.carryOut();
    const records = repair.plan.records.length;
    datasets.push({ dataset, records });
    if (values.json) continue;
    io.stdout(
      `The stream of ${dataset} has its ${records} records again. Its nodes resume by themselves.\n`,
    );
  }
  const records = datasets.reduce((sum, one) => sum + one.records, 0);
  if (values.json) writeJson(io, { isRepaired: true, records, datasets });
  return ExitCode.ok;
}

/** The plan, or why there is nothing to repair. */
async function planOf(
  cluster: ClusterConfig,
  dataset: string,
  directories: readonly string[],
): Promise<ClusterRepair | string> {
  try {
    return await ClusterRepair.planned(cluster, dataset, directories);
  } catch (error) {
    if (error instanceof NothingLostError) return error.message;
    throw error;
  }
}

function planText(dataset: string, { last, known, tapeRoot, records, days }: RepairPlan): string {
  const lost = `The stream of ${dataset} ends with message ${last}, but it had ${known}.\n`;
  if (tapeRoot === null) {
    return `${lost}None of these directories has records beyond its end. If they are those of all nodes, no trade is lost, and nodes may append again.\n`;
  }
  const of = days.map(dateText).join(', ');
  return `${lost}${tapeRoot} has ${records.length} records beyond its end, of ${of}. They would be appended.\n`;
}
