/** The events and actions of a client's connection. */

import type { SubscribeMessage } from '@tapeloom/protocol/client-messages';
import type { ClientWarning } from '../options.ts';
import type { TapeloomError } from '../tapeloom-error.ts';
import type { FoldedState } from './subscription-state.ts';
import type { StreamUpdate } from './update.ts';

/**
 * - `idle`: nothing is subscribed.
 * - `connecting`: the client requests a token, or the socket opens.
 * - `open`: connected.
 * - `waiting`: for the next attempt.
 * - `stopped`: the server rejected this client for good; a new subscription tries again.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'waiting' | 'stopped';

export interface StreamedTopic {
  readonly request: Omit<SubscribeMessage, 't' | 'sub' | 'from'>;
  readonly state: FoldedState<string>;
}

/** `attempt` is the connection that an event belongs to. Events of earlier connections are ignored. */
export type ConnectionEvent =
  | { readonly t: 'subscribe'; readonly sub: string; readonly topic: StreamedTopic }
  | { readonly t: 'unsubscribe'; readonly sub: string }
  | { readonly t: 'token'; readonly attempt: number; readonly token: unknown }
  | { readonly t: 'token-failed'; readonly attempt: number; readonly cause: unknown }
  | { readonly t: 'opened'; readonly attempt: number }
  /** The platform cannot create such a socket. */
  | { readonly t: 'unopenable'; readonly attempt: number; readonly cause: unknown }
  | { readonly t: 'message'; readonly attempt: number; readonly data: unknown }
  | {
      readonly t: 'closed';
      readonly attempt: number;
      readonly code: number;
      readonly reason: string;
    }
  /** The time in `wakeAt` may have come. */
  | { readonly t: 'wake' }
  /** The platform reports that the network is back. */
  | { readonly t: 'online' }
  /** The caller closed the client. */
  | { readonly t: 'close' };

export type ConnectionAction =
  | { readonly t: 'ask-token'; readonly attempt: number }
  | { readonly t: 'open'; readonly attempt: number }
  | { readonly t: 'send'; readonly text: string }
  /** Abandons the socket and ignores its messages. Given up: it is cut without waiting for the server's close frame. */
  | {
      readonly t: 'drop';
      readonly code: number;
      readonly reason: string;
      readonly isGivenUp: boolean;
    }
  /** The state of the subscription has changed; null if listeners need no update. */
  | {
      readonly t: 'tell';
      readonly sub: string;
      readonly update: StreamUpdate<string> | null;
    }
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
  /** The server's close code; 1006 if the connection ended without one. */
  readonly code: number;
  /**
   * The server's text. If the connection did not open, Node and Deno give the cause: `connection refused`, `unknown
   * host`, `certificate: …`, `HTTP 502`. In browsers it is empty.
   */
  readonly reason: string;
}
