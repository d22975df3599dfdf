/** Whether the files of a sealed day are still as written: reads every byte of them, a piece at a time. */

import { createHash } from 'node:crypto';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MIB } from '@tapeloom/core/units';
import type { Disk } from '../platform/disk/disk.ts';
import { readSidecar } from './read/sealed-days.ts';
import type { Sidecar } from './sidecar.ts';
import { TapeDamagedError } from './tape-errors.ts';
import { sealedPath, sidecarPath } from './tape-paths.ts';

/** Hashed in a few milliseconds, so that other work of the thread can run between pieces. */
const PIECE_BYTES = MIB;

export interface ExpectedDay {
  readonly symbol: string;
  readonly day: UtcDay;
  /** Digest of its trades. */
  readonly digest: string;
}

/** `gone`: the sidecar or the file of trades is missing. */
export async function sealedState(
  disk: Disk,
  tapeRoot: string,
  dataset: string,
  { symbol, day, digest }: ExpectedDay,
): Promise<'sound' | 'damaged' | 'gone'> {
  let sidecar: Sidecar | null;
  try {
    sidecar = await readSidecar(disk, sidecarPath(tapeRoot, dataset, symbol, day));
  } catch (error) {
    if (error instanceof TapeDamagedError) return 'damaged';
    throw error;
  }
  const path = sealedPath(tapeRoot, dataset, symbol, day);
  const entry = await disk.stat(path);
  if (sidecar === null || entry === null) return 'gone';
  const isItsOwn = sidecar.symbol === symbol && sidecar.day === day && sidecar.digest === digest;
  if (!isItsOwn || entry.size !== sidecar.bytes) return 'damaged';
  return (await digestOf(disk, path, entry.size)) === sidecar.sha256 ? 'sound' : 'damaged';
}

async function digestOf(disk: Disk, path: string, size: number): Promise<string> {
  await using file = await disk.open(path, 'read');
  const hash = createHash('sha256');
  const piece = new Uint8Array(Math.min(PIECE_BYTES, size));
  for (let at = 0; at < size; ) {
    const count = await file.read(piece.subarray(0, Math.min(piece.length, size - at)), at);
    if (count === 0) break;
    hash.update(piece.subarray(0, count));
    at += count;
  }
  return hash.digest('hex');
}
