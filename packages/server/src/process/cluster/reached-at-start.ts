/**
 * PostgreSQL at a start: it may come up together with this machine, and this process is at its busiest then, so one that
 * cannot be reached is tried for a while before the start is refused. What does not pass, as a wrong password, is told at once.
 */

import { AccountsTroubleError } from '../../accounts/store/account-store.ts';
import type { Clock } from '../../platform/clock.ts';
import { PostgresUnreachableError } from '../../platform/postgres.ts';

const TRIED_FOR_MS = 20_000;
const TRY_AGAIN_MS = 1_000;

export async function reachedAtStart<Result>(
  clock: Pick<Clock, 'now' | 'after'>,
  work: () => Promise<Result>,
  isPassing: (error: unknown) => boolean = () => true,
): Promise<Result> {
  const until = clock.now() + BigInt(TRIED_FOR_MS) * 1_000_000n;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error) || !isPassing(error) || clock.now() >= until) throw error;
      await new Promise<void>((resolve) => void clock.after(TRY_AGAIN_MS, resolve));
    }
  }
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof PostgresUnreachableError) return true;
  return error instanceof AccountsTroubleError && error.trouble === 'unreachable';
}
