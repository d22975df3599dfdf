/** What errors of PostgreSQL mean: for the database as a whole, and whether an immediate retry may succeed. */

import {
  PostgresBrokenError,
  PostgresError,
  PostgresUnreachableError,
} from '../../../platform/postgres/postgres.ts';
import { AccountsTroubleError, type StoreTrouble } from '../account-store.ts';

/** By code or its first two characters. A code that is not listed is our own fault or a rejection by a rule of ours. */
const TROUBLES: Readonly<Record<string, StoreTrouble>> = {
  '40': 'busy', // rolled back because of conflicts, after all retries
  '55P03': 'busy', // a lock is not available
  '57014': 'busy', // a statement ran too long
  '53100': 'full', // disk full
  '53': 'failing', // out of memory, out of connections
  '58': 'failing', // errors of the machine or its disk
  '25006': 'unreachable', // a read-only standby has replaced the primary
  XX001: 'damaged',
  XX002: 'damaged',
};

/** A deadlock, or a row that another transaction added or removed at the same time: a retry sees the other's work. */
const OTHERS_CAME_BETWEEN = new Set(['40P01', '40001', '23505', '23503']);

/** Null when the error means nothing for the database itself. */
export function troubleOf(error: unknown): AccountsTroubleError | null {
  if (error instanceof AccountsTroubleError) return error;
  if (error instanceof PostgresUnreachableError) {
    return new AccountsTroubleError(
      'unreachable',
      `the accounts cannot be reached: ${why(error)}`,
      {
        cause: error,
      },
    );
  }
  if (!(error instanceof PostgresError)) return null;
  const code = error.code ?? '';
  const trouble = TROUBLES[code] ?? TROUBLES[code.slice(0, 2)];
  if (trouble === undefined) return null;
  return new AccountsTroubleError(trouble, error.message, { cause: error });
}

/** Nothing happened, and the call may be retried at once. */
export function isPassing(error: unknown): boolean {
  if (error instanceof PostgresBrokenError) return true;
  return error instanceof PostgresError && OTHERS_CAME_BETWEEN.has(error.code ?? '');
}

function why({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
