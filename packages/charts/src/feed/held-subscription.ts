/**
 * A subscription that outlives its stream: when the page gives the connection up, it keeps its place, and continues
 * there on the next one. It ends only when its chart closes it, or the service refuses it.
 */

import type { SubscribeRequest } from '@tapeloom/client';
import type { StreamUpdate, TapeloomError } from '@tapeloom/client/stream';
import type { FeedSources, FeedState, FeedSubscription } from './sources.ts';

type Kind = StreamUpdate<string>['t'];
type Listener = (update: never) => void;

const KINDS = ['snapshot', 'upsert', 'remove', 'reset', 'status', 'notice'] as const;
const NOTHING: FeedState = {
  ...{ cursor: null, status: null, lagMs: 0, partialSince: null },
  ...{ contract: null, tickSizeNanos: null, serverNs: null },
};

export interface HeldSubscriptionOptions {
  readonly request: SubscribeRequest<string>;
  readonly client: Pick<FeedSources, 'subscribe'>;
  /** Whether it was the whole connection that ended: then it waits for the next one. */
  readonly isOfConnection: () => boolean;
  readonly onClose: () => void;
}

export class HeldSubscription implements FeedSubscription {
  readonly ended: Promise<TapeloomError | null>;
  readonly state: FeedState;
  readonly #options: HeldSubscriptionOptions;
  readonly #ended = Promise.withResolvers<TapeloomError | null>();
  readonly #listeners = new Map<Kind, Set<Listener>>();
  #inner: FeedSubscription | null = null;
  /** Of the last stream. */
  #last: FeedState = NOTHING;
  #isOver = false;

  constructor(options: HeldSubscriptionOptions) {
    this.#options = options;
    this.ended = this.#ended.promise;
    this.state = heldState(
      () => this.#inner?.state ?? null,
      () => this.#last,
    );
  }

  on<K extends Kind>(
    kind: K,
    hear: (update: Extract<StreamUpdate<string>, { t: K }>) => void,
  ): () => void {
    const listeners = this.#listeners.getOrInsertComputed(kind, () => new Set());
    const listener: Listener = (update) => hear(update);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Streams, from where it stopped. */
  open(): void {
    if (this.#isOver || this.#inner !== null) return;
    const { request, client } = this.#options;
    const { cursor } = this.#last;
    const inner = client.subscribe(cursor === null ? request : { ...request, from: { cursor } });
    this.#inner = inner;
    for (const kind of KINDS) {
      inner.on(kind, (update) => {
        if (this.#inner === inner) this.#tell(kind, update);
      });
    }
    void inner.ended.then((error) => {
      if (this.#inner !== inner || error === null) return;
      this.#let();
      if (!this.#options.isOfConnection()) this.#finish(error);
    });
  }

  /** Gives its stream up and keeps its place. */
  pause(): void {
    const inner = this.#inner;
    this.#let();
    void inner?.close();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    const inner = this.#inner;
    this.#let();
    this.#finish(null);
    await inner?.close();
  }

  #let(): void {
    this.#last = snapshotOf(this.state);
    this.#inner = null;
  }

  #finish(error: TapeloomError | null): void {
    this.#isOver = true;
    this.#listeners.clear();
    this.#ended.resolve(error);
    this.#options.onClose();
  }

  #tell(kind: Kind, update: StreamUpdate<string>): void {
    for (const hear of this.#listeners.get(kind) ?? []) hear(update as never);
  }
}

/** A stream that has just been resumed does not know yet what the one before it knew. */
function heldState(inner: () => FeedState | null, last: () => FeedState): FeedState {
  return {
    // After a reset there is none.
    get cursor() {
      return (inner() ?? last()).cursor;
    },
    get status() {
      return inner()?.status ?? last().status;
    },
    get lagMs() {
      return (inner() ?? last()).lagMs;
    },
    get partialSince() {
      return (inner() ?? last()).partialSince;
    },
    get contract() {
      return inner()?.contract ?? last().contract;
    },
    get tickSizeNanos() {
      return inner()?.tickSizeNanos ?? last().tickSizeNanos;
    },
    get serverNs() {
      return inner()?.serverNs ?? last().serverNs;
    },
  };
}

function snapshotOf(state: FeedState): FeedState {
  const { cursor, status, lagMs, partialSince, contract, tickSizeNanos, serverNs } = state;
  return { cursor, status, lagMs, partialSince, contract, tickSizeNanos, serverNs };
}
