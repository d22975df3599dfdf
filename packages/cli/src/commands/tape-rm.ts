/** `tapeloom tape rm`: removes past days from the tape, with their cached results. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { KEEP_DAYS_MIN } from '@tapeloom/server/config/config';
import { DirectoryLockedError, lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { clearResultsBefore } from '@tapeloom/server/results/cache-entries';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import type { CalendarOf } from '@tapeloom/server/tape/inspect/list-tape';
import { isReadLive } from '@tapeloom/server/tape/live-dataset';
import {
  allDays,
  type ContractRemoval,
  planRemoval,
  type RemovalRequest,
  sessionsByBooks,
} from '@tapeloom/server/tape/remove/plan-removal';
import { removeImported } from '@tapeloom/server/tape/remove/remove-imported';
import { removeLive } from '@tapeloom/server/tape/remove/remove-live';
import { readManifest, TapeManifest } from '@tapeloom/server/tape/tape-manifest';
import { isSafeName } from '@tapeloom/server/tape/tape-paths';
import { COMMON_USAGE, dataDirectory, writeJson } from '../accounts/account-options.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { dateText, readDay } from '../day-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { tableText } from '../table-text.ts';
import { appliedCalendars } from '../tape/applied-calendars.ts';
import { whyShared } from '../tape/why-shared.ts';

export const tapeRmCommand: CommandBody = {
  usage: `Usage: tapeloom tape rm --before <day> [--dataset <name>] [--contract <symbol>] [--dry-run | --yes] [options]

Removes all days before a given day from the tape, with their cached results. This cannot be undone:
requests for them are then refused as missing. A session is never cut: if one was open at that midnight, days
stay back to the last midnight without one. Days of imported datasets can be removed while a service runs; those
of a live one only while no service runs, and never the last ${KEEP_DAYS_MIN}. With TAPELOOM_KEEP_DAYS the service removes
days itself, which is the only way on a node of a cluster.

  --before <day>       the first day that stays, like 2026-01-01
  --dataset <name>     only of this dataset
  --contract <symbol>  only of this contract
  --dry-run            only show what would be removed
  --yes                do not ask
${COMMON_USAGE}

Examples:
  tapeloom tape rm --before 2026-01-01 --dry-run
  tapeloom tape rm --before 2026-01-01 --dataset GLBX --contract ESH5 --yes`,
  run,
};

interface Place {
  readonly disk: Disk;
  readonly data: string;
  readonly dataset: string;
  readonly calendarOf: CalendarOf;
}

interface DatasetRemoval {
  readonly place: Place;
  readonly isLive: boolean;
  readonly removals: readonly ContractRemoval[];
}

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, {
    texts: ['before', 'dataset', 'contract', 'data'],
    flags: ['dry-run', 'yes', 'json'],
    words: [],
  });
  const request = { before: readDay('--before', values.before), symbol: values.contract ?? null };
  const data = dataDirectory(values.data, io);
  const disk = new NodeDisk();
  const calendarOf = await appliedCalendars(disk, data);
  const plans: DatasetRemoval[] = [];
  for (const dataset of await datasetsIn(disk, data, values.dataset)) {
    plans.push(await planDataset({ disk, data, dataset, calendarOf }, request));
  }
  const wanted = plans.filter(({ removals }) => removals.length > 0);
  refuseRecent(wanted, request.before);
  const shared = values['dry-run'] ? null : await firstShared(wanted);
  if (shared !== null) {
    io.stderr(`${shared}\n`);
    return ExitCode.failure;
  }
  if (!values['dry-run'] && wanted.length > 0) {
    if (!(await confirm(io, removalQuestion(wanted), values.yes))) {
      io.stderr('Nothing was removed.\n');
      return ExitCode.failure;
    }
  }
  try {
    if (!values['dry-run']) for (const plan of wanted) await removeDataset(plan, request);
  } catch (error) {
    if (!(error instanceof DirectoryLockedError)) throw error;
    const isService = error.directory === data;
    io.stderr(
      `${error.message}. ${isService ? 'The service removes days itself with TAPELOOM_KEEP_DAYS' : 'Wait until the import has finished'}.\n`,
    );
    return ExitCode.failure;
  }
  tellRemoved(io, wanted, values['dry-run'], values.json);
  return ExitCode.ok;
}

function removalQuestion(plans: readonly DatasetRemoval[]): string {
  const removals = plans.flatMap(({ removals: of }) => of);
  const days = removals.reduce((sum, one) => sum + one.days.length, 0);
  const datasets = plans.map(({ place }) => place.dataset).join(', ');
  return `Remove ${days.toLocaleString('en')} days of ${removals.length} contracts of ${datasets} for good?`;
}

/** Why this directory may not remove a live dataset's days; null: it may. */
async function firstShared(plans: readonly DatasetRemoval[]): Promise<string | null> {
  for (const { place, isLive } of plans) {
    const { disk, data, dataset } = place;
    const instead = 'the node that appends removes them everywhere with TAPELOOM_KEEP_DAYS';
    const why = isLive ? await whyShared(disk, `${data}/tape`, dataset, instead) : null;
    if (why !== null) return why;
  }
  return null;
}

