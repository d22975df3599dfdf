/**
 * One subscription: its state is kept up to date, listeners get each update, and any number of iterations read them at
 * their own pace. It outlives connections, and ends when you close it, the server rejects it or the client stops.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { Finals } from '../finals.ts';
import type { IndicatorName, NamedIndicator, ParamsOf, Snapshot } from '../indicator-objects.ts';
import type { ClientWarning } from '../options.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import type { Time } from '../times.ts';
import { callListener } from './call-listener.ts';
import type { FoldedState, SubscriptionState } from './subscription-state.ts';
import type { StreamUpdate, Update } from './update.ts';
import { UpdateReader } from './update-reader.ts';

export interface SubscribeRequest<I extends string = IndicatorName> {
  readonly indicator: I & NamedIndicator<I>;
  /** A contract or an alias. */
  readonly instrument: string;
  /** Parameters that you leave out have their defaults. */
  readonly params?: ParamsOf<I>;
  /** `live` (default): every change. `confirmed`: only final objects. */
  readonly mode?: StreamMode;
  /** `live` (default), a time, or a cursor. After a cursor, the state contains only later updates. */
  readonly from?: 'live' | Time | { readonly cursor: string } | { readonly time: Time };
  /** Aborting it closes the subscription. */
  readonly signal?: AbortSignal;
  /** Updates that may be pending for a slow iteration. Default: 10,000. */
  readonly queueMax?: number;
  /**
   * Milliseconds to wait for a first state. After that `ready` rejects with `NETWORK` and the last failure of the
   * connection; the subscription continues until you close it. Default: no limit.
   */
  readonly readyTimeout?: number;
  /** How many of the newest final objects the state keeps. Default: all. */
  readonly keepFinal?: number;
}

/** A live subscription: read `state`, add listeners with `on`, or iterate over its updates. */
export interface Subscription<I extends string = IndicatorName>
  extends AsyncIterable<Update<I>, undefined>,
    AsyncDisposable {
  /** Kept up to date, whether you iterate or not. */
  readonly state: SubscriptionState<I>;
  /** Resolves when the first state has arrived. Rejects if the subscription ends before, or after `readyTimeout`. */
  readonly ready: Promise<void>;
  /** Resolves with the error that ended it; null if you closed it. Never rejects. */
  readonly ended: Promise<TapeloomError | null>;
  /** Calls `hear` with each update of a kind, once the state has it. The returned function removes the listener. */
  on<K extends StreamUpdate<I>['t']>(
    kind: K,
    hear: (update: Extract<StreamUpdate<I>, { t: K }>) => void,
  ): () => void;
  /**
   * Every iteration begins with the current state, followed by all later updates. It throws if the subscription is
   * rejected or stops, and if its signal aborts. Leaving the loop, by `break` for example, closes the subscription
   * unless another iteration or a listener uses it.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Update<I>, undefined>;
  /** Every object once, when it is final, from the first snapshot on: an iteration like the one above. */
  finals(): Finals<I>;
  close(): Promise<void>;
}

export interface OpenSubscriptionOptions<I extends string> {
  readonly state: FoldedState<I>;
  readonly queueMax: number;
  readonly warn: (warning: ClientWarning) => void;
  readonly onClose: () => void;
}

type Listener<I extends string> = (update: StreamUpdate<I>) => void;

export class OpenSubscription<I extends string> implements Subscription<I> {
  readonly state: FoldedState<I>;
  readonly ready: Promise<void>;
  readonly ended: Promise<TapeloomError | null>;
  readonly #options: OpenSubscriptionOptions<I>;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<TapeloomError | null>();
  readonly #listeners = new Map<string, Set<Listener<I>>>();
  readonly #readers = new Set<UpdateReader<I>>();
  /** After a start at a cursor there is no snapshot, so the first iteration gets all updates from the beginning. */
  #first: UpdateReader<I> | null = null;
  #end: { readonly cause: unknown } | null = null;
  #hasOverflown = false;
  #isReady = false;

