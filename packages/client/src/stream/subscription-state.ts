/**
 * The state of one subscription, folded from the stream's messages. A snapshot replaces everything, a reset empties it,
 * and an update counts only if its cursor is greater than the last one. Before the first snapshot, and between a reset
 * and the next one, updates are ignored, unless the caller starts after a cursor of its own.
 */

import type { StreamFrom } from '@tapeloom/protocol/client-messages';
import type {
  ServerMessage,
  SnapshotMessage,
  StatusMessage,
  StreamObject,
} from '@tapeloom/protocol/server-messages';
import { compareCursors } from '../cursors.ts';
import type { DataOf, IndicatorObject } from '../indicator-objects.ts';
import { KeptObjects } from './kept-objects.ts';
import type { Status, StreamUpdate } from './update.ts';

/** The messages that belong to one subscription and do not end it. */
export type SubscriptionMessage = Exclude<
  Extract<ServerMessage, { readonly sub?: string }>,
  { readonly t: 'error' }
>;

/** The state of a subscription. It changes while the subscription lasts. */
export interface SubscriptionState<I extends string> {
  /** By id, in order of creation. */
  readonly objects: ReadonlyMap<string, IndicatorObject<I>>;
  /** The newest object by creation, such as the bar that is forming; undefined if there is none. */
  latest(): IndicatorObject<I> | undefined;
  /** The last cursor received; null before the first and after a reset. */
  readonly cursor: string | null;
  /** Null until the first status arrives. */
  readonly status: Status['state'] | null;
  readonly lagMs: number;
  /** Trades of the session are missing before this instant, its close while they still are; null if none are. */
  readonly partialSince: bigint | null;
  /** The contract that the instrument stands for now; null until the subscription is accepted. */
  readonly contract: string | null;
  /** A price in ticks times this is a price in billionths of the currency. */
  readonly tickSizeNanos: number | null;
  /** The service's clock at its last message with a time, in nanoseconds since 1970. */
  readonly serverNs: bigint | null;
}

export class FoldedState<I extends string> implements SubscriptionState<I> {
  readonly objects: ReadonlyMap<string, IndicatorObject<I>>;
  cursor: string | null;
  status: Status['state'] | null = null;
  lagMs = 0;
  partialSince: bigint | null = null;
  contract: string | null = null;
  tickSizeNanos: number | null = null;
  serverNs: bigint | null = null;
  /** The objects are complete at the cursor. */
  isWhole = false;
  /** The first state has arrived: a snapshot or, after a cursor of the caller, a message of the resumed stream. */
  isReady = false;
  readonly #kept: KeptObjects<I>;
  readonly #start: StreamFrom;
  #canTakeUpdates: boolean;
  #wasReset = false;

  constructor(start: StreamFrom, keepFinal: number) {
    this.#start = start;
    this.#kept = new KeptObjects(keepFinal);
    this.objects = this.#kept.map;
    this.cursor = typeof start === 'object' && 'cursor' in start ? start.cursor : null;
    this.#canTakeUpdates = this.cursor !== null;
  }

  latest(): IndicatorObject<I> | undefined {
    return this.#kept.latest();
  }

  /** Where a subscription starts or resumes. After a reset not even the original start is requested again. */
  get from(): StreamFrom {
    if (this.cursor !== null) return { cursor: this.cursor };
    return this.#wasReset ? 'live' : this.#start;
  }

  /** Applies a message and returns the update for the caller; null if there is none. */
  take(message: SubscriptionMessage): StreamUpdate<I> | null {
    switch (message.t) {
      case 'upsert': {
        if (!this.#isNew(message.cursor)) return null;
        const object = objectOf<I>(message);
        this.#kept.put(object);
        this.#kept.forgetOldFinals();
        this.isReady = true;
        return { t: 'upsert', cursor: message.cursor, object };
      }
      case 'remove': {
        if (!this.#isNew(message.cursor)) return null;
        const { cursor, id, final, ts } = message;
        this.#kept.delete(id);
        this.isReady = true;
        return { t: 'remove', cursor, id, final, ts: BigInt(ts) };
      }
      case 'hb':
        this.hearTime(message.ts);
        if (message.cursor !== undefined && this.#isNew(message.cursor)) this.isReady = true;
        return null;
      case 'snapshot':
        return this.#snapshot(message);
      case 'status':
        return this.#status(message);
      case 'subscribed':
        this.contract = message.contract;
        this.tickSizeNanos = message.tickSizeNanos;
        return null;
      case 'reset':
        this.#empty();
        this.cursor = null;
        this.#canTakeUpdates = false;
        this.#wasReset = true;
        return { t: 'reset', reason: message.reason };
      default:
        return message satisfies never;
    }
  }

  hearTime(ts: string): void {
    this.serverNs = BigInt(ts);
  }

  /** Takes the cursor if it is greater than the last one. */
  #isNew(cursor: string): boolean {
    if (!this.#canTakeUpdates) return false;
    if (this.cursor !== null && compareCursors(cursor, this.cursor) <= 0) return false;
    this.cursor = cursor;
    return true;
  }

  #snapshot({ cursor, items }: SnapshotMessage): StreamUpdate<I> {
    this.#empty();
    for (const item of items) this.#kept.put(objectOf<I>(item));
    this.#kept.forgetOldFinals();
    this.cursor = cursor;
    this.#canTakeUpdates = true;
    this.isWhole = true;
    this.isReady = true;
    return { t: 'snapshot', cursor, objects: [...this.objects.values()] };
  }

  #status({ state, lagMs, partialSince }: StatusMessage): Status {
    this.status = state;
    this.lagMs = lagMs;
    this.partialSince = partialSince === undefined ? null : BigInt(partialSince);
    if (this.#canTakeUpdates && state !== 'warming') this.isReady = true;
    return { t: 'status', state, lagMs, partialSince: this.partialSince };
  }

  #empty(): void {
    this.#kept.clear();
    this.isWhole = false;
  }
}

function objectOf<I extends string>({ id, final, ts, data }: StreamObject): IndicatorObject<I> {
  return { id, final, ts: nsOfText(ts), data: data as DataOf<I> };
}

let lastText = '0';
let lastNs = 0n;

/** Successive versions of one object have the same time, so most need no new bigint. */
function nsOfText(text: string): bigint {
  if (text !== lastText) {
    lastNs = BigInt(text);
    lastText = text;
  }
  return lastNs;
}
