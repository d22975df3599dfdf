/** The error document of every REST error (`application/problem+json`, RFC 9457). */

import type { ErrorCode } from './error-codes.ts';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** One faulty field: `path` is a JSON pointer to it, or to where a missing one belongs. */
export interface FieldFault {
  readonly path: string;
  readonly message: string;
}

/** What a refusal of history adds, where it is known. */
export interface ProblemMembers {
  /** What the request would have cost. */
  readonly computeUnits?: number;
  /** With `QUOTA_EXCEEDED`: what is left this month. */
  readonly remainingComputeUnits?: number;
  /** With `NOT_COVERED`: the days without data, `YYYY-MM-DD`, the first 1,000 of them. */
  readonly missingDays?: readonly string[];
  /** And how many there are. */
  readonly missingDaysTotal?: number;
  /** With `INVALID_PARAMETERS`: `untilCursor` is before `from`, so there is nothing between them. */
  readonly endsBeforeFrom?: true;
  /** With `FORBIDDEN`, at the portal: one of the account's passkeys has to confirm it. */
  readonly needsPasskey?: true;
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
