/** What failures of PostgreSQL say: about the database as a whole, and whether the same may go well the next time. */

import {
  PostgresBrokenError,
  PostgresError,
  PostgresUnreachableError,
} from '../../../platform/postgres/postgres.ts';
import { AccountsTroubleError, type StoreTrouble } from '../account-store.ts';

/** By code, or by its first two characters; what is not here is our own fault or refused by a rule of ours. */
const TROUBLES: Readonly<Record<string, StoreTrouble>> = {
  '40': 'busy', // rolled back because of others, as often as we have tried
  '55P03': 'busy', // a lock is not to be had
  '57014': 'busy', // a statement took too long
  '53100': 'full', // disk full
  '53': 'failing', // out of memory, out of connections
  '58': 'failing', // errors of the machine, of its disk
  '25006': 'unreachable', // a copy that only reads has taken the place of the one that we need
  XX001: 'damaged',
  XX002: 'damaged',
};

/**
 * Others came in between: a deadlock, a row that another has added or removed at the same time. Done again, the method
 * sees what they did and judges by that.
 */
const OTHERS_CAME_BETWEEN = new Set(['40P01', '40001', '23505', '23503']);

/** Null when it says nothing about the database itself. */
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

/** Nothing happened, and the same may be tried at once. */
export function isPassing(error: unknown): boolean {
  if (error instanceof PostgresBrokenError) return true;
  return error instanceof PostgresError && OTHERS_CAME_BETWEEN.has(error.code ?? '');
}

function why({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
