/** What happens to a client's connection, and what is to be done about it. */

import type { SubscribeMessage } from '@tapeloom/protocol/client-messages';
import type { ClientWarning } from '../options.ts';
import type { TapeloomError } from '../tapeloom-error.ts';
import type { FoldedState } from './subscription-state.ts';
import type { StreamUpdate } from './update.ts';

/**
 * `idle`: nothing to do. `connecting`: a token is asked for, or the socket opens. `open`. `waiting`: before
 * the next attempt. `stopped`: the server will not have this client; a new subscription tries again.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'waiting' | 'stopped';

/** What is subscribed to, and the state it has brought so far. */
export interface StreamedTopic {
  readonly request: Omit<SubscribeMessage, 't' | 'sub' | 'from'>;
  readonly state: FoldedState<string>;
}

/** `attempt` is the connection it belongs to; what an earlier one has to say no longer counts. */
export type ConnectionEvent =
  | { readonly t: 'subscribe'; readonly sub: string; readonly topic: StreamedTopic }
  | { readonly t: 'unsubscribe'; readonly sub: string }
  | { readonly t: 'token'; readonly attempt: number; readonly token: unknown }
  | { readonly t: 'token-failed'; readonly attempt: number; readonly cause: unknown }
  | { readonly t: 'opened'; readonly attempt: number }
  /** The platform will not make such a socket at all. */
  | { readonly t: 'unopenable'; readonly attempt: number; readonly cause: unknown }
  | { readonly t: 'message'; readonly attempt: number; readonly data: unknown }
  | {
      readonly t: 'closed';
      readonly attempt: number;
      readonly code: number;
      readonly reason: string;
    }
  /** The time that was waited for has come, or passed. */
  | { readonly t: 'wake' }
  /** The platform says that there is a network again. */
  | { readonly t: 'online' }
  /** The caller is done with the client. */
  | { readonly t: 'close' };

export type ConnectionAction =
  | { readonly t: 'ask-token'; readonly attempt: number }
  | { readonly t: 'open'; readonly attempt: number }
  | { readonly t: 'send'; readonly text: string }
  /** The socket is of no use any more: nothing it says is heard. Given up: no goodbye is expected of it. */
  | {
      readonly t: 'drop';
      readonly code: number;
      readonly reason: string;
      readonly isGivenUp: boolean;
    }
  /** The state of the subscription has changed; null where that is nothing to be told. */
  | {
      readonly t: 'tell';
      readonly sub: string;
      readonly update: StreamUpdate<string> | null;
    }
  /** The subscription is over, for this reason. */
  | { readonly t: 'end'; readonly sub: string; readonly error: TapeloomError }
  | { readonly t: 'changed'; readonly change: ConnectionChange }
  | { readonly t: 'warn'; readonly warning: ClientWarning };

export interface ConnectionChange {
  readonly state: ConnectionState;
  /** With `waiting`: how long. */
  readonly retryInMs: number | null;
  /** With `waiting` and `stopped`: why. */
  readonly cause: ConnectionLoss | null;
}

export interface ConnectionLoss {
  /** The close code of the server; 1006 where the connection ended without one. */
  readonly code: number;
  /**
   * The server's word; of a connection that did not open why, in Node and Deno: `connection refused`, `unknown host`,
   * `certificate: …`, `HTTP 502`. Browsers do not tell, and it is empty.
   */
  readonly reason: string;
}
