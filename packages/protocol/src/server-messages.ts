/**
 * The messages of the server: text frames of one JSON object, its kind in `t`. Fields and kinds may be added; a client
 * ignores those it does not know. All times (`ts`, `effectiveAt`) are nanoseconds since 1970-01-01 UTC as decimal text.
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

/** `catalog` is reserved: a catalogue changes only with the service's version, and streams end with that. */
export const NOTICE_KINDS = ['reconnect', 'roll', 'deprecation', 'catalog'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** The error codes of a stream; all others are for REST, or appear as close codes. */
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

/** An object of a stream; `data` has the shape that the indicator publishes. */
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
  /** The requested name, a symbol or an alias. */
  readonly instrument: string;
  /** The contract that the name stands for now. */
  readonly contract: string;
  readonly tickSizeNanos: number;
}

export interface StatusMessage {
  readonly t: 'status';
  readonly sub: string;
  readonly state: StreamState;
  readonly lagMs: number;
  /** Trades of the session are missing before this instant, in nanoseconds. Absent if none are. */
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

/** Without `sub` if the message it responds to could not be parsed. */
export interface ErrorMessage {
  readonly t: 'error';
  readonly sub?: string;
  readonly code: ErrorCode;
  readonly message: string;
  /** With `INVALID_PARAMETERS`: each invalid field. */
  readonly errors?: readonly FieldFault[];
}

/** One per subscription with its resume cursor; one without both on a connection without subscriptions. */
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
  /** With `roll`: the alias that will stand for another contract. */
  readonly instrument?: string;
  /** With `deprecation`: the indicator that will be removed. */
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
