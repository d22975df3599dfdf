/** Errors of the client: the codes of the service, unchanged, and a few of its own. */

import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault } from '@tapeloom/protocol/problem';

/**
 * Codes that the service does not send. `CONFIGURATION`: invalid options or arguments. `CLOSED`: used after it was
 * closed. `NETWORK`: no response, or an incomplete one, with the reason in `cause`. `INVALID_RESPONSE`: not a response
 * of this service. The others give the reason why a stream ended for good.
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

/** `HTTP_<status>`: an error response without an error document, of a proxy for example. More codes may be added. */
export type TapeloomErrorCode =
  | ErrorCode
  | ClientErrorCode
  | `HTTP_${number}`
  | (string & Record<never, never>);

/** The fields of an error besides its code and message. */
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

/** The one error class of the client. Let your program decide by `code`. */
export class TapeloomError extends Error {
  override readonly name = 'TapeloomError';
  readonly code: TapeloomErrorCode;
  /** The status of the HTTP response; null without one. */
  readonly status: number | null;
  /** Quote it to support. */
  readonly requestId: string | null;
  /** With `INVALID_PARAMETERS`: each invalid field, by its JSON pointer. */
  readonly errors: readonly FieldFault[];
  /** The wait that the service requests; null if it names none. */
  readonly retryAfterSeconds: number | null;
  /** Errors of history and exports: the cost of the request, and the units left this month. */
  readonly computeUnits: number | null;
  readonly remainingComputeUnits: number | null;
  /** With `NOT_COVERED`: the first 1,000 days without data, and the total number. */
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number | null;
  /** With `INVALID_PARAMETERS`: `untilCursor` is before `from`, so the range is empty. */
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
