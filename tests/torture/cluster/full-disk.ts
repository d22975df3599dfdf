/**
 * A disk that can be filled: the directory of a node or server is a small file system in memory. It
 * lies in the mount namespace of the run and disappears with it.
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
