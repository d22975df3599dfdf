/**
 * Walks every file of a tape and says what is wrong where. It only reads, and may run beside a service
 * that writes: logs are walked before sealed days, so a day that is sealed meanwhile is seen in its
 * new home, and an end of the open log that is just being written is a note, not a finding.
 */

import { createHash } from 'node:crypto';
import { parseSessionBook } from '@tapeloom/core/calendar/session-book-text';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { type Disk, readFileWhole, UNFINISHED_SUFFIX } from '../../platform/disk.ts';
import { BatchDecoder } from '../read/batch-decoder.ts';
import { readSidecar } from '../read/sealed-days.ts';
import { type Sidecar, TradesDigest } from '../sidecar.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import {
  contractDirectory,
  dayOfFile,
  daysDirectory,
  isSafeName,
  logDirectory,
  logPath,
  sealedPath,
  sessionsDirectory,
  sidecarPath,
} from '../tape-paths.ts';
import { readLog } from '../write/log-recovery.ts';
import { LogCheck } from './log-check.ts';
import { finding, note, type VerifyEvent } from './verify-event.ts';
import { verifyManifest } from './verify-manifest.ts';

/** Every dataset below `<data>/tape`, file by file. */
export async function* verifyTape(disk: Disk, tapeRoot: string): AsyncGenerator<VerifyEvent> {
  for (const dataset of await disk.list(tapeRoot)) {
    if (!isSafeName(dataset)) {
      yield finding(`${tapeRoot}/${dataset}`, 'is no part of a tape');
      continue;
    }
    const logged = new Set<UtcDay>();
    yield* verifyLogs(disk, tapeRoot, dataset, logged);
    for (const symbol of await disk.list(daysDirectory(tapeRoot, dataset))) {
      if (isSafeName(symbol)) yield* verifyContract(disk, tapeRoot, dataset, symbol, logged);
      else yield finding(`${daysDirectory(tapeRoot, dataset)}/${symbol}`, 'is no part of a tape');
    }
    yield* verifySessions(disk, tapeRoot, dataset);
    yield* verifyManifest(disk, tapeRoot, dataset);
  }
}

async function* verifyLogs(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  logged: Set<UtcDay>,
): AsyncGenerator<VerifyEvent> {
  const directory = logDirectory(tapeRoot, dataset);
  const names = await disk.list(directory);
  yield* strangers(directory, names, ['log']);
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
      // A log that grew while it was read may have been caught in the middle of a write.
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
  const names = await disk.list(directory);
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

async function* verifySealed(
  disk: Disk,
  file: string,
  sidecar: Sidecar,
): AsyncGenerator<VerifyEvent> {
  const bytes = await readFileWhole(disk, file);
  if (bytes === null) {
    yield finding(file, 'is missing');
    return;
  }
  if (bytes.length !== sidecar.bytes) {
    yield finding(file, `has ${bytes.length} bytes, ${sidecar.bytes} belong there`);
  } else if (createHash('sha256').update(bytes).digest('hex') !== sidecar.sha256) {
    yield finding(file, 'does not fit the SHA-256 in its sidecar');
  }
  try {
    for (const what of checkContent(bytes, file, sidecar)) yield finding(file, what);
  } catch (error) {
    yield finding(file, describe(error));
  }
  yield { type: 'file', file, bytes: bytes.length, trades: sidecar.rows };
}

/** Decodes every batch and holds it against the sidecar; throws when one cannot be decoded. */
function* checkContent(bytes: Uint8Array, file: string, sidecar: Sidecar): Generator<string> {
  const digest = new TradesDigest();
  let rows = 0;
  let lastNs = 0;
  for (const [record, index] of sidecar.batches.entries()) {
    const message = bytes.subarray(index.offset, index.offset + index.bytes);
    const decoder = new BatchDecoder(message, index, file, record);
    const trades = decoder.trades(sidecar.day);
    digest.update(trades);
    if (index.firstRank !== rows + 1) yield `batch ${record} starts at rank ${index.firstRank}`;
    yield* checkRows(trades, lastNs);
    decoder.late();
    rows += index.rows;
    lastNs = trades.ts[trades.count - 1]!;
    if (trades.ts[0] !== index.firstNs || lastNs !== index.lastNs) {
      yield `batch ${record} does not have the times its index says`;
    }
  }
  if (rows !== sidecar.rows) yield `has ${rows} trades, its sidecar says ${sidecar.rows}`;
  if (digest.finish(sidecar.symbol, sidecar.day) !== sidecar.digest) {
    yield 'its trades do not fit the digest in its sidecar';
  }
}

function* checkRows(
  { ts, size, side, count, firstRank }: TradeBatch,
  fromNs: number,
): Generator<string> {
  let lastNs = fromNs;
  for (let row = 0; row < count; row++) {
    if (!(ts[row]! >= lastNs && ts[row]! < DAY_NS))
      yield `rank ${firstRank + row}: time is out of order`;
    if (size[row]! < 1 || side[row]! < -1 || side[row]! > 1) {
      yield `rank ${firstRank + row}: size or side is out of range`;
    }
    lastNs = ts[row]!;
  }
}

async function* verifySessions(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
): AsyncGenerator<VerifyEvent> {
  const directory = sessionsDirectory(tapeRoot, dataset);
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

function describe(error: unknown): string {
  if (error instanceof TapeDamagedError || error instanceof Error) return error.message;
  return String(error);
}
