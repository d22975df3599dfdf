/**
 * Waits for work that only the service does with payment providers: the command records the request and polls the
 * accounts until it is done. Without a running service, the wait ends at once.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { isDirectoryInUse } from '@tapeloom/server/platform/disk/directory-lock';
import { clusterOf } from '../accounts/open-accounts.ts';
import type { OperatorCall } from '../accounts/operator-command.ts';

const LOOK_EVERY_MS = 200;
/** The longest wait. The service checks for due work more often than this. */
const WAIT_MS_MAX = 30_000;

/** `no-service`: no service runs on this data directory. */
export type Waited = 'done' | 'late' | 'no-service';

export async function waitForService(
  { io, data }: Pick<OperatorCall, 'io' | 'data'>,
  isDone: () => Promise<boolean>,
  waitMs = WAIT_MS_MAX,
): Promise<Waited> {
  const isAlone = await runsAlone(io);
  for (let waited = 0; waited < waitMs; waited += LOOK_EVERY_MS) {
    if (await isDone()) return 'done';
    if (isAlone && !isDirectoryInUse(data)) return 'no-service';
    if (io.signal.aborted) return 'late';
    await pause(LOOK_EVERY_MS);
  }
  return (await isDone()) ? 'done' : 'late';
}

/** Whether no service runs that could call a provider. */
export async function isServiceMissing({
  io,
  data,
}: Pick<OperatorCall, 'io' | 'data'>): Promise<boolean> {
  return (await runsAlone(io)) && !isDirectoryInUse(data);
}

/** False in a cluster, where any node may do the work. */
async function runsAlone(io: OperatorCall['io']): Promise<boolean> {
  return (await clusterOf(io)) === null;
}

/** A sentence about work that the service has not done; empty once it is done. */
export function waitedText(waited: Waited, data: string): string {
  switch (waited) {
    case 'done':
      return '';
    case 'late':
      return 'The service has not done it yet; it will do it without further action.\n';
    case 'no-service':
      return `No service runs on ${data}; it will do it when it starts.\n`;
    default:
      return waited satisfies never;
  }
}
