/**
 * What is written down of an answer: a digest and how much it was. Where a stream's flush edges show, only what
 * is the same for all edges counts: the snapshot, and of what follows it the newest version of each object at
 * the end. Every end is a whole second of tape time, which is an edge of every topic. What came and went
 * between two ends was seen with some edges and not with others, so it does not count.
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
  /** Of a snapshot. */
  readonly items?: readonly { readonly id: string }[];
}

export function digestOf(count: number, text: string): string {
  return `${count} ${createHash('sha256').update(text).digest('hex')}`;
}

/** The objects a client has; what it hears moves it from one whole second to a later one. */
export class Present {
  readonly #ids = new Set<string>();

  /** What has changed, ascending by cursor: snapshots as they are, then of each object the newest version. */
  changes<Item extends LogItem>(heard: readonly Item[]): readonly Item[] {
    const snapshots = heard.filter(({ t }) => t === 'snapshot');
    for (const { items = [] } of snapshots) for (const { id } of items) this.#ids.add(id);
    const updates = heard.filter(({ t }) => t !== 'snapshot');
    checkAscending(updates);
    const newest = new Map(updates.map((item) => [item.id ?? '', item]));
    const changed = [...newest.values()].filter((item) => this.#take(item));
    return [...snapshots, ...changed.sort((a, b) => compare(a.cursor, b.cursor))];
  }

  /** Whether it makes a difference: the end of what nobody had makes none. */
  #take({ t, id = '' }: LogItem): boolean {
    if (t === 'remove') return this.#ids.delete(id);
    this.#ids.add(id);
    return true;
  }
}

function checkAscending(items: readonly LogItem[]): void {
  items.forEach(({ cursor }, at) => {
    if (at > 0) assert.ok(compare(items[at - 1]!.cursor, cursor) <= 0, `${cursor} is out of order`);
  });
}

export function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}
