/** An answer that is an error: thrown by a route or hook, written as a problem document. Its status fits its code. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { waitText } from '@tapeloom/core/person/wait-text';
import { SECOND_NS } from '@tapeloom/core/units';
import { ERROR_CODES, type ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault, ProblemMembers } from '@tapeloom/protocol/problem';

export interface ProblemOptions {
  /** One of the code's statuses; by default the first. */
  readonly status?: number;
  readonly errors?: readonly FieldFault[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly members?: ProblemMembers;
  readonly cause?: unknown;
}

export class ProblemError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly FieldFault[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: ProblemMembers;

  constructor(code: ErrorCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    const statuses: readonly number[] = ERROR_CODES[code].statuses;
    const status = options.status ?? statuses[0];
    if (status === undefined || !statuses.includes(status)) {
      throw new RangeError(`${code} has no HTTP status ${status}`);
    }
    this.code = code;
    this.status = status;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}

/** `INVALID_PARAMETERS` at exactly these fields; `path` "" is the whole body. */
export function invalidParameters(
  errors: readonly FieldFault[],
  options: ProblemOptions = {},
): ProblemError {
  const detail = errors.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return new ProblemError('INVALID_PARAMETERS', detail.join('; '), { ...options, errors });
}

/** `RATE_LIMITED` until an instant; the text ends with the time to wait. */
export function rateLimited(why: string, until: EpochNs, now: EpochNs): ProblemError {
  const seconds = Math.max(1, Math.ceil(Number(until - now) / SECOND_NS));
  return new ProblemError('RATE_LIMITED', `${why} Try again in ${waitText(seconds)}.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
