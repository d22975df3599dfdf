/** The floor of every acknowledgement: a file that grows by as many bytes, with `fdatasync` after each step. */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const STEP_MS = 20;

export async function bareSyncs(
  directory: string,
  bytes: number,
  seconds: number,
): Promise<readonly number[]> {
  await using file = await open(join(directory, `bare-${performance.now()}`), 'w');
  const block = new Uint8Array(bytes).fill(7);
  const tookMs: number[] = [];
  const startMs = performance.now();
  for (let step = 0; step * STEP_MS < seconds * 1_000; step += 1) {
    const waitMs = startMs + step * STEP_MS - performance.now();
    if (waitMs > 0) await pause(waitMs);
    const beforeMs = performance.now();
    await file.write(block);
    await file.datasync();
    tookMs.push(performance.now() - beforeMs);
  }
  return tookMs;
}
