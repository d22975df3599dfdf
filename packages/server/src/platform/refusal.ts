/**
 * Why a request is rejected, as far as the caller may know. It is thrown where the reason is found, crosses threads as
 * plain data, and becomes a client's error only at the endpoints (`platform/refusal-answer.ts`).
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault, ProblemMembers } from '@tapeloom/protocol/problem';

/** What may be exhausted, in words for a log, and when a retry may help. */
export const SCARCE = {
  queue: { words: 'too much is waiting to be computed', retryAfterSeconds: 5 },
  account: { words: 'too much of this account is waiting to be computed', retryAfterSeconds: 5 },
  late: { words: 'no slot became free in time', retryAfterSeconds: 5 },
  questions: { words: 'too many queries at once', retryAfterSeconds: 5 },
  thread: { words: 'no compute thread has a free slot', retryAfterSeconds: 5 },
  cursors: { words: 'too many requests wait for a cursor', retryAfterSeconds: 1 },
  tables: { words: 'too many tables are being written', retryAfterSeconds: 5 },
  bytes: { words: 'earlier responses were not read in time', retryAfterSeconds: 10 },
} as const;
export type Scarce = keyof typeof SCARCE;

export type RefusalReason =
  /** No capacity now; a later retry may help. */
  | { readonly t: 'full'; readonly what: Scarce }
  /** This node, or one of its compute threads, has not reached the requested part of the tape. */
  | { readonly t: 'behind' }
  | { readonly t: 'not-on-tape'; readonly what: string }
  /** Days of the range are missing or known to be damaged. */
  | { readonly t: 'days-missing'; readonly contract: string; readonly days: readonly UtcDay[] }
  /** A needed sealed day is damaged. It counts as missing from now on. */
  | { readonly t: 'day-damaged'; readonly contract: string; readonly day: UtcDay }
  /** The indicator had too little past for objects somewhere in the range. */
  | { readonly t: 'not-warm'; readonly indicator: string; readonly day: UtcDay }
  /** Days that the read depends on have changed since it began: new results would not fit those already read. */
  | { readonly t: 'outdated' }
  | { readonly t: 'closed' }
  | { readonly t: 'shut-down' }
  /** An internal fault; its details are only for the operator. */
  | { readonly t: 'failed' }
  /** The month's budget does not suffice; `renewsInSeconds`: until the next month. */
  | {
      readonly t: 'over-budget';
      readonly budget: 'computeUnits' | 'exportBytes';
      readonly amount: number;
      readonly remaining: number;
      readonly renewsInSeconds: number;
    }
  | { readonly t: 'accounts-unavailable' }
  /** The request is invalid, or not allowed for this caller; holds the error of the response. */
  | { readonly t: 'question'; readonly fault: QuestionFault };

export interface QuestionFault {
  readonly code: ErrorCode;
  readonly detail: string;
  /** Only with `INVALID_PARAMETERS`. */
  readonly errors?: readonly FieldFault[];
  readonly members?: ProblemMembers;
}

export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, cause?: unknown) {
    const words = wordsOf(reason);
    super(cause instanceof Error ? `${words}: ${cause.message}` : words, { cause });
    this.reason = reason;
  }

  /** A rejection of these fields of the request. */
  static ofFields(errors: readonly FieldFault[], members?: ProblemMembers): Refusal {
    const detail = errors.map(({ path, message }) => `${path} ${message}`).join('; ');
    const code = 'INVALID_PARAMETERS';
    return Refusal.ofQuestion({ code, detail, errors, ...(members && { members }) });
  }

  static ofQuestion(fault: QuestionFault): Refusal {
    return new Refusal({ t: 'question', fault });
  }
}

/** The reason of an error; `failed` for any error that is no `Refusal`. */
export function reasonOf(error: unknown): RefusalReason {
  return error instanceof Refusal ? error.reason : { t: 'failed' };
}

export function isRefused(error: unknown, t: RefusalReason['t']): error is Refusal {
  return error instanceof Refusal && error.reason.t === t;
}

/** What was exhausted; null for another reason. */
export function scarceFor(error: unknown): Scarce | null {
  const reason = reasonOf(error);
  if (reason.t === 'full') return reason.what;
  return reason.t === 'behind' ? 'thread' : null;
}

function wordsOf(reason: RefusalReason): string {
  switch (reason.t) {
    case 'full':
      return SCARCE[reason.what].words;
    case 'behind':
      return 'a compute thread is behind the tape';
    case 'not-on-tape':
      return `${reason.what} is not on the tape`;
    case 'days-missing':
      return `${reason.contract} has no data for ${reason.days.join(', ')}`;
    case 'day-damaged':
      return `${reason.contract} ${reason.day} is damaged`;
    case 'not-warm':
      return `${reason.indicator} was not warm on ${reason.day}`;
    case 'outdated':
      return 'days before the range were added or removed';
    case 'closed':
      return 'the source of the read is closed';
    case 'shut-down':
      return 'the service is shutting down';
    case 'failed':
      return 'the computation failed';
    case 'over-budget':
      return `${reason.amount} of ${reason.budget} requested, ${reason.remaining} left`;
    case 'accounts-unavailable':
      return 'the account database is unavailable';
    case 'question':
      return reason.fault.detail;
    default:
      throw new RangeError(`no such reason: ${JSON.stringify(reason satisfies never)}`);
  }
}
