/**
 * A directory in memory for what tests write to the system's temporary one: a sync to disk, of which services and
 * account stores make thousands, is then no wait. Nothing a test looks at depends on where its files are.
 */

import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const FREE_BYTES_MIN = 4 * 1_073_741_824;
const NAME = /^tapeloom-tests-(\d+)$/;

/**
 * The path of a new one below `memory`, which goes with this process; null where there is no such place, as on other
 * systems than Linux, or little room in it, as in many containers. What runs that were killed have left is removed.
 */
export function memoryDirectory(memory = '/dev/shm'): string | null {
  if (freeBytes(memory) < FREE_BYTES_MIN) return null;
  for (const name of readdirSync(memory)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(memory, name));
  }
  const path = join(memory, `tapeloom-tests-${process.pid}`);
  // A PostgreSQL of tests runs as somebody else, and has a directory below.
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
