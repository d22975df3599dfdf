/** The memory of another process on this machine; 0 where the platform cannot report it. */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export function residentBytes(pid: number): number {
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
  }
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' });
  return Number.parseInt(stdout || '0', 10) * 1_024;
}

export function openFiles(pid: number): number {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0;
}
