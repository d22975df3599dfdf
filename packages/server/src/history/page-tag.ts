/**
 * The strong `ETag` of a page that can never be another: one whose range ends at a fixed place and lies, with all
 * that its study reads before it, on sealed days. It is told before the page is made, by everything that decides its
 * bytes: so who has the page is told so without anything being computed.
 */

import { createHash } from 'node:crypto';
import type { CoveredQuery } from './covered-query.ts';
import { gapListOf } from './gap-list.ts';
import { historyQueryText } from './history-query.ts';

const TAG_BYTES = 16;

export interface PageMaker {
  /** Of the service: another may write pages in another way. */
  readonly version: string;
  readonly engineFingerprint: string;
  /** What the page is to be compressed with. */
  readonly encoding: string | null;
}

/** Null when the page may be another the next time. */
export function pageTag(covered: CoveredQuery, maker: PageMaker): string | null {
  const { query, coverage, isEndFixed } = covered;
  if (!isEndFixed || coverage.sealed === null) return null;
  const { untilCursor, from, cursor, limit } = query;
  // Beside a cursor that ends the range, `to` is only what could be seen.
  const asked = historyQueryText(untilCursor === null ? query : { ...query, to: from });
  const { version, engineFingerprint, encoding } = maker;
  const made = [version, engineFingerprint, asked, cursor, limit, coverage.sealed];
  const gaps = gapListOf([covered]);
  const told = gaps === null ? made : [...made, gaps];
  const digest = createHash('sha256').update(JSON.stringify(told)).digest('hex');
  const suffix = encoding === null ? '' : `-${encoding}`;
  return `"${digest.slice(0, 2 * TAG_BYTES)}${suffix}"`;
}
