/**
 * What a customer knows of one subscription: the messages of a stream folded into state. A snapshot
 * replaces everything, a reset empties it, and an update counts only when its cursor is greater than the
 * last one. Until the first snapshot, and after a reset until the next, updates have nothing to stand on and
 * are passed over, unless the caller starts after a cursor of its own.
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

/** The state as the caller sees it: it changes while the subscription lasts. */
export interface SubscriptionState<I extends string> {
  /** By id, in order of creation. */
  readonly objects: ReadonlyMap<string, IndicatorObject<I>>;
  /** The newest of them by creation, such as the bar that forms; undefined while there is none. */
  latest(): IndicatorObject<I> | undefined;
  /** The last one received; null before the first and after a reset. */
  readonly cursor: string | null;
  /** Null until the first status came. */
  readonly status: Status['state'] | null;
  readonly lagMs: number;
  /** Trades of the session are missing before this instant; null where it is whole. */
  readonly partialSince: bigint | null;
  /** The contract that the instrument means now; null until the subscription was accepted. */
  readonly contract: string | null;
  /** A price in ticks times this is a price in billionths of the currency. */
  readonly tickSizeNanos: number | null;
  /** The service's clock when it was last heard, nanoseconds since 1970. */
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
  /** The objects are all there are at the cursor. */
  isWhole = false;
  /** The first state is there: a snapshot, or, after the caller's own cursor, word that the stream goes on. */
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

  /** Where a subscription starts or goes on now. What was reset is over: not even its start is asked for again. */
  get from(): StreamFrom {
    if (this.cursor !== null) return { cursor: this.cursor };
    return this.#wasReset ? 'live' : this.#start;
  }

  /** What to tell of a message; null for what changes nothing that is told. */
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

  /** Takes a cursor that is greater than the last one. */
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

/** Versions of one object follow each other and have the same time: most need no new number. */
function nsOfText(text: string): bigint {
  if (text !== lastText) {
    lastNs = BigInt(text);
    lastText = text;
  }
  return lastNs;
}
