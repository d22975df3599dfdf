/**
 * PostgreSQL at a start: it may come up together with this machine, and this process is at its busiest then, so one that
 * cannot be reached is tried for a while before the start is refused. What does not pass, as a wrong password, is told at once.
 */

import { AccountsTroubleError } from '../../accounts/store/account-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import { PostgresUnreachableError } from '../../platform/postgres/postgres.ts';
import { type Backoff, retry } from '../../platform/waiting/retry.ts';

const TRIED_FOR_MS = 20_000;
const TRY_AGAIN: Backoff = { firstMs: 1_000, lastMs: 1_000 };

/** `log` is told once, where it has to wait. */
export async function reachedAtStart<Result>(
  { clock, log }: { readonly clock: Pick<Clock, 'now' | 'after'>; readonly log: Pick<Log, 'warn'> },
  work: () => Promise<Result>,
  isPassing: (error: unknown) => boolean = () => true,
): Promise<Result> {
  const until = clock.now() + BigInt(TRIED_FOR_MS) * 1_000_000n;
  const passes = (error: unknown, tries: number) => {
    if (!isUnreachable(error) || !isPassing(error) || clock.now() >= until) return false;
    const seconds = TRIED_FOR_MS / 1_000;
    if (tries === 1) log.warn({ error }, `waiting for PostgreSQL, up to ${seconds} s`);
    return true;
  };
  return await retry(work, { clock, backoff: TRY_AGAIN, passes });
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof PostgresUnreachableError) return true;
  return error instanceof AccountsTroubleError && error.trouble === 'unreachable';
}
