/** Events of a connection and the actions that its state machine returns. Both are plain records. */

import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { CloseCode } from '@tapeloom/protocol/close-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { AuthVerdict } from '../../accounts/auth/auth-throttle.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { StreamRequest } from '../delivery/stream-request.ts';
import type { ErrorReply } from '../wire/client-message.ts';
import type { Moment } from './moment.ts';

/** Which limit rejected a subscription; `fault` is an internal error. */
export type LeaseRefusal = 'subscription' | 'configuration' | 'fault';

export type ConnectionEvent =
  | {
      readonly t: 'opened';
      readonly authorization: string | undefined;
      readonly address: string;
    }
  /** The header's key, or the token of the first message, was checked. */
  | { readonly t: 'judged'; readonly authentication: AuthVerdict }
  | { readonly t: 'auth-overdue' }
  | { readonly t: 'connects-exceeded'; readonly retryAfterSeconds: number }
  /** Whether the account may have one more connection. */
  | { readonly t: 'admitted'; readonly isGranted: boolean }
  | ({ readonly t: 'text'; readonly text: string } & Moment)
  | { readonly t: 'binary' }
  /** The leases of a subscription were taken, or rejected. */
  | { readonly t: 'leased'; readonly number: number; readonly refused: LeaseRefusal | null }
  /** `subscribed` was sent to the client. */
  | { readonly t: 'begun'; readonly sub: string; readonly now: EpochNs }
  /** The subscription was rejected or interrupted. */
  | { readonly t: 'ended'; readonly sub: string; readonly reply: Omit<ErrorReply, 'sub'> }
  /** A heartbeat is due, every 5 s. `cursors` has the subscriptions that can be resumed, by name. */
  | {
      readonly t: 'heartbeat';
      readonly now: EpochNs;
      readonly cursors: ReadonlyMap<string, string>;
    }
  /** The tape, seen with this delay, entered a new UTC day: aliases may mean other contracts now. */
  | ({ readonly t: 'tape-day'; readonly delaySeconds: number } & Moment)
  /** All connections have released what they no longer need: moving subscriptions may take new leases. */
  | { readonly t: 'move-on' }
  | { readonly t: 'key-ended' }
  /** The rights of the key as they are now; null when it has ended. */
  | { readonly t: 'rights-changed'; readonly caller: Caller | null }
  /** The account's connection limit became smaller, and older connections use all of it. */
  | { readonly t: 'connection-beyond' }
  /** The same for subscriptions and custom configurations, by subscription number. */
  | {
      readonly t: 'subscriptions-beyond';
      readonly beyond: ReadonlyMap<number, Exclude<LeaseRefusal, 'fault'>>;
    }
  /** Open subscriptions are judged by the current rights. */
  | ({ readonly t: 'judge-again' } & Moment)
  | { readonly t: 'rate-exceeded' }
  | { readonly t: 'silent' }
  | { readonly t: 'overflow' }
  | { readonly t: 'shutdown' };

export type TextEvent = Extract<ConnectionEvent, { t: 'text' }>;

export type ConnectionAction =
  | { readonly t: 'judge'; readonly authorization: string }
  | { readonly t: 'await-auth'; readonly withinMs: number }
  | { readonly t: 'consume-token'; readonly token: string }
  /** Watches the key and takes a connection slot of the account. */
  | { readonly t: 'admit'; readonly caller: Caller }
  | { readonly t: 'send'; readonly message: ServerMessage }
  /** Takes the leases of the subscription with this number, within the limits of `entitlements`. */
  | {
      readonly t: 'lease';
      readonly number: number;
      readonly configuration: string | null;
      readonly entitlements: Entitlements;
    }
  /** Releases all its leases, or the configuration alone. */
  | { readonly t: 'release'; readonly number: number; readonly what: 'all' | 'configuration' }
  | {
      readonly t: 'subscribe';
      readonly sub: string;
      readonly number: number;
      readonly request: StreamRequest;
    }
  | { readonly t: 'unsubscribe'; readonly sub: string }
  /** These events were deferred: step them now, one after the other. */
  | { readonly t: 'replay'; readonly events: readonly ConnectionEvent[] }
  | { readonly t: 'close'; readonly code: CloseCode; readonly reason: string };
