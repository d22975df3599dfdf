/**
 * PostgreSQL at a start. It may start together with this machine, while this process is at its busiest, so an
 * unreachable database is retried for a while. Permanent faults, such as a wrong password, are reported at once.
 */

import { AccountsTroubleError } from '../../accounts/store/account-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import { PostgresUnreachableError } from '../../platform/postgres/postgres.ts';
import { type Backoff, retry } from '../../platform/waiting/retry.ts';

const TRIED_FOR_MS = 20_000;
const TRY_AGAIN: Backoff = { firstMs: 1_000, lastMs: 1_000 };

/** Logs a warning once, at the first retry. */
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
