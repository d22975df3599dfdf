/**
 * Lets an operator simulate events at the provider `test`. The request is a file in the provider's directory, which the
 * running service reads within a second. No port is needed: write access to the directory is the permission. Without a
 * running service nothing happens, and no file stays behind.
 */

import { stat } from 'node:fs/promises';
import type { Clock } from '../platform/clock.ts';
import { sleep } from '../platform/waiting/sleep.ts';
import {
  type AskedAnswer,
  askedAnswer,
  leaveAsked,
  testPaymentsPath,
  withdrawAsked,
} from './payment-files.ts';
import { PLAYED_CHANGES } from './test-payment.ts';
import { REACHES, ROTATE } from './test-payments.ts';

const LOOK_EVERY_MS = 100;
const WAIT_MS_MAX = 5_000;

/** Simulated events of an order, and of the provider as a whole. */
export const ORDER_ACTIONS: readonly string[] = Object.keys(PLAYED_CHANGES);
export const PROVIDER_ACTIONS: readonly string[] = [...REACHES, ROTATE];

const NOT_RUNNING = {
  refused: 'The service does not run on this data directory; nothing was played.',
};

/** `orderId` null: for actions of the provider as a whole. `done` in the answer is the state afterwards. */
export async function askTestProvider(
  data: string,
  asked: { readonly action: string; readonly orderId: string | null },
  clock: Clock,
): Promise<AskedAnswer> {
  const directory = testPaymentsPath(data);
  if (!(await isThere(directory))) return NOT_RUNNING;
  const id = await leaveAsked(directory, asked);
  for (let waited = 0; waited < WAIT_MS_MAX; waited += LOOK_EVERY_MS) {
    await sleep(clock, LOOK_EVERY_MS);
    const answer = await askedAnswer(directory, id);
    if (answer !== null) return answer;
  }
  if (await withdrawAsked(directory, id)) return NOT_RUNNING;
  const late = await askedAnswer(directory, id);
  return late ?? { refused: 'The service took the request and did not answer; see its log.' };
}

async function isThere(directory: string): Promise<boolean> {
  try {
    return (await stat(directory)).isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
