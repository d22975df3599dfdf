/**
 * What is written down of an answer: a digest and how much it was. Where a stream's flush edges show, only what
 * is the same for all edges counts: the snapshot, and of what follows it the newest version of each object at
 * the end. Every end is a whole second of tape time, which is an edge of every topic.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';

/** By the name of the case: how many things there were, and the SHA-256 of their text. */
export type Digests = Record<string, string>;

export interface LogItem {
  readonly t: string;
  readonly cursor: string;
  readonly id?: string;
}

export function digestOf(count: number, text: string): string {
  return `${count} ${createHash('sha256').update(text).digest('hex')}`;
}

/** The newest version of each object, ascending by cursor. */
export function newestVersions<Item extends LogItem>(items: readonly Item[]): readonly Item[] {
  checkAscending(items);
  const newest = new Map(items.map((item) => [item.id ?? '', item]));
  return [...newest.values()].sort((a, b) => compare(a.cursor, b.cursor));
}

function checkAscending(items: readonly LogItem[]): void {
  items.forEach(({ cursor }, at) => {
    if (at > 0) assert.ok(compare(items[at - 1]!.cursor, cursor) <= 0, `${cursor} is out of order`);
  });
}

export function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}
