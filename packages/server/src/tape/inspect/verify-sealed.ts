/** Checks one sealed day against its sidecar, byte by byte and trade by trade. */

import { createHash } from 'node:crypto';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { type Disk, readFileWhole } from '../../platform/disk/disk.ts';
import { BatchDecoder } from '../read/batch-decoder.ts';
import { type Sidecar, TradesDigest } from '../sidecar.ts';
import { finding, type VerifyEvent } from './verify-event.ts';

/** Checks the Arrow file of a sidecar: its checksums, every trade, and the digest of all trades. */
export async function* verifySealed(
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
  for (const what of checkGaps(sidecar)) yield finding(file, what);
  yield { type: 'file', file, bytes: bytes.length, trades: sidecar.rows };
}

/** Decodes every batch and compares it with the sidecar; throws when a batch cannot be decoded. */
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

function* checkGaps({ gaps = [] }: Sidecar): Generator<string> {
  let end = -1;
  for (const [from, to] of gaps) {
    const isSound = from > end && from < to && to <= DAY_NS;
    if (!isSound) yield `its sidecar has a gap from ${from} to ${to}, which is not in order`;
    end = to;
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

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
