/**
 * Occupies Node's thread pool, as on an overloaded machine: its compression and file work waits until this is disposed
 * of. A world on simulated time must continue nevertheless.
 *
 *     using _ = occupyThreads();
 */

import { execFileSync } from 'node:child_process';
import { close, closeSync, constants, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** More than Node ever has. */
const THREADS_MAX = 64;

export function occupyThreads(): Disposable {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-threads-'));
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  let left = THREADS_MAX;
  let writer: number | null = null;
  const release = () => {
    left -= 1;
    if (left > 0) return;
    closeSync(writer!);
    rmSync(directory, { recursive: true, force: true });
  };
  // Opening a pipe to read blocks until it is opened to write.
  for (let thread = 0; thread < THREADS_MAX; thread += 1) {
    open(pipe, 'r', (error, file) => (error === null ? close(file, release) : release()));
  }
  return {
    [Symbol.dispose]: () => {
      writer = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    },
  };
}
