/**
 * The ingest side of the live tape: notifies every follower of a commit after it is on disk and its rows are in shared
 * memory. It never waits: a follower that falls behind is brought up to date later.
 */

import type { MessagePort } from 'node:worker_threads';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { type LiveColumns, SEGMENT_ROWS } from '../live-columns.ts';
import type { LiveDay } from '../live-day.ts';
import {
  type FeedAck,
  type FeedColumns,
  type FeedMessage,
  UNANSWERED_MAX,
} from '../read/tape-feed.ts';

interface Follower {
  readonly port: MessagePort;
  unanswered: number;
  isBehind: boolean;
}

export class TapePublisher implements Disposable {
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
    this.#send({ type: 'opened', day: day.day, symbols });
    this.#send({ type: 'commit', day: day.day, promise, grown: [] });
  }

  /** `before`: the earlier row counts of `grown`, in the same order. */
  committed(
    day: UtcDay,
    grown: readonly LiveColumns[],
    before: readonly number[],
    promise: EpochNs,
  ): void {
    this.#promise = promise;
    if (this.#followers.size === 0) return;
    const columns = grown.map((one, index) =>
      describe(one, Math.ceil(before[index]! / SEGMENT_ROWS)),
    );
    this.#send({ type: 'commit', day, promise, grown: columns });
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
    const days = this.days.map(({ day, columns }) => ({
      day,
      columns: columns.map((one) => describe(one, 0)),
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
