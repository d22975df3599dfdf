/**
 * The topic, ring and replays of a delivery, as views of one log up to its head. The test decides how far the ring
 * reaches back, the sizes of pages and pieces, and the budget.
 */

import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { type Block, joinByDay } from '../../src/blocks/block.ts';
import type { DeliveryReplay } from '../../src/gateway/delivery/delivery-events.ts';
import type { StreamTimes } from '../../src/gateway/delivery/start-verdict.ts';
import type { CursorPlace, ReplayPage } from '../../src/runs/replay.ts';
import { Flush } from '../../src/topics/flush.ts';
import type { RingPiece } from '../../src/topics/ring.ts';
import { type LogStep, StreamLog } from './stream-log.ts';

export interface DeliveryWorldOptions {
  readonly start: EpochNs;
  readonly log: readonly LogStep[];
  readonly mode: StreamMode;
  /** The units that may be reserved in total. */
  readonly budget: number;
  readonly pageFlushes: number;
  readonly pieceEntries: number;
}

export class DeliveryWorld {
  readonly log: StreamLog;
  readonly options: DeliveryWorldOptions;
  head = 0;
  /** Flushes up to this one were evicted from the ring. */
  evicted = 0;
  isReady = true;
  /** No replay can start now. */
  isFull = false;
  /** Reserved units by reservation id. */
  readonly #reserved = new Map<string, number>();
  readonly #ids = new Set<string>();
  settled = 0;

  constructor(options: DeliveryWorldOptions) {
    this.options = options;
    this.log = new StreamLog(options.start);
    for (const each of options.log) this.log.add(each);
    this.head = Math.trunc(options.log.length / 3);
  }

  get times(): StreamTimes {
    const visible = (this.log.flushes[this.head]!.edge + 1n) as EpochNs;
    return { now: visible, tape: visible, visible, allowed: visible };
  }

  get heldUnits(): number {
    return this.#reserved.values().reduce((sum, units) => sum + units, 0);
  }

  reserve(id: string, units: number): boolean {
    if (this.#ids.has(id)) throw new Error(`${id} is used twice`);
    this.#ids.add(id);
    if (this.settled + this.heldUnits + units > this.options.budget) return false;
    this.#reserved.set(id, units);
    return true;
  }

  settle(id: string, units: number): void {
    if (this.#reserved.get(id) !== units) throw new Error(`${units} of ${id} are not reserved`);
    this.#reserved.delete(id);
    this.settled += units;
  }

  giveBack(id: string): void {
    if (!this.#reserved.delete(id)) throw new Error(`${id} is not reserved`);
  }

  locate(cursor: Cursor): CursorPlace {
    const index = this.log.flushOf(cursor);
    if (index > this.head) return { t: 'beyond' };
    return { t: 'on-tape', at: this.log.flushes[index]!.edge };
  }

  pull(after: Cursor): RingPiece | null {
    if (!this.isReady) return null;
    const floor = this.log.flushes
      .slice(0, this.evicted + 1)
      .findLast((it) => it.flush.count > 0)?.flush;
    if (floor !== undefined && floor.countUpTo(after) < floor.count) return null;
    const flushes: Flush[] = [];
    let [through, position, room] = [after, null as string | null, this.options.pieceEntries];
    for (let index = this.evicted + 1; index <= this.head; index += 1) {
      const flush = this.log.beyond(index, after);
      if (flush.count === 0) continue;
      if (room === 0) return { flushes, through: formatCursor(through), position, isNewest: false };
      const taken = Math.min(room, flush.count);
      room -= taken;
      flushes.push(new Flush(flush).part(0, taken));
      through = flush.cursor(taken - 1);
      const isWhole = taken === flush.count;
      position = isWhole ? formatCursor(this.log.flushes[index]!.position) : null;
      if (!isWhole) return { flushes, through: formatCursor(through), position, isNewest: false };
    }
    return { flushes, through: formatCursor(through), position, isNewest: true };
  }
}

/** A replay over the log: pages of a few flushes. */
export class ReplayModel {
  readonly #world: DeliveryWorld;
  readonly from: Cursor;
  readonly chargedBefore: EpochNs;
  hasBegun = false;
  #next: number;
  #place: Cursor;
  #snapshot: Block | null = null;

  constructor(world: DeliveryWorld, request: DeliveryReplay) {
    this.#world = world;
    this.chargedBefore = request.chargedBefore;
    const { log, options } = world;
    if ('cursor' in request.from) {
      this.from = parseCursor(request.from.cursor)!;
      this.#next = log.flushOf(this.from);
    } else {
      const at = log.flushAt(request.from.time);
      this.#snapshot = log.snapshotAt(at, options.mode);
      this.from = log.flushes[at]!.position;
      this.#next = at + 1;
    }
    this.#place = this.from;
  }

  page(until: EpochNs): ReplayPage {
    this.hasBegun = true;
    const { log, options } = this.#world;
    const last = log.flushAt(until);
    const parts: Block[] = this.#snapshot === null ? [] : [this.#snapshot];
    this.#snapshot = null;
    let position = this.#place;
    for (let count = 0; count < options.pageFlushes && this.#next <= last; count += 1) {
      parts.push(log.beyond(this.#next, this.from));
      const reached = log.flushes[this.#next]!.position;
      if (compareCursors(reached, position) > 0) position = reached;
      this.#next += 1;
    }
    const chargedTrades = log.tradesBetween(this.#place, position, this.chargedBefore);
    this.#place = position;
    const isLast = this.#next > last;
    const blocks = joinByDay(parts.filter(({ count }) => count > 0));
    return { blocks, position: formatCursor(position), chargedTrades, isLast };
  }
}
