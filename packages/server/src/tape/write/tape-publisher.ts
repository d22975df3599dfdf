/**
 * The ingest side of the live tape: its unsealed days, for readers in this thread and in others. It notifies every
 * follower of a commit after it is on disk and its rows are in shared memory. It never waits: a follower that falls
 * behind is brought up to date later.
 */

import type { MessagePort } from 'node:worker_threads';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { gapSpans } from '../gap-spans.ts';
import { type ColumnsSnapshot, type LiveColumns, SEGMENT_ROWS } from '../live-columns.ts';
import type { LiveDay } from '../live-day.ts';
import {
  type FeedAck,
  type FeedColumns,
  type FeedMessage,
  UNANSWERED_MAX,
} from '../read/tape-feed.ts';
import type { LiveDays } from '../read/tape-reader.ts';
import type { DaySpan } from '../tape.ts';
import type { TapeGap } from '../tape-gap.ts';

const NOTHING = {};

interface Follower {
  readonly port: MessagePort;
  unanswered: number;
  isBehind: boolean;
}

/** What a durable commit has added. */
export interface CommittedRows {
  readonly grown: readonly LiveColumns[];
  /** The earlier row counts of `grown`, in the same order. */
  readonly before: readonly number[];
  readonly promise: EpochNs;
  /** Gaps that it recorded or changed. */
  readonly gaps: readonly TapeGap[];
}

export class TapePublisher implements LiveDays, Disposable {
  readonly #days = new Map<UtcDay, LiveDay>();
  readonly #followers = new Set<Follower>();
  #promise: EpochNs | null = null;

  /** The days in memory, ascending. */
  get days(): readonly LiveDay[] {
    return [...this.#days.values()];
  }

  /** The durable watermark. */
  get promise(): EpochNs | null {
    return this.#promise;
  }

  liveColumns(symbol: string): readonly ColumnsSnapshot[] {
    return this.days.flatMap((live) => {
      const columns = live.find(symbol);
      if (columns === null) return [];
      return [{ day: live.day, count: columns.count, segments: columns.segments.slice() }];
    });
  }

  liveGaps(symbol: string, day: UtcDay): readonly DaySpan[] {
    const live = this.#days.get(day);
    if (live === undefined || this.#promise === null) return [];
    return gapSpans(live.notes.gaps, symbol, day, this.#promise);
  }

  /** Sends the present state and then every change, until the port is closed. */
  addFollower(port: MessagePort): void {
    const follower: Follower = { port, unanswered: 0, isBehind: true };
    this.#followers.add(follower);
    port.on('message', (_: FeedAck) => {
      follower.unanswered -= 1;
      if (follower.isBehind) this.#catchUp(follower);
    });
    port.once('close', () => this.#followers.delete(follower));
    this.#catchUp(follower);
  }

  opened(day: LiveDay, promise: EpochNs): void {
    this.#days.set(day.day, day);
    this.#promise = promise;
    const symbols = day.columns.map((columns) => columns.symbol);
    this.#send({ type: 'opened', day: day.day, symbols, ...named(day.notes.gaps) });
    this.#send({ type: 'commit', day: day.day, promise, grown: [] });
  }

  committed(day: UtcDay, { grown, before, promise, gaps }: CommittedRows): void {
    this.#promise = promise;
    if (this.#followers.size === 0) return;
    const columns = grown.map((one, index) =>
      describe(one, Math.ceil(before[index]! / SEGMENT_ROWS)),
    );
    this.#send({ type: 'commit', day, promise, grown: columns, ...named(gaps) });
  }

  sealed(day: UtcDay): void {
    this.#days.delete(day);
    this.#send({ type: 'sealed', day });
  }

  [Symbol.dispose](): void {
    for (const { port } of this.#followers) port.close();
    this.#followers.clear();
  }

  #send(message: FeedMessage): void {
    for (const follower of this.#followers) {
      if (follower.unanswered >= UNANSWERED_MAX) follower.isBehind = true;
      if (!follower.isBehind) this.#post(follower, message);
    }
  }

  #catchUp(follower: Follower): void {
    if (follower.unanswered > 0) return;
    follower.isBehind = false;
    const days = this.days.map(({ day, columns, notes }) => ({
      day,
      columns: columns.map((one) => describe(one, 0)),
      ...named(notes.gaps),
    }));
    this.#post(follower, { type: 'state', promise: this.#promise, days });
  }

  #post(follower: Follower, message: FeedMessage): void {
    follower.unanswered += 1;
    follower.port.postMessage(message);
  }
}

function describe({ symbol, count, segments }: LiveColumns, firstSegment: number): FeedColumns {
  return { symbol, count, segments: segments.slice(firstSegment).map(({ memory }) => memory) };
}

/** Most messages have no gaps. */
function named(gaps: readonly TapeGap[]): { readonly gaps?: readonly TapeGap[] } {
  return gaps.length === 0 ? NOTHING : { gaps };
}
