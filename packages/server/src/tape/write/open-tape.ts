/**
 * Opens the tape of one dataset for writing. Whatever state a crash left, the result is the state after the last
 * durable commit: unfinished files are removed, a torn log is cut back, ended days are sealed, memory and sequencer are
 * rebuilt. Damage fails with `TapeDamagedError`, a missing log with `LogMissingError`; then nothing is changed except
 * unfinished files. Missing sealed days are reported: the tape opens without them.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { type Disk, UNFINISHED_SUFFIX } from '../../platform/disk/disk.ts';
import { LiveDay } from '../live-day.ts';
import { TapeReader } from '../read/tape-reader.ts';
import { deleteRemoved } from '../remove/remove-live.ts';
import { LogMissingError, TapeDamagedError } from '../tape-errors.ts';
import { TapeManifest } from '../tape-manifest.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isFileOfImport,
  isSafeName,
  logDirectory,
  logPath,
  manifestPath,
  sessionsDirectory,
  sharedDirectory,
} from '../tape-paths.ts';
import { LiveDays } from './live-days.ts';
import { DayLog } from './log/day-log.ts';
import { FileLog } from './log/file-log.ts';
import type { Commit } from './log/log-payload.ts';
import { type LogRecovery, recoverLog } from './log/log-recovery.ts';
import { setSealedLogsAside } from './log/sealed-logs.ts';
import type { ListedSymbols } from './sequencer/listed-on.ts';
import { Sequencer } from './sequencer/sequencer.ts';
import { createCounters, type SequencerCounters } from './sequencer/sequencer-counters.ts';
import { TapePublisher } from './tape-publisher.ts';
import { TapeWriter } from './tape-writer.ts';

export interface OpenTapeOptions {
  readonly disk: Disk;
  /** `<data>/tape`. */
  readonly tapeRoot: string;
  readonly dataset: string;
  /** The contracts of the dataset that may trade on a day; each gets a sealed file, trades or not. */
  readonly listed: ListedSymbols;
  readonly now: () => EpochNs;
  readonly onFailure: (error: Error) => void;
}

export interface OpenTape extends AsyncDisposable {
  /** The tape's manifest. Code that seals days without the intake names them here. */
  readonly manifest: TapeManifest;
  readonly intake: TapeWriter;
  /** Reads in this thread. */
  readonly tape: TapeReader;
  /** Lets other threads follow the tape. */
  readonly publisher: TapePublisher;
  readonly counters: SequencerCounters;
  readonly report: RecoveryReport;
}

/** The findings of the start, for the service's log. */
export interface RecoveryReport {
  /** The newest durable watermark; null on an empty tape. A tape must not lie ahead of its clock. */
  readonly promise: EpochNs | null;
  readonly logs: readonly {
    readonly day: UtcDay;
    readonly trades: number;
    readonly bytes: number;
    /** Bytes of a torn record that were cut off; none of it was acknowledged. */
    readonly tornBytes: number;
    /** Whether the day has ended. Ended days are sealed now; the last log may still be open. */
    readonly ended: boolean;
  }[];
  readonly unfinishedRemoved: number;
  /** Files of sealed days that the manifest names and that are missing. */
  readonly missing: readonly string[];
  /** New paths of the logs without an end whose days are sealed. */
  readonly setAside: readonly string[];
}

interface RecoveredLog {
  readonly path: string;
  readonly live: LiveDay;
  readonly recovery: LogRecovery;
}

