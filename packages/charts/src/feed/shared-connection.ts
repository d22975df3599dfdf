/**
 * One connection for all charts of a page. A hidden page gives its stream up after a minute, at once if the plan has one
 * connection, and resumes by cursor. Tabs of one browser ask each other; none takes a connection by surprise.
 */

import type { ClientClock } from '@tapeloom/client/stream';
import type { FeedPast, FeedSources, FeedSubscription, SharedState } from './sources.ts';

export type { SharedState } from './sources.ts';

export const HIDDEN_MS = 60_000;

/** What the connection needs of `TapeloomClient`. */
export interface StreamingClient extends FeedSources {
  close(): Promise<void>;
}

/** The other tabs of this browser: Web Locks and a BroadcastChannel. */
export interface TabsPort {
  /** Resolves with the function that lets go, once no other tab holds the name; rejects if the signal aborts. */
  hold(name: string, signal: AbortSignal): Promise<() => void>;
  /** Whether the name could be held at once. */
  isFree(name: string): Promise<boolean>;
  say(text: string): void;
  /** Calls `hear` with what other tabs say. */
  listen(hear: (text: string) => void): () => void;
}

/** Whether the page is visible. */
export interface VisibilityPort {
  readonly isHidden: boolean;
  listen(hear: () => void): () => void;
}

export interface SharedConnectionOptions {
  /** A fresh stream token. An error with `status` 401 means that the session has ended. */
  readonly token: () => Promise<string>;
  readonly client: (token: () => Promise<string>) => StreamingClient;
  readonly clock: ClientClock;
  /** Of the plan. */
  readonly connectionsMax: number;
  readonly visibility?: VisibilityPort;
  readonly tabs?: TabsPort;
  /** What tabs compete for: equal in all tabs of one account. */
  readonly account?: string;
}

export interface SharedConnectionPort extends FeedSources {
  readonly state: SharedState;
  onState(hear: (state: SharedState) => void): () => void;
  /** Attempts to connect now instead of after the wait. */
  tryNow(): void;
  /** Asks the tab that has the connection to let it go, and takes it then. */
  useHere(): void;
  /** After a new sign-in or a change of plan. */
  resume(): void;
  close(): Promise<void>;
}

export class SharedConnection implements SharedConnectionPort {
  readonly #client: StreamingClient;
  readonly state: SharedState = { t: 'idle' };

  constructor({ client, token }: SharedConnectionOptions) {
    this.#client = client(token);
  }

  get connection(): FeedSources['connection'] {
    return this.#client.connection;
  }

  on(...given: Parameters<FeedSources['on']>): () => void {
    return this.#client.on(...given);
  }

  subscribe(...given: Parameters<FeedSources['subscribe']>): FeedSubscription {
    return this.#client.subscribe(...given);
  }

  history(...given: Parameters<FeedSources['history']>): FeedPast {
    return this.#client.history(...given);
  }

  estimate(...given: Parameters<FeedSources['estimate']>): ReturnType<FeedSources['estimate']> {
    return this.#client.estimate(...given);
  }

  usage(...given: Parameters<FeedSources['usage']>): ReturnType<FeedSources['usage']> {
    return this.#client.usage(...given);
  }

  instruments(
    ...given: Parameters<FeedSources['instruments']>
  ): ReturnType<FeedSources['instruments']> {
    return this.#client.instruments(...given);
  }

  onState(_hear: (state: SharedState) => void): () => void {
    return () => {};
  }

  tryNow(): void {}

  useHere(): void {}

  resume(): void {}

  close(): Promise<void> {
    return this.#client.close();
  }
}
