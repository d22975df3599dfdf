/** The error document of every REST error (`application/problem+json`, RFC 9457). */

import type { ErrorCode } from './error-codes.ts';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** One invalid field: `path` is a JSON pointer to it, or to where a missing one belongs. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** Additional members of an error, if known. */
export interface ProblemMembers {
  /** The cost of the rejected request. */
  readonly computeUnits?: number;
  /** With `QUOTA_EXCEEDED`: the units left this month. */
  readonly remainingComputeUnits?: number;
  /** With `NOT_COVERED`: the first 1,000 days without data, `YYYY-MM-DD`. */
  readonly missingDays?: readonly string[];
  /** The total number of such days. */
  readonly missingDaysTotal?: number;
  /** With `INVALID_PARAMETERS`: `untilCursor` is before `from`, so the range is empty. */
  readonly endsBeforeFrom?: true;
  /** With `FORBIDDEN`, at the portal: one of the account's passkeys must confirm the request. */
  readonly needsPasskey?: true;
  /** With `CONFLICT`, at the portal: the number of the newest state of the layout. */
  readonly state?: number;
}

export interface Problem extends ProblemMembers {
  /** `<docs>/errors#<code-in-kebab-case>`. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  /** The request id, for support. */
  readonly instance: string;
  /** Only with `INVALID_PARAMETERS`. */
  readonly errors?: readonly FieldFault[];
}
