/** What can happen to a connection, and what its machine can order. Both are plain records. */

import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { CloseCode } from '@tapeloom/protocol/close-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { DoorVerdict } from '../../accounts/auth/doorkeeper.ts';
import type { StreamRequest } from '../delivery/stream-request.ts';
import type { ErrorReply } from '../wire/client-message.ts';

/** Why a subscription may not have what it asked for; `fault` is ours. */
export type LeaseRefusal = 'subscription' | 'configuration' | 'fault';

export type ConnectionEvent =
  | {
      readonly t: 'opened';
      readonly authorization: string | undefined;
      /** The client's address. */
      readonly address: string;
    }
  /** The header's key, or the token of the first message, was looked at. */
  | { readonly t: 'judged'; readonly authentication: DoorVerdict }
  | { readonly t: 'auth-overdue' }
  /** The account opens connections faster than anybody needs to. */
  | { readonly t: 'connects-exceeded'; readonly retryAfterSeconds: number }
  /** Whether the account may have one more connection. */
  | { readonly t: 'admitted'; readonly isGranted: boolean }
  /** A text frame; `now` is the service's time, `tapeTime` what the tape has promised. */
  | {
      readonly t: 'text';
      readonly text: string;
      readonly now: EpochNs;
      readonly tapeTime: EpochNs;
    }
  | { readonly t: 'binary' }
  /** What a subscription counts as was taken, or refused. */
  | { readonly t: 'leased'; readonly number: number; readonly refused: LeaseRefusal | null }
  /** The client was told that the subscription is accepted. */
  | { readonly t: 'begun'; readonly sub: string; readonly now: EpochNs }
  /** The subscription was refused or interrupted. */
  | { readonly t: 'ended'; readonly sub: string; readonly reply: Omit<ErrorReply, 'sub'> }
  /** Five seconds have passed; `cursors` has the subscriptions that can be resumed, by name. */
  | {
      readonly t: 'heartbeat';
      readonly now: EpochNs;
      readonly cursors: ReadonlyMap<string, string>;
    }
  /** The tape, seen with this delay, entered a new UTC day: aliases may mean other contracts now. */
  | {
      readonly t: 'tape-day';
      readonly delaySeconds: number;
      readonly now: EpochNs;
      readonly tapeTime: EpochNs;
    }
  /** Every connection has given back what it no longer needs: what moves may take what it needs. */
  | { readonly t: 'move-on' }
  | { readonly t: 'key-ended' }
  /** The rights of the key as they are now; null when it has ended. */
  | { readonly t: 'rights-changed'; readonly caller: Caller | null }
  /** The account may no longer have so many connections, and older ones are enough. */
  | { readonly t: 'connection-beyond' }
  /** The same of subscriptions and custom configurations, by their numbers. */
  | {
      readonly t: 'subscriptions-beyond';
      readonly beyond: ReadonlyMap<number, Exclude<LeaseRefusal, 'fault'>>;
    }
  /** What is open is judged by the rights as they are now. */
  | { readonly t: 'judge-again'; readonly now: EpochNs; readonly tapeTime: EpochNs }
  /** More frames than a client may send. */
  | { readonly t: 'rate-exceeded' }
  /** The client has sent nothing for too long. */
  | { readonly t: 'silent' }
  | { readonly t: 'overflow' }
  | { readonly t: 'shutdown' };

export type TextEvent = Extract<ConnectionEvent, { t: 'text' }>;

export type ConnectionAction =
  | { readonly t: 'judge'; readonly authorization: string }
  | { readonly t: 'await-auth'; readonly withinMs: number }
  | { readonly t: 'consume-token'; readonly token: string }
  /** Watches the key, and takes a connection of the account. */
  | { readonly t: 'admit'; readonly caller: Caller }
  | { readonly t: 'send'; readonly message: ServerMessage }
  /** Takes what the subscription of this number counts as, within the limits of these. */
  | {
      readonly t: 'lease';
      readonly number: number;
      readonly configuration: string | null;
      readonly entitlements: Entitlements;
    }
  /** Gives it back: all of it, or the configuration alone. */
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
