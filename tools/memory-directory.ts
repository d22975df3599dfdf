/**
 * A directory in memory that replaces the system's temporary directory for tests: the thousands of syncs of services
 * and account stores then cost nothing. No test depends on where its files are.
 */

import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const FREE_BYTES_MIN = 4 * 1_073_741_824;
const NAME = /^tapeloom-tests-(\d+)$/;

/**
 * Creates a directory below `memory` that is removed with this process, and removes those of killed runs. Null if there
 * is no such place, as on systems other than Linux, or too little space, as in many containers.
 */
export function memoryDirectory(memory = '/dev/shm'): string | null {
  if (freeBytes(memory) < FREE_BYTES_MIN) return null;
  for (const name of readdirSync(memory)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(memory, name));
  }
  const path = join(memory, `tapeloom-tests-${process.pid}`);
  // PostgreSQL in tests runs as another user, with its directory below.
  mkdirSync(path, { mode: 0o711 });
  process.on('exit', () => remove(path));
  return path;
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
