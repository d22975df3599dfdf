/**
 * Why something is not to be had, as far as who asked for it may know. It is thrown where it is found, crosses
 * threads as its reason, which is plain data, and becomes words for a customer at the doors only
 * (`platform/refusal-answer.ts`).
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault, ProblemMembers } from '@tapeloom/protocol/problem';

/** What there may be no room for, in words for a log, and when asking again may help. */
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
  /** There is no room now; asking again later may help. */
  | { readonly t: 'full'; readonly what: Scarce }
  /** A compute thread does not know the tape as far as was asked for. */
  | { readonly t: 'behind' }
  | { readonly t: 'not-on-tape'; readonly what: string }
  /** Days of the range are not on the tape, or known to be damaged. */
  | { readonly t: 'days-missing'; readonly contract: string; readonly days: readonly UtcDay[] }
  /** A sealed day that had to be read is not what was written. From now on it counts as missing. */
  | { readonly t: 'day-damaged'; readonly contract: string; readonly day: UtcDay }
  /** The indicator had not seen enough of the tape to have objects somewhere in the range. */
  | { readonly t: 'not-warm'; readonly indicator: string; readonly day: UtcDay }
  /** The days before the range are others by now: what follows would not fit what was read. */
  | { readonly t: 'outdated' }
  /** What was read was disposed of. */
  | { readonly t: 'closed' }
  /** Everything was shut down. */
  | { readonly t: 'shut-down' }
  /** Something of ours failed; what it was is told to the operator only. */
  | { readonly t: 'failed' }
  /** The month has not so much left; `renewsInSeconds`: until the next one. */
  | {
      readonly t: 'over-budget';
      readonly budget: 'computeUnits' | 'exportBytes';
      readonly amount: number;
      readonly remaining: number;
      readonly renewsInSeconds: number;
    }
  | { readonly t: 'accounts-unavailable' }
  /** What was asked for cannot be, or not for this caller: in the words of the answer. */
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

  /** With these fields of the question. */
  static ofFields(errors: readonly FieldFault[], members?: ProblemMembers): Refusal {
    const detail = errors.map(({ path, message }) => `${path} ${message}`).join('; ');
    const code = 'INVALID_PARAMETERS';
    return Refusal.ofQuestion({ code, detail, errors, ...(members && { members }) });
  }

  static ofQuestion(fault: QuestionFault): Refusal {
    return new Refusal({ t: 'question', fault });
  }
}

/** The reason of an error; whatever is no refusal has failed. */
export function reasonOf(error: unknown): RefusalReason {
  return error instanceof Refusal ? error.reason : { t: 'failed' };
}

/** Whether something was refused for this kind of reason. */
export function isRefused(error: unknown, t: RefusalReason['t']): error is Refusal {
  return error instanceof Refusal && error.reason.t === t;
}

/** What there was no room for; null when that is not why. */
export function scarceFor(error: unknown): Scarce | null {
  const reason = reasonOf(error);
  if (reason.t === 'full') return reason.what;
  return reason.t === 'behind' ? 'thread' : null;
}

/** For a log. */
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
