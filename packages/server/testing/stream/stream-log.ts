/**
 * What one topic publishes over some days, generated from a few random numbers: flushes of updates with cursors, edges
 * and positions, and the state after each. Ring, replays and snapshots over it are plain look-ups, so a test can
 * compare any delivery with one reference.
 */

import { type Cursor, compareCursors } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { type Block, emptyBlock } from '../../src/blocks/block.ts';
import { BlockWriter } from '../../src/blocks/block-writer.ts';

/** A change of one object: its id, and whether it is removed or final. */
export interface LogChange {
  readonly id: number;
  readonly kind: 'upsert' | 'final' | 'remove';
  /** Earlier updates of its flush that a newer version hides. */
  readonly hidden: number;
}

/** The next flush: the time since the previous one, its trades and changes. */
export interface LogStep {
  readonly gapMs: number;
  readonly trades: number;
  readonly changes: readonly LogChange[];
}

export type ObjectState = ReadonlyMap<string, string>;

interface LogFlush {
  readonly edge: EpochNs;
  readonly flush: Block;
  readonly position: Cursor;
  /** By mode. */
  readonly state: Readonly<Record<StreamMode, ObjectState>>;
}

export class StreamLog {
  readonly flushes: LogFlush[] = [];
  #at: EpochNs;
  #rank = 0;
  #k = 0;
  #versions = 0;
  readonly #writer = new BlockWriter(1_024, 16);

  constructor(start: EpochNs) {
    this.#at = start;
    const position = { day: dayOf(start), rank: 0 as Rank, k: 0 };
    const state = { live: new Map(), confirmed: new Map() };
    this.flushes.push({ edge: start, flush: emptyBlock(position.day, 0, 0), position, state });
  }

  add({ gapMs, trades, changes }: LogStep): void {
    const before = this.flushes.at(-1)!;
    const dayBefore = dayOf(this.#at);
    this.#at = (this.#at + BigInt(gapMs) * 1_000_000n) as EpochNs;
    // A flush lies within one day: in a day's first flush, all trades come after midnight.
    if (dayOf(this.#at) > dayBefore) [this.#rank, this.#k] = [0, 0];
    const live = new Map(before.state.live);
    const confirmed = new Map(before.state.confirmed);
    const day = dayOf(this.#at);
    let left = trades;
    for (const change of changes) {
      const id = `o${change.id}`;
      const isSettled = confirmed.has(id);
      if (isSettled && change.kind !== 'remove') continue;
      const step = Math.min(left, 1 + (change.hidden % 2));
      left -= step;
      this.#place(step, change.hidden);
      const at = { day, rank: this.#rank as Rank, k: this.#k };
      this.#versions += 1;
      const kind = change.kind === 'remove' ? 'remove' : 'upsert';
      const final = change.kind === 'final' || isSettled;
      const data = `v${this.#versions}`;
      if (kind === 'remove') live.delete(id);
      else live.set(id, data);
      if (final && kind === 'remove') confirmed.delete(id);
      else if (final) confirmed.set(id, data);
      this.#writer.add(kind, final, at, `"id":"${id}","final":${final},"data":"${data}"`, 0);
    }
    if (left > 0) this.#place(left, 0);
    const position = { day, rank: this.#rank as Rank, k: this.#k };
    const flush = this.#writer.take(day, Number(this.#at - epochNs(day, 0)));
    this.flushes.push({ edge: this.#at, flush, position, state: { live, confirmed } });
  }

  /** The last flush published at or before an instant. */
  flushAt(instant: EpochNs): number {
    return Math.max(
      0,
      this.flushes.findLastIndex(({ edge }) => edge <= instant),
    );
  }

  /** The flush that issued a cursor, or the last one it covers. */
  flushOf(cursor: Cursor): number {
    const index = this.flushes.findIndex(({ position }) => compareCursors(position, cursor) >= 0);
    return index < 0 ? this.flushes.length : index;
  }

  /** A snapshot's single message. */
  snapshotAt(index: number, mode: StreamMode): Block {
    const { position, state } = this.flushes[index]!;
    const items = [...state[mode]].map(([id, data]) => ({ id, data }));
    this.#writer.add('snapshot', false, position, `"items":${JSON.stringify(items)}`, 0);
    return this.#writer.take(position.day);
  }

  /** The messages of a flush after a cursor. */
  beyond(index: number, after: Cursor): Block {
    const { flush } = this.flushes[index]!;
    return flush.slice(flush.countUpTo(after));
  }

  /** The trades between two positions, on days before `before`. */
  tradesBetween(from: Cursor, to: Cursor, before: EpochNs): number {
    let count = 0;
    this.flushes.forEach(({ position, edge }, index) => {
      const previous = this.flushes[index - 1]?.position ?? position;
      if (edge >= before && epochNs(position.day, 0) >= before) return;
      const low = previous.day === position.day ? previous.rank : 0;
      const least = from.day === position.day ? Math.max(low, from.rank) : low;
      const most = to.day === position.day ? Math.min(position.rank, to.rank) : position.rank;
      const isInside = position.day >= from.day && position.day <= to.day;
      if (isInside && most > least) count += most - least;
    });
    return count;
  }

  #place(trades: number, hidden: number): void {
    if (trades > 0) {
      this.#rank += trades;
      this.#k = 0;
    }
    this.#k += 1 + hidden;
  }
}
