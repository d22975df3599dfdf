/**
 * Recovers a node's unsealed days of a shared tape after any crash. Its own logs were never synced: they are valid as
 * far as their records form a chain; a beginning available as columns is not read from them. Without own logs, other
 * nodes' columns or parts of records are used. The rest is in the stream, behind the number found here.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Disk } from '../../../platform/disk/disk.ts';
import { LiveDay } from '../../live-day.ts';
import type { TapeManifest } from '../../tape-manifest.ts';
import { dayOfFile, logDirectory, logPath, sealedPath, sidecarPath } from '../../tape-paths.ts';
import type { Commit } from '../../write/log/log-payload.ts';
import { type KnownLog, type LogRecovery, recoverUnsynced } from '../../write/log/log-recovery.ts';
import type { Sequencer } from '../../write/sequencer/sequencer.ts';
import { beginWithColumns } from '../parts/begin-with-columns.ts';
import type { ColumnPartHeader } from '../parts/day-checkpoint.ts';
import { daysOfParts, fetchParts, type PartsPlace } from '../parts/day-parts.ts';
import { joinByColumns } from '../parts/join-by-columns.ts';
import { markPath, readMark, writeMark } from './log-mark.ts';
import type { JoinFacts, RecoveredCopy, RecoveredDay } from './recovered-copy.ts';

/** Own logs, if the stream continues them; otherwise columns of other nodes, or records; otherwise nothing. */
export async function recoverOrJoin(
  place: PartsPlace,
  manifest: TapeManifest,
  sequencer: Sequencer,
  facts: JoinFacts,
): Promise<RecoveredCopy> {
  // For own logs unreachable objects do not matter; joining without own logs needs them.
  const shared = { ...place, objects: facts.objects };
  const ways = [
    () => recoverCopy(place, manifest, sequencer, facts),
    () => joinByColumns(shared, sequencer, facts),
    async () =>
      (await joinByParts(shared, facts)) ? recoverCopy(place, manifest, sequencer, facts) : null,
  ];
  for (const way of ways) {
    const copy = await way();
    if (copy !== null && isFollowed(copy, facts)) return copy;
    for (const { hollow } of copy?.days ?? []) await hollow?.file[Symbol.asyncDispose]();
    await removeLogs(place);
  }
  return { days: [], mark: null, from: null };
}

/** Whether the stream still has the following messages. */
function isFollowed({ days, from }: RecoveredCopy, { first }: JoinFacts): boolean {
  return days.length > 0 && (from === null || from >= first - 1);
}

/** Recovers the existing logs. Useless logs are removed, and so are all logs after a day that must be fetched again. */
async function recoverCopy(
  place: PartsPlace,
  manifest: TapeManifest,
  sequencer: Sequencer,
  { isListed, onFault }: JoinFacts,
): Promise<RecoveredCopy> {
  const { disk, tapeRoot, dataset } = place;
  const days: RecoveredDay[] = [];
  const there = new Set(await logDays(place));
  let isGap = false;
  for (const day of [...there.union(manifest.logs)].sort((a, b) => a - b)) {
    const isUseless: boolean = isGap || !there.has(day) || isSealed(manifest, day);
    const found: RecoveredDay | null = isUseless
      ? null
      : await recoverDay(place, sequencer, day, onFault);
    if (found !== null) days.push(found);
    else if (there.has(day)) await removeLog(place, day);
    const isHad: boolean = found?.isEnded ?? (isListed(day) || isSealed(manifest, day));
    isGap ||= !isHad;
  }
  const newest = days.at(-1);
  if (newest === undefined) return { days, mark: null, from: null };
  const mark = await readMark(disk, tapeRoot, dataset, newest.live.day);
  if (mark === null) return { days, mark, from: null };
  const isTorn = newest.end.records < mark.records;
  return { days, mark, from: isTorn ? mark.opening - 1 : mark.sequence };
}

/** Builds logs from the parts of unsealed days; resolves to whether there are any. */
async function joinByParts(
  place: PartsPlace,
  { isListed, openingOf, onFault }: JoinFacts,
): Promise<boolean> {
  const { disk, tapeRoot, dataset, objects } = place;
  let isFound = false;
  for (const day of await daysOfParts(objects)) {
    if (isListed(day)) continue;
    const last = await fetchParts(place, day, onFault);
    if (last === null) continue;
    const { sequence, records } = last;
    await writeMark(disk, tapeRoot, dataset, { day, opening: openingOf(day), sequence, records });
    isFound = true;
  }
  return isFound;
}

/**
 * After a crash during sealing, a day may have only some contracts, and no log. It would count as sealed, and the other
 * contracts would never come. So they are removed, unless the cluster has listed the day.
 */
export async function giveUpHalfSealed(
  { disk, tapeRoot, dataset }: Pick<PartsPlace, 'disk' | 'tapeRoot' | 'dataset'>,
  manifest: TapeManifest,
  isListed: (day: UtcDay) => boolean,
): Promise<void> {
  for (const day of [...manifest.logs]) {
    if (isListed(day)) continue;
    for (const symbol of await manifest.givenUp(day)) {
      await removeIfThere(disk, sidecarPath(tapeRoot, dataset, symbol, day));
      await removeIfThere(disk, sealedPath(tapeRoot, dataset, symbol, day));
    }
  }
}

/** Removes every log: their days must be obtained in another way. */
export async function removeLogs(place: PartsPlace): Promise<void> {
  for (const day of await logDays(place)) await removeLog(place, day);
}

/** Whether a day is sealed here, at least for one contract. */
export function isSealed(manifest: TapeManifest, day: UtcDay): boolean {
  for (const days of manifest.days.values()) if (days.has(day)) return true;
  return false;
}

async function recoverDay(
  place: PartsPlace,
  sequencer: Sequencer,
  day: UtcDay,
  onFault: JoinFacts['onFault'],
): Promise<RecoveredDay | null> {
  const { disk, tapeRoot, dataset } = place;
  const begun = await beginWithColumns(place, day, onFault);
  let live: LiveDay | null = begun?.live ?? null;
  if (begun !== null) sequencer.adopt(begun.last.sequencer);
  const recovery: LogRecovery | null = await recoverUnsynced(
    disk,
    logPath(tapeRoot, dataset, day),
    {
      opening: (opening) => {
        sequencer.restore(opening);
        live = new LiveDay(opening);
      },
      commit: (commit: Commit) => {
        const follows = sequencer.replay(commit);
        if (follows) live?.apply(commit);
        return follows;
      },
    },
    begun === null ? undefined : knownOf(begun.last),
  );
  if (recovery === null || live === null || (live as LiveDay).day !== day) return null;
  const { end, promiseNs, ended } = recovery;
  return { live, end, promiseNs, isEnded: ended, hollow: null };
}

function knownOf({ end, isEnded, sequencer }: ColumnPartHeader): KnownLog {
  return { end, promiseNs: sequencer.promiseNs, ended: isEnded };
}

async function logDays({ disk, tapeRoot, dataset }: PartsPlace): Promise<readonly UtcDay[]> {
  const names = await disk.list(logDirectory(tapeRoot, dataset));
  return names.flatMap((name) => dayOfFile(name, 'log') ?? []);
}

async function removeLog({ disk, tapeRoot, dataset }: PartsPlace, day: UtcDay): Promise<void> {
  await disk.remove(logPath(tapeRoot, dataset, day));
  await removeIfThere(disk, markPath(tapeRoot, dataset, day));
}

async function removeIfThere(disk: Disk, path: string): Promise<void> {
  if ((await disk.stat(path)) !== null) await disk.remove(path);
}
