/**
 * Waits until a directory accepts writes again after one failed there: every few seconds, some megabytes are written,
 * synced and removed. Success is reported once.
 */

import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MIB } from '@tapeloom/core/units';
import type { Clock } from '../clock.ts';
import { UNFINISHED_SUFFIX } from './disk.ts';

const TRY_EVERY_MS = 5_000;
/** With less space, the next day's log would soon fail again. */
const ROOM_BYTES = 32 * MIB;

export interface DiskAgainOptions {
  readonly directory: string;
  readonly clock: Pick<Clock, 'every'>;
  /** Called once. */
  readonly onAgain: () => void;
  /** Rejects while writing fails. */
  readonly tryWriting?: (directory: string) => Promise<void>;
}

export function waitForDisk(options: DiskAgainOptions): Disposable {
  const { directory, clock, onAgain, tryWriting = writeAndRemove } = options;
  let isTrying = false;
  const timer = clock.every(TRY_EVERY_MS, () => {
    if (isTrying) return;
    isTrying = true;
    tryWriting(directory).then(
      () => {
        timer[Symbol.dispose]();
        onAgain();
      },
      () => {
        isTrying = false;
      },
    );
  });
  return timer;
}

async function writeAndRemove(directory: string): Promise<void> {
  const path = join(directory, `disk-again${UNFINISHED_SUFFIX}`);
  try {
    await using file = await open(path, 'w');
    const piece = new Uint8Array(MIB);
    for (let done = 0; done < ROOM_BYTES; done += piece.length) await file.writeFile(piece);
    await file.sync();
  } finally {
    await rm(path, { force: true });
  }
}