export async function openTape(options: OpenTapeOptions): Promise<OpenTape> {
  const { disk, tapeRoot, dataset, listed, now, onFailure } = options;
  const counters = createCounters();
  const sequencer = new Sequencer(dataset, listed, counters);
  const publisher = new TapePublisher();
  for (const path of [
    tapeRoot,
    `${tapeRoot}/${dataset}`,
    logDirectory(tapeRoot, dataset),
    daysDirectory(tapeRoot, dataset),
    sessionsDirectory(tapeRoot, dataset),
  ]) {
    await disk.makeDirectory(path);
  }
  const unfinishedRemoved = await removeUnfinished(disk, tapeRoot, dataset);
  const manifest = await TapeManifest.open(disk, tapeRoot, dataset);
  await deleteRemoved(disk, tapeRoot, dataset, manifest);
  for (const path of manifest.missingLogs) {
    throw new LogMissingError(path, manifestPath(tapeRoot, dataset));
  }
  const setAside = await setSealedLogsAside({ disk, tapeRoot, dataset }, manifest);
  const logs = await recoverLogs(disk, tapeRoot, dataset, sequencer);
  // Before the first write to a log that the manifest does not name yet.
  await manifest.save();
  sequencer.resume();
  for (const { live, recovery } of logs) {
    publisher.opened(live, epochNs(live.day, recovery.promiseNs));
  }
  const newest = logs.at(-1);
  const newestLog =
    newest === undefined ? null : await DayLog.resume(disk, newest.path, newest.recovery.end);
  const log = new FileLog(disk, tapeRoot, dataset, newestLog);
  const retireLog = (day: UtcDay) => log.remove(day);
  const days = new LiveDays(
    { disk, tapeRoot, dataset, manifest, counters, publisher, retireLog },
    logs.map(({ live }) => live),
  );
  const stop = (error: Error) => {
    days.stop();
    onFailure(error);
  };
  const parts = { log, days, sequencer, counters, publisher };
  const intake = new TapeWriter({ ...parts, now, onFailure: stop });
  const tape = new TapeReader(disk, tapeRoot, dataset, publisher);
  const report = {
    promise: publisher.promise,
    logs: logs.map(describe),
    unfinishedRemoved,
    missing: manifest.missingFiles,
    setAside,
  };
  return {
    manifest,
    intake,
    tape,
    publisher,
    counters,
    report,
    [Symbol.asyncDispose]: async () => {
      days.stop();
      await intake[Symbol.asyncDispose]();
      await days.sealed();
      publisher[Symbol.dispose]();
    },
  };
}

/** Removes files that a crash left half written; nothing refers to them. An import, which may run, removes its own. */
export async function removeUnfinished(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): Promise<number> {
  const symbols = await disk.list(daysDirectory(tapeRoot, dataset));
  const directories = [
    `${tapeRoot}/${dataset}`,
    logDirectory(tapeRoot, dataset),
    sessionsDirectory(tapeRoot, dataset),
    sharedDirectory(tapeRoot, dataset),
    ...symbols.filter(isSafeName).map((symbol) => contractDirectory(tapeRoot, dataset, symbol)),
  ];
  let removed = 0;
  for (const directory of directories) {
    for (const name of await disk.list(directory)) {
      if (!name.endsWith(UNFINISHED_SUFFIX) || isFileOfImport(name)) continue;
      await disk.remove(`${directory}/${name}`);
      removed += 1;
    }
  }
  return removed;
}

/** Recovers all logs in the order of their days. The sequencer ends up at the end of the last one. */
async function recoverLogs(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  sequencer: Sequencer,
): Promise<readonly RecoveredLog[]> {
  const directory = logDirectory(tapeRoot, dataset);
  // A log found here may be from a process that crashed before the directory entry was on disk.
  await disk.syncDirectory(directory);
  const names = await disk.list(directory);
  const days = names.flatMap((name) => dayOfFile(name, 'log') ?? []);
  const logs: RecoveredLog[] = [];
  for (const [index, day] of days.entries()) {
    const path = logPath(tapeRoot, dataset, day);
    const log = await recoverOne(disk, path, sequencer);
    if (log.live.day !== day) {
      throw new TapeDamagedError('the log is of another day', { file: path, offset: 0, record: 0 });
    }
    if (index < days.length - 1 && !log.recovery.ended) {
      const { bytes, records } = log.recovery.end;
      const place = { file: path, offset: bytes, record: records };
      throw new TapeDamagedError(
        'the log has no end, although a later one exists; restore a complete copy of it, or a backup',
        place,
      );
    }
    logs.push(log);
  }
  return logs;
}

async function recoverOne(disk: Disk, path: string, sequencer: Sequencer): Promise<RecoveredLog> {
  let live: LiveDay | null = null;
  const recovery = await recoverLog(disk, path, {
    opening: (opening) => {
      sequencer.restore(opening);
      live = new LiveDay(opening);
    },
    commit: (commit: Commit) => {
      const follows = sequencer.replay(commit);
      if (follows) live?.apply(commit);
      return follows;
    },
  });
  return { path, live: live!, recovery };
}

function describe({ live, recovery }: RecoveredLog): RecoveryReport['logs'][number] {
  const { end, ended, tornBytes } = recovery;
  return { day: live.day, trades: live.trades, bytes: end.bytes, tornBytes, ended };
}
