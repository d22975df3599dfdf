/**
 * The digest of a response and its size. For streams only the part counts that is equal for all
 * flush edges: the snapshot, then the newest version of each object at each end. Every end is a
 * whole second of tape time, which is an edge of every topic. An object that appears and disappears
 * between two ends does not count, because only some edges show it.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';

/** By case name: the number of items and the SHA-256 of their text. */
export type Digests = Record<string, string>;

export interface LogItem {
  readonly t: string;
  readonly cursor: string;
  readonly id?: string;
  /** Set for a snapshot. */
  readonly items?: readonly { readonly id: string }[];
}

export function digestOf(count: number, text: string): string {
  return `${count} ${createHash('sha256').update(text).digest('hex')}`;
}

/** The objects a client has; `changes` moves them from one whole second to a later one. */
export class Present {
  readonly #ids = new Set<string>();

  /** The changes by cursor: snapshots as they are, then the newest version of each object. */
  changes<Item extends LogItem>(heard: readonly Item[]): readonly Item[] {
    const snapshots = heard.filter(({ t }) => t === 'snapshot');
    for (const { items = [] } of snapshots) for (const { id } of items) this.#ids.add(id);
    const updates = heard.filter(({ t }) => t !== 'snapshot');
    checkAscending(updates);
    const newest = new Map(updates.map((item) => [item.id ?? '', item]));
    const changed = [...newest.values()].filter((item) => this.#take(item));
    return [...snapshots, ...changed.sort((a, b) => compare(a.cursor, b.cursor))];
  }

  /** Whether the message changes anything: removing an unknown object does not. */
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
