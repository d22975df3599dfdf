/** The whole service for one account: REST, and streams over one connection. */

import type { IndicatorName } from './indicator-objects.ts';
import { JoinedReading, type JoinedRequest, type JoinedSources } from './joined/joined-reading.ts';
import { type ClientOptions, warner } from './options.ts';
import { RestClient } from './rest.ts';
import type { ConnectionChange, ConnectionState } from './stream/connection-events.ts';
import { StreamClient } from './stream/stream-client.ts';
import type { SubscribeRequest, Subscription } from './stream/subscription.ts';

/** REST and streams for one account. */
export class TapeloomClient extends RestClient implements AsyncDisposable {
  readonly #stream: StreamClient;

  constructor(options: ClientOptions = {}) {
    // Both parts share one warner, so a one-time warning is given once.
    const shared = { ...options, onWarning: warner(options) };
    super(shared);
    this.#stream = new StreamClient(shared);
  }

  /** The state of the stream's connection. */
  get connection(): ConnectionState {
    return this.#stream.connection;
  }

  /** Calls `hear` at each change of the stream's connection. Call the returned function to remove the listener. */
  on(kind: 'connection', hear: (change: ConnectionChange) => void): () => void {
    return this.#stream.on(kind, hear);
  }

  /** Subscribes to an indicator. The client connects and reconnects by itself. */
  subscribe<I extends IndicatorName>(request: SubscribeRequest<I>): Subscription<I> {
    return this.#stream.subscribe(request);
  }

  /** The past from `from` on, then the present, as one series without gaps or duplicates. */
  joined<I extends IndicatorName>(request: JoinedRequest<I>): JoinedReading<I> {
    const sources: JoinedSources<I> = {
      subscribe: (it) => this.subscribe(it),
      history: (it) => {
        this.markReached();
        return this.history(it);
      },
    };
    return new JoinedReading(sources, request);
  }

  /** Closes all subscriptions and their connection. You cannot subscribe afterwards. */
  close(): Promise<void> {
    return this.#stream.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
