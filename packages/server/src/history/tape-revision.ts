/**
 * The revision of a contract's imported days, which a page's `next` carries. It changes when a day from the start of
 * the range to the position of `next` is added, replaced or removed: the ranks of that day then mean other trades, and
 * resuming would skip or repeat some. Days that no file can repair never change and have no revision.
 */

import { createHash } from 'node:crypto';
import type { UtcDay } from '@tapeloom/core/numbers';

const REVISION_DIGITS = 12;
const MARK = '~';
const REVISION = new RegExp(
  `^(?<cursor>[^${MARK}]*)${MARK}(?<revision>[0-9a-f]{${REVISION_DIGITS}})$`,
);

/** The served imported days by contract; contracts that may be repaired are named even without such days. */
export type ServedDays = ReadonlyMap<string, ReadonlyMap<UtcDay, { readonly digest: string }>>;

/** Null for a contract that no file can change. */
export function tapeRevision(
  served: ServedDays,
  contract: string,
  first: UtcDay,
  last: UtcDay,
): string | null {
  const days = served.get(contract);
  if (days === undefined) return null;
  const hash = createHash('sha256').update(contract);
  for (const day of [...days.keys()].sort((a, b) => a - b)) {
    if (day >= first && day <= last) hash.update(` ${day} ${days.get(day)!.digest}`);
  }
  return hash.digest('hex').slice(0, REVISION_DIGITS);
}

export function withRevision(cursor: string, revision: string | null): string {
  return revision === null ? cursor : `${cursor}${MARK}${revision}`;
}

/** A cursor without a revision comes from a stream or a live market. */
export function splitRevision(text: string): {
  readonly cursor: string;
  readonly revision: string | null;
} {
  const { cursor = text, revision = null } = REVISION.exec(text)?.groups ?? {};
  return { cursor, revision };
}