  constructor(options: OpenSubscriptionOptions<I>) {
    this.#options = options;
    this.state = options.state;
    this.ready = this.#ready.promise;
    this.ended = this.#ended.promise;
    // Callers that do not use `ready` need not handle its rejection.
    this.ready.catch(() => {});
    if (this.state.cursor !== null) this.#first = this.#openReader();
  }

  on<K extends StreamUpdate<I>['t']>(
    kind: K,
    hear: (update: Extract<StreamUpdate<I>, { t: K }>) => void,
  ): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners);
    const listener: Listener<I> = (update) => hear(update as Extract<StreamUpdate<I>, { t: K }>);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Update<I>, undefined> {
    const first = this.#first;
    this.#first = null;
    if (first !== null) return first;
    const reader = this.#openReader();
    const { status, lagMs, partialSince } = this.state;
    if (status !== null) reader.push({ t: 'status', state: status, lagMs, partialSince });
    const snapshot = this.#snapshot();
    if (snapshot !== null) reader.push(snapshot);
    if (this.#end !== null) reader.end(this.#end.cause);
    return reader;
  }

  finals(): Finals<I> {
    return new Finals(this);
  }

  async close(): Promise<void> {
    if (this.#end !== null) return;
    this.#finish(null, null);
    this.#options.onClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  abort(reason: unknown): void {
    if (this.#end !== null) return;
    this.#finish(reason, null);
    this.#options.onClose();
  }

  /** The state has changed; null if there is no update for readers and listeners. */
  tell(update: StreamUpdate<I> | null): void {
    if (this.#end !== null) return;
    if (this.state.isReady && !this.#isReady) {
      this.#isReady = true;
      this.#ready.resolve();
    }
    if (update === null) return;
    if (this.#readers.size > 0) for (const reader of this.#readers) reader.push(update);
    if (this.#listeners.size === 0) return;
    for (const hear of this.#listeners.get(update.t) ?? []) this.#call(hear, update);
  }

  /** `readyTimeout` has passed: `ready` rejects, the subscription continues. */
  giveUpReady(error: TapeloomError): void {
    this.#ready.reject(error);
  }

  /** Ended by the server or the client; null: the client was closed. */
  end(error: TapeloomError | null): void {
    if (this.#end === null) this.#finish(error, error);
  }

  #finish(cause: unknown, error: TapeloomError | null): void {
    this.#end = { cause };
    const unready = 'The subscription was closed before its first state came.';
    this.#ready.reject(cause ?? new TapeloomError('CLOSED', unready));
    this.#ended.resolve(error);
    for (const reader of this.#readers) reader.end(cause);
    this.#readers.clear();
    this.#listeners.clear();
  }

  #call(hear: Listener<I>, update: StreamUpdate<I>): void {
    callListener(hear, update, `A listener of "${update.t}"`, this.#options.warn);
  }

  #openReader(): UpdateReader<I> {
    const reader = new UpdateReader<I>({
      queueMax: this.#options.queueMax,
      snapshot: () => this.#snapshot(),
      onOverflow: () => this.#tellOverflow(),
      onReturn: (it) => this.#left(it),
    });
    if (this.#end === null) this.#readers.add(reader);
    return reader;
  }

  /** Closes the subscription when its last reader has left and there is no listener. */
  #left(reader: UpdateReader<I>): void {
    const wasOpen = this.#readers.delete(reader);
    const listens = [...this.#listeners.values()].some(({ size }) => size > 0);
    const isHeard = this.#readers.size > 0 || listens;
    if (wasOpen && !isHeard) void this.close();
  }

  #snapshot(): Snapshot<I> | null {
    const { isWhole, cursor, objects } = this.state;
    if (!isWhole || cursor === null) return null;
    return { t: 'snapshot', cursor, objects: [...objects.values()] };
  }

  #tellOverflow(): void {
    if (this.#hasOverflown) return;
    this.#hasOverflown = true;
    const message = `An iteration is more than ${this.#options.queueMax} updates behind: it leaves some out.`;
    this.#options.warn({ code: 'SLOW_READER', message });
  }
}
