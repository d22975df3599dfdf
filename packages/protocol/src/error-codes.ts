/**
 * The one table of error codes, the same for REST and WebSocket. A published code never changes its name or meaning;
 * the list only grows. Texts are for people and may change.
 */

export interface ErrorCodeEntry {
  /** The HTTP statuses of the code, the usual one first; empty for WebSocket-only codes. */
  readonly statuses: readonly number[];
  readonly title: string;
  /** Whether the same request may succeed later without a change by the caller. */
  readonly retryable: boolean;
}

export const ERROR_CODES = {
  INVALID_PARAMETERS: {
    statuses: [400, 413, 414, 415],
    title: 'Invalid parameters',
    retryable: false,
  },
  UNKNOWN_INDICATOR: { statuses: [404], title: 'Unknown indicator', retryable: false },
  UNKNOWN_INSTRUMENT: { statuses: [404], title: 'Unknown instrument', retryable: false },
  NOT_COVERED: { statuses: [402], title: 'No data for the range', retryable: false },
  WARMING: { statuses: [409], title: 'Not ready yet', retryable: true },
  QUOTA_EXCEEDED: { statuses: [429, 409], title: 'Quota exceeded', retryable: false },
  RATE_LIMITED: { statuses: [429], title: 'Too many requests', retryable: true },
  CAPACITY: { statuses: [503], title: 'Temporarily at capacity', retryable: true },
  CURSOR_EXPIRED: { statuses: [410], title: 'Cursor too old', retryable: false },
  UNAUTHORIZED: { statuses: [401], title: 'Not authenticated', retryable: false },
  FORBIDDEN: { statuses: [403], title: 'Not allowed', retryable: false },
  NOT_FOUND: { statuses: [404, 405], title: 'Not found', retryable: false },
  CONFLICT: { statuses: [409], title: 'Conflict', retryable: false },
  WITHDRAWAL_WAIVER_REQUIRED: {
    statuses: [400],
    title: 'Withdrawal waiver required',
    retryable: false,
  },
  SOURCE_DOWN: { statuses: [], title: 'Source unavailable', retryable: true },
  UPSTREAM_ERROR: { statuses: [502], title: 'A dependency failed', retryable: true },
  INTERNAL: { statuses: [500], title: 'Internal error', retryable: true },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The anchor of a code in the documentation: `INVALID_PARAMETERS` → `invalid-parameters`. */
export function errorAnchor(code: ErrorCode): string {
  return code.toLowerCase().replaceAll('_', '-');
}
