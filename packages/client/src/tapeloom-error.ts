/**
 * The one class of everything that goes wrong with the service. `code` is what a program decides by: the
 * codes of the service reach the caller as the service sent them, and the client has a few of its own.
 */

import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault } from '@tapeloom/protocol/problem';

/**
 * Codes that the service does not send. `CONFIGURATION`: options or arguments that cannot work. `CLOSED`:
 * used after it was closed. `NETWORK`: no answer, or not all of one; `cause` says why. `INVALID_RESPONSE`: an
 * answer that is not of this service. The others say why a stream has ended for good.
 */
export const CLIENT_ERROR_CODES = [
  'CONFIGURATION',
  'CLOSED',
  'NETWORK',
  'INVALID_RESPONSE',
  'KEY_REVOKED',
  'ENTITLEMENTS_CHANGED',
  'TOO_MANY_CONNECTIONS',
  'PROTOCOL_ERROR',
  'BINARY_NOT_SUPPORTED',
  'INVALID_UTF8',
  'MESSAGE_TOO_BIG',
] as const;
export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number];

/** `HTTP_<status>` is an error answer without an error document, of a proxy say. The list of codes may grow. */
export type TapeloomErrorCode =
  | ErrorCode
  | ClientErrorCode
  | `HTTP_${number}`
  | (string & Record<never, never>);

/** What is known beside the code and the sentence. */
export interface TapeloomErrorDetails {
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly errors?: readonly FieldFault[];
  readonly retryAfterSeconds?: number | null;
  readonly computeUnits?: number | null;
  readonly remainingComputeUnits?: number | null;
  readonly missingDays?: readonly string[];
  readonly missingDaysTotal?: number | null;
  readonly endsBeforeFrom?: boolean;
  readonly cause?: unknown;
}

export class TapeloomError extends Error {
  override readonly name = 'TapeloomError';
  readonly code: TapeloomErrorCode;
  /** Of the HTTP answer; null where there was none. */
  readonly status: number | null;
  /** Tell it to support. */
  readonly requestId: string | null;
  /** With `INVALID_PARAMETERS`: each faulty field, by its JSON pointer. */
  readonly errors: readonly FieldFault[];
  /** How long the service asks to wait; null where it did not say. */
  readonly retryAfterSeconds: number | null;
  /** Refusals of history and exports: what it would cost, and what is left this month. */
  readonly computeUnits: number | null;
  readonly remainingComputeUnits: number | null;
  /** With `NOT_COVERED`: the days without data, the first 1,000 of them, and how many there are. */
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number | null;
  /** With `INVALID_PARAMETERS`: `untilCursor` is before `from`, so there is nothing between them. */
  readonly endsBeforeFrom: boolean;

  constructor(code: TapeloomErrorCode, message: string, details: TapeloomErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.errors = details.errors ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.computeUnits = details.computeUnits ?? null;
    this.remainingComputeUnits = details.remainingComputeUnits ?? null;
    this.missingDays = details.missingDays ?? [];
    this.missingDaysTotal = details.missingDaysTotal ?? null;
    this.endsBeforeFrom = details.endsBeforeFrom ?? false;
  }
}
