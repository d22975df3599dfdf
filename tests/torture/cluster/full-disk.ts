/**
 * A disk that fills up: a node's or server's directory lies on a file system of its own, which takes only so much. It is in memory, and gone with
 * the run, whose view of the machine's files nobody else has.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const DISK_MIB = 256;
const FILLER = 'filler';
const CHUNK = Buffer.alloc(1_048_576);

export function smallDisk(path: string): void {
  mkdirSync(path, { recursive: true });
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=700`, 'tapeloom'];
  execFileSync('mount', [...options, path], { stdio: 'pipe' });
}

export function removeDisk(path: string): void {
  execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });
}

/** For so long there is no room. */
export async function fillDisk(path: string, ms: number): Promise<void> {
  try {
    for (let chunk = 0; chunk < DISK_MIB; chunk += 1) {
      writeFileSync(join(path, FILLER), CHUNK, { flag: 'a' });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  await pause(ms);
  emptyDisk(path);
}

export function emptyDisk(path: string): void {
  rmSync(join(path, FILLER), { force: true });
}
