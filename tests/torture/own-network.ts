/**
 * Runs a torture run in its own network and mount namespaces, with limits on the kernel's buffers.
 * By default the kernel keeps more unread data of a loopback connection than the service does, and
 * many such connections slow down the whole machine.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SEND_BUFFER = '/proc/sys/net/ipv4/tcp_wmem';
const RECEIVE_BUFFER = '/proc/sys/net/ipv4/tcp_rmem';
/** The kernel's defaults for the least and first size, in bytes. */
const LEAST_AND_FIRST = '4096 16384';
const RUN = join(import.meta.dirname, 'run.ts');

/** The largest send buffer of a connection here; infinite on other systems than Linux. */
export function sendBytesMax(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  return Number(readFileSync(SEND_BUFFER, 'utf8').trim().split(/\s+/)[2]);
}

/** Runs the same command in there; returns the reason when it cannot. */
export async function runInOwnNetwork(
  words: readonly string[],
  bytesMax: number,
  receiveBytesMax: number | null = null,
): Promise<{ readonly skipped: string } | { readonly exitCode: number | null }> {
  if (process.platform !== 'linux') return { skipped: 'only Linux has network namespaces' };
  const isRoot = process.getuid?.() === 0;
  const unshare = ['--net', '--mount', ...(isRoot ? [] : ['--map-root-user'])];
  const limit = (bytes: number, path: string) => `echo '${LEAST_AND_FIRST} ${bytes}' > ${path}`;
  const receive = receiveBytesMax === null ? 'true' : limit(receiveBytesMax, RECEIVE_BUFFER);
  const prepare = `ip link set lo up && ${limit(bytesMax, SEND_BUFFER)} && ${receive}`;
  const tried = spawnSync('unshare', [...unshare, 'sh', '-c', prepare], { encoding: 'utf8' });
  if (tried.status !== 0) {
    return { skipped: tried.error?.message ?? tried.stderr.trim() };
  }
  const inside = `${prepare} && exec "$0" "$@"`;
  const args = [...unshare, 'sh', '-c', inside, process.execPath, RUN, ...words];
  const [exitCode] = await once(spawn('unshare', args, { stdio: 'inherit' }), 'close');
  return { exitCode: exitCode as number | null };
}
