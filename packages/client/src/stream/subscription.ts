/**
 * One subscription as the caller has it: its state is kept up to date, listeners hear each update, and any
 * number of iterations read them at their own pace. It outlives connections; it ends when it is closed, when the
 * server refuses it, or when the client has to stop.
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
  /** What is left out has its default. */
  readonly params?: ParamsOf<I>;
  /** `live`, if it is left out: every change. `confirmed`: only what is final. */
  readonly mode?: StreamMode;
  /** `live`, if it is left out; a time, or a cursor. After a cursor, the state has only what came since. */
  readonly from?: 'live' | Time | { readonly cursor: string } | { readonly time: Time };
  /** Closes the subscription. */
  readonly signal?: AbortSignal;
  /** Updates that wait for a slow iteration; 10,000 if it is left out. */
  readonly queueMax?: number;
  /**
   * After so many milliseconds without a first state `ready` rejects with `NETWORK` and what is known of the connection; the
   * subscription goes on until it is closed. Left out: `ready` waits for as long as it takes.
   */
  readonly readyTimeout?: number;
  /** How many final objects the state keeps, the newest; all, if it is left out. */
  readonly keepFinal?: number;
}

export interface Subscription<I extends string = IndicatorName>
  extends AsyncIterable<Update<I>, undefined>,
    AsyncDisposable {
  /** Kept up to date, whether anybody reads or not. */
  readonly state: SubscriptionState<I>;
  /** The first state is there. Rejects when the subscription ends before, or after `readyTimeout`. */
  readonly ready: Promise<void>;
  /** Why it has ended; null when it was closed by the caller. Never rejects. */
  readonly ended: Promise<TapeloomError | null>;
  /** Hears each update of a kind when the state has it; the answer takes the listener away. */
  on<K extends StreamUpdate<I>['t']>(
    kind: K,
    hear: (update: Extract<StreamUpdate<I>, { t: K }>) => void,
  ): () => void;
  /**
   * Every iteration begins with the state as it is, and then has what follows. It throws when the
   * subscription is refused or has to stop, and when its signal aborts. Leaving the loop, with `break` say, closes the
   * subscription, unless another iteration or a listener needs it.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<Update<I>, undefined>;
  /** Every object once, when it is final, beginning with those of the first snapshot: an iteration like the one above. */
  finals(): Finals<I>;
  close(): Promise<void>;
}

export interface OpenSubscriptionOptions<I extends string> {
  readonly state: FoldedState<I>;
  readonly queueMax: number;
  readonly warn: (warning: ClientWarning) => void;
  /** The caller wants no more of it. */
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
  /** Of a start after a cursor, which no snapshot can stand for: the first iteration has it from the beginning. */
  #first: UpdateReader<I> | null = null;
  #end: { readonly cause: unknown } | null = null;
  #hasOverflown = false;
  #isReady = false;

  constructor(options: OpenSubscriptionOptions<I>) {
    this.#options = options;
    this.state = options.state;
    this.ready = this.#ready.promise;
    this.ended = this.#ended.promise;
    // Who does not ask for it need not handle it.
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

  /** The signal of the caller has said so. */
  abort(reason: unknown): void {
    if (this.#end !== null) return;
    this.#finish(reason, null);
    this.#options.onClose();
  }

  /** The state has changed, perhaps by something to be told. */
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

  /** Nothing came for too long: who waits for the first state need not wait any longer. */
  giveUpReady(error: TapeloomError): void {
    this.#ready.reject(error);
  }

  /** The server, or the client as a whole, has ended it; null: the client was closed. */
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

  /** Nobody is left who would notice what comes. */
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
