/**
 * A disk that fills up: a node's directory lies on a file system of its own, which takes only so much. It is in memory, and gone with
 * the run, whose view of the machine's files nobody else has.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const DISK_MIB = 192;
const CHUNK = Buffer.alloc(1_048_576);

/** Why a file system cannot be made here; null where it was. */
export function smallDisk(path: string): string | null {
  mkdirSync(path, { recursive: true });
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=700`, 'tapeloom'];
    execFileSync('mount', [...options, path], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

export function removeDisk(path: string): void {
  execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });
}

/** For so long there is no room. */
export async function fillDisk(path: string, ms: number): Promise<void> {
  const filler = join(path, 'filler');
  try {
    for (let chunk = 0; chunk < DISK_MIB; chunk += 1) writeFileSync(filler, CHUNK, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  await pause(ms);
  rmSync(filler);
}
