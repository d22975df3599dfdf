/**
 * What the server sends: text frames of one JSON object, its kind in `t`. Fields may be added in time;
 * a client ignores the ones it does not know, and any `t` it does not know. All times (`ts`,
 * `effectiveAt`) are nanoseconds since 1970-01-01 UTC as decimal text.
 */

import type { ErrorCode } from './error-codes.ts';
import type { FieldFault } from './problem.ts';
import type { StreamState } from './status-states.ts';

export const RESET_REASONS = [
  'cursor_expired',
  'roll',
  'entitlement_changed',
  'source_gap',
  'engine_changed',
] as const;
export type ResetReason = (typeof RESET_REASONS)[number];

/** `catalog` is reserved: a catalogue changes with a new version of the service only, and streams do not outlive that. */
export const NOTICE_KINDS = ['reconnect', 'roll', 'deprecation', 'catalog'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** The error codes a stream can carry; all others are for REST, or show as close codes. */
export const STREAM_ERROR_CODES = [
  'INVALID_PARAMETERS',
  'UNKNOWN_INDICATOR',
  'UNKNOWN_INSTRUMENT',
  'NOT_COVERED',
  'QUOTA_EXCEEDED',
  'RATE_LIMITED',
  'CAPACITY',
  'FORBIDDEN',
  'SOURCE_DOWN',
  'INTERNAL',
] as const satisfies readonly ErrorCode[];

/** An object of a stream; `data` has the shape the indicator publishes. */
export interface StreamObject {
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
  readonly data: unknown;
}

export interface SubscribedMessage {
  readonly t: 'subscribed';
  readonly sub: string;
  readonly topic: string;
  /** The name that was asked for, a symbol or an alias. */
  readonly instrument: string;
  /** The contract that name means now. */
  readonly contract: string;
  readonly tickSizeNanos: number;
}

export interface StatusMessage {
  readonly t: 'status';
  readonly sub: string;
  readonly state: StreamState;
  readonly lagMs: number;
  /** Nanoseconds: the session is not whole, the stream has it from here on. Absent where it is. */
  readonly partialSince?: string;
}

export interface SnapshotMessage {
  readonly t: 'snapshot';
  readonly sub: string;
  readonly cursor: string;
  readonly items: readonly StreamObject[];
}

export interface UpsertMessage extends StreamObject {
  readonly t: 'upsert';
  readonly sub: string;
  readonly cursor: string;
}

export interface RemoveMessage {
  readonly t: 'remove';
  readonly sub: string;
  readonly cursor: string;
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
}

export interface ResetMessage {
  readonly t: 'reset';
  readonly sub: string;
  readonly reason: ResetReason;
}

/** Without `sub` when the message it answers could not be understood. */
export interface ErrorMessage {
  readonly t: 'error';
  readonly sub?: string;
  readonly code: ErrorCode;
  readonly message: string;
  /** For `INVALID_PARAMETERS`: what is wrong where. */
  readonly errors?: readonly FieldFault[];
}

/** Per subscription with its resume cursor; without both on a connection that has none. */
export interface HeartbeatMessage {
  readonly t: 'hb';
  readonly sub?: string;
  readonly cursor?: string;
  readonly ts: string;
}

export interface PongMessage {
  readonly t: 'pong';
  readonly id?: string | number;
  readonly ts: string;
}

export interface NoticeMessage {
  readonly t: 'notice';
  readonly kind: NoticeKind;
  readonly effectiveAt?: string;
  /** For a `roll`: the alias that is to mean another contract. */
  readonly instrument?: string;
  /** For a `deprecation`: the indicator that is to go. */
  readonly indicator?: string;
}

export type ServerMessage =
  | SubscribedMessage
  | StatusMessage
  | SnapshotMessage
  | UpsertMessage
  | RemoveMessage
  | ResetMessage
  | ErrorMessage
  | HeartbeatMessage
  | PongMessage
  | NoticeMessage;
