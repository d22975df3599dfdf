/**
 * Walks every file of a tape and reports faults with their place. Read-only; may run beside a writing service. Logs are
 * walked before sealed days, so a day that is sealed meanwhile is found among the sealed. An incomplete end of the open
 * log is a note, because it may just be being written.
 */

import { parseSessionBook } from '@tapeloom/core/calendar/session-book-text';
import type { UtcDay } from '@tapeloom/core/numbers';
import { type Disk, readFileWhole, UNFINISHED_SUFFIX } from '../../platform/disk/disk.ts';
import { isImported } from '../imported/imported-manifest.ts';
import { isReadLive } from '../live-dataset.ts';
import { readSidecar } from '../read/sealed-days.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  importedSessionsDirectory,
  isBesideLogs,
  isFileOfImport,
  isSafeName,
  logDirectory,
  logPath,
  sealedPath,
  sessionsDirectory,
  sidecarPath,
} from '../tape-paths.ts';
import { readLog } from '../write/log/log-recovery.ts';
import { LogCheck } from './log-check.ts';
import { finding, note, type VerifyEvent } from './verify-event.ts';
import { verifyImported } from './verify-imported.ts';
import { verifyManifest } from './verify-manifest.ts';
import { describe, verifySealed } from './verify-sealed.ts';

export async function* verifyTape(disk: Disk, tapeRoot: string): AsyncGenerator<VerifyEvent> {
  for (const dataset of await disk.list(tapeRoot)) {
    if (!isSafeName(dataset)) {
      yield finding(`${tapeRoot}/${dataset}`, 'is no part of a tape');
      continue;
    }
    const isLive = await isReadLive(disk, tapeRoot, dataset);
    if (isLive) yield* verifyLive(disk, tapeRoot, dataset);
    if (await isImported(disk, tapeRoot, dataset)) {
      yield* verifyImported(disk, tapeRoot, dataset, isLive);
    }
    if (!isLive) yield* verifySessions(disk, sessionsDirectory(tapeRoot, dataset));
  }
}

async function* verifyLive(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): AsyncGenerator<VerifyEvent> {
  const logged = new Set<UtcDay>();
  yield* verifyLogs(disk, tapeRoot, dataset, logged);
  for (const symbol of await disk.list(daysDirectory(tapeRoot, dataset))) {
    if (isSafeName(symbol)) yield* verifyContract(disk, tapeRoot, dataset, symbol, logged);
    else yield finding(`${daysDirectory(tapeRoot, dataset)}/${symbol}`, 'is no part of a tape');
  }
  yield* verifySessions(disk, sessionsDirectory(tapeRoot, dataset));
  yield* verifySessions(disk, importedSessionsDirectory(tapeRoot, dataset));
  yield* verifyManifest(disk, tapeRoot, dataset);
}

async function* verifyLogs(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  logged: Set<UtcDay>,
): AsyncGenerator<VerifyEvent> {
  const directory = logDirectory(tapeRoot, dataset);
  const names = await disk.list(directory);
  yield* strangers(
    directory,
    names.filter((name) => !isBesideLogs(name)),
    ['log'],
  );
  const days = names.flatMap((name) => dayOfFile(name, 'log') ?? []);
  for (const [index, day] of days.entries()) {
    logged.add(day);
    yield* verifyLog(
      disk,
      logPath(tapeRoot, dataset, day),
      { dataset, day },
      index === days.length - 1,
    );
  }
}

async function* verifyLog(
  disk: Disk,
  file: string,
  expected: { readonly dataset: string; readonly day: UtcDay },
  isNewest: boolean,
): AsyncGenerator<VerifyEvent> {
  const before = await disk.stat(file);
  if (before === null) return;
  let check = new LogCheck();
  try {
    const recovery = await readLog(disk, file, check).catch(async (error: unknown) => {
      // A log that grew during the read may have been read in the middle of a write.
      if ((await disk.stat(file))?.size === before.size) throw error;
      check = new LogCheck();
      return readLog(disk, file, check);
    });
    const { dataset, day } = check.opened!;
    if (dataset !== expected.dataset || day !== expected.day) {
      yield finding(file, `is the log of ${dataset} ${day}`);
    }
    if (recovery.tornBytes > 0) {
      const what = `ends with ${recovery.tornBytes} bytes of a record that is not whole`;
      yield isNewest
        ? note(file, `${what}: being written, or to be cut at the next start`)
        : finding(file, what);
    }
    if (!recovery.ended && !isNewest) yield finding(file, 'has no end, though a later log exists');
  } catch (error) {
    if ((await disk.stat(file)) === null) return;
    yield finding(file, describe(error));
  }
  for (const what of check.findings) yield finding(file, what);
  const trades = check.contracts.reduce((sum, contract) => sum + contract.rank, 0);
  yield { type: 'file', file, bytes: before.size, trades };
}

async function* verifyContract(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  symbol: string,
  logged: ReadonlySet<UtcDay>,
): AsyncGenerator<VerifyEvent> {
  const directory = contractDirectory(tapeRoot, dataset, symbol);
  const names = (await disk.list(directory)).filter((name) => !isFileOfImport(name));
  yield* strangers(directory, names, ['json', 'arrow']);
  for (const name of names) {
    const day = dayOfFile(name, 'arrow');
    if (day === null || names.includes(`${day}.json`)) continue;
    const file = `${directory}/${name}`;
    const isBeingSealed =
      logged.has(day) || (await disk.stat(sidecarPath(tapeRoot, dataset, symbol, day))) !== null;
    yield isBeingSealed ? note(file, 'is being sealed') : finding(file, 'has no sidecar');
  }
  for (const day of names.flatMap((name) => dayOfFile(name, 'json') ?? [])) {
    const file = sidecarPath(tapeRoot, dataset, symbol, day);
    try {
      const sidecar = (await readSidecar(disk, file))!;
      if (sidecar.dataset !== dataset || sidecar.symbol !== symbol || sidecar.day !== day) {
        yield finding(file, `is of ${sidecar.dataset} ${sidecar.symbol} ${sidecar.day}`);
      }
      yield* verifySealed(disk, sealedPath(tapeRoot, dataset, symbol, day), sidecar);
    } catch (error) {
      yield finding(file, describe(error));
    }
  }
}

async function* verifySessions(disk: Disk, directory: string): AsyncGenerator<VerifyEvent> {
  for (const name of await disk.list(directory)) {
    const file = `${directory}/${name}`;
    if (name.endsWith(UNFINISHED_SUFFIX)) {
      yield note(file, 'is unfinished');
      continue;
    }
    const bytes = await readFileWhole(disk, file);
    if (bytes === null) continue;
    try {
      const { calendar } = parseSessionBook(new TextDecoder().decode(bytes));
      if (`${calendar}.json` !== name) yield finding(file, `is the session book of ${calendar}`);
    } catch (error) {
      yield finding(file, describe(error));
    }
    yield { type: 'file', file, bytes: bytes.length, trades: 0 };
  }
}

function* strangers(
  directory: string,
  names: readonly string[],
  kinds: readonly ('log' | 'json' | 'arrow')[],
): Generator<VerifyEvent> {
  for (const name of names) {
    if (kinds.some((kind) => dayOfFile(name, kind) !== null)) continue;
    const file = `${directory}/${name}`;
    if (name.endsWith(UNFINISHED_SUFFIX)) yield note(file, 'is unfinished');
    else yield finding(file, 'is no part of a tape');
  }
}