async function datasetsIn(
  disk: Disk,
  data: string,
  wanted: string | undefined,
): Promise<readonly string[]> {
  const all = (await disk.list(`${data}/tape`)).filter(isSafeName);
  if (wanted === undefined) return all;
  if (all.includes(wanted)) return [wanted];
  throw new UsageError(`there is no dataset ${wanted} on the tape; there are ${all.join(', ')}`);
}

async function planDataset(place: Place, request: RemovalRequest): Promise<DatasetRemoval> {
  const { disk, data, dataset, calendarOf } = place;
  const tapeRoot = `${data}/tape`;
  const isLive = await isReadLive(disk, tapeRoot, dataset);
  const live = (await readManifest(disk, tapeRoot, dataset))?.days ?? new Map();
  const imported = (await readImported(disk, tapeRoot, dataset))?.days ?? new Map();
  const sessionsOf = await sessionsByBooks(disk, tapeRoot, dataset, (symbol) =>
    calendarOf(dataset, symbol),
  );
  const removals = planRemoval(allDays(live, imported), request, sessionsOf);
  return { place, isLive, removals };
}

/** Streams of a live market need its last days. */
function refuseRecent(plans: readonly DatasetRemoval[], before: UtcDay): void {
  const today = dayOf(createClock({ kind: 'system' }).now());
  const latest = addDays(today, -KEEP_DAYS_MIN);
  const live = plans.find(({ isLive }) => isLive);
  if (live === undefined || before <= latest) return;
  throw new UsageError(
    `${live.place.dataset} is live: --before must be ${dateText(latest)} or earlier; ` +
      '--dataset chooses another',
  );
}

/** Plans again under the lock, when no other process can change the dataset. */
async function removeDataset(
  { place, isLive }: DatasetRemoval,
  request: RemovalRequest,
): Promise<void> {
  const { disk, data, dataset } = place;
  const tapeRoot = `${data}/tape`;
  using _service = isLive ? lockDirectory(data) : null;
  using _import = lockDirectory(`${tapeRoot}/${dataset}`);
  const { removals } = await planDataset(place, request);
  // The live days first: without its import, such a day would be read as it was received.
  if (isLive) {
    const manifest = await TapeManifest.open(disk, tapeRoot, dataset);
    await removeLive(disk, tapeRoot, dataset, manifest, removals);
  }
  const imported = await readImported(disk, tapeRoot, dataset);
  if (imported !== null) await removeImported(disk, tapeRoot, imported, removals);
  for (const { symbol, keptFrom } of removals) {
    await clearResultsBefore(disk, `${data}/cache`, { dataset, contract: symbol }, keptFrom);
  }
}

function tellRemoved(
  io: CommandIo,
  plans: readonly DatasetRemoval[],
  isDryRun: boolean,
  isJson: boolean,
): void {
  const rows = plans.flatMap(({ place: { dataset }, removals }) =>
    removals.map((removal) => ({ dataset, ...removal })),
  );
  if (isJson) {
    writeJson(io, { isDryRun, removed: rows });
    return;
  }
  if (rows.length === 0) {
    io.stdout('Nothing to remove.\n');
    return;
  }
  const columns = [
    { title: 'dataset' },
    { title: 'contract' },
    { title: isDryRun ? 'to remove' : 'removed', isNumber: true },
    { title: 'first' },
    { title: 'last' },
    { title: 'kept from' },
  ];
  io.stdout(
    tableText(
      columns,
      rows.map(({ dataset, symbol, days, keptFrom }) => [
        dataset,
        symbol,
        days.length.toLocaleString('en'),
        dateText(days[0]!),
        dateText(days.at(-1)!),
        dateText(keptFrom),
      ]),
    ),
  );
}
