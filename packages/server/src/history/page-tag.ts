/**
 * The strong `ETag` of a page that can never change: its range has a fixed end and lies, with all that its study reads
 * before it, on sealed days. The tag digests everything that decides the page's bytes. It is known before the page is
 * computed, so a conditional request costs no computation.
 */

import { createHash } from 'node:crypto';
import type { CoveredQuery } from './covered-query.ts';
import { gapListOf } from './gap-list.ts';
import { historyQueryText } from './history-query.ts';

const TAG_BYTES = 16;

export interface PageMaker {
  /** Of the service: another version may write other bytes. */
  readonly version: string;
  readonly engineFingerprint: string;
  /** The compression of the page. */
  readonly encoding: string | null;
}

/** Null if the page may change. */
export function pageTag(covered: CoveredQuery, maker: PageMaker): string | null {
  const { query, coverage, isEndFixed } = covered;
  if (!isEndFixed || coverage.sealed === null) return null;
  const { untilCursor, from, cursor, limit } = query;
  // With `untilCursor`, `to` is only the visible end.
  const asked = historyQueryText(untilCursor === null ? query : { ...query, to: from });
  const { version, engineFingerprint, encoding } = maker;
  const made = [version, engineFingerprint, asked, cursor, limit, coverage.sealed];
  const gaps = gapListOf([covered]);
  const told = gaps === null ? made : [...made, gaps];
  const digest = createHash('sha256').update(JSON.stringify(told)).digest('hex');
  const suffix = encoding === null ? '' : `-${encoding}`;
  return `"${digest.slice(0, 2 * TAG_BYTES)}${suffix}"`;
}
