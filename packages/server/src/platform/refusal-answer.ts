/**
 * The client's error for each rejection, in one table for both endpoints. REST writes it as a problem document, a
 * stream as its `error` message.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type QuestionFault, type RefusalReason, SCARCE } from './refusal.ts';

const RETRY_AFTER_CLOSED_S = 2;
const RETRY_AFTER_ACCOUNTS_S = 5;

export interface RefusalAnswer extends QuestionFault {
  /** The message on a stream, if it concerns a replay. */
  readonly ofReplay?: string;
  readonly retryAfterSeconds?: number;
}

export const NOT_WARM_DETAIL =
  'This indicator carries a value over from an earlier session, but no complete session of its look-back has one.';
const NOT_COVERED = {
  code: 'NOT_COVERED',
  detail: 'Data for part of the range is missing.',
  ofReplay: 'Data of this time, or of its session before it, is missing.',
} as const;

export function answerTo(reason: RefusalReason): RefusalAnswer {
  switch (reason.t) {
    case 'question':
      return reason.fault;
    case 'full':
    case 'behind':
      return {
        code: 'CAPACITY',
        detail: 'The service is at capacity for queries. Try again in a few seconds.',
        ofReplay: 'The service is at capacity for replays. Try again in a few seconds.',
        retryAfterSeconds: SCARCE[reason.t === 'full' ? reason.what : 'thread'].retryAfterSeconds,
      };
    case 'outdated':
      return {
        code: 'CAPACITY',
        detail: 'Data of the range changed while it was computed. Try again.',
        retryAfterSeconds: 1,
      };
    case 'not-warm':
      return { code: 'NOT_COVERED', detail: NOT_WARM_DETAIL };
    case 'days-missing':
      return { ...NOT_COVERED, members: missingMembers(reason.days) };
    case 'day-damaged':
      return { ...NOT_COVERED, members: missingMembers([reason.day]) };
    case 'not-on-tape':
      return NOT_COVERED;
    case 'shut-down':
      return {
        code: 'CAPACITY',
        detail: 'The service is shutting down; try again in a moment.',
        retryAfterSeconds: RETRY_AFTER_CLOSED_S,
      };
    case 'over-budget':
      return overBudget(reason);
    case 'accounts-unavailable':
      return {
        code: 'CAPACITY',
        detail: 'The account database is unavailable. Try again in a few seconds.',
        retryAfterSeconds: RETRY_AFTER_ACCOUNTS_S,
      };
    case 'closed':
    case 'failed':
      return {
        code: 'INTERNAL',
        detail: 'The service failed to respond. Give support the request id.',
        ofReplay: 'The replay failed; try again.',
      };
    default:
      throw new RangeError(`no such reason: ${JSON.stringify(reason satisfies never)}`);
  }
}

function overBudget(reason: Extract<RefusalReason, { t: 'over-budget' }>): RefusalAnswer {
  const { budget, amount, remaining, renewsInSeconds } = reason;
  const answer = { code: 'QUOTA_EXCEEDED', retryAfterSeconds: renewsInSeconds } as const;
  if (budget === 'exportBytes') {
    return { ...answer, detail: 'The export volume of this month is used up.' };
  }
  return {
    ...answer,
    detail: `The request costs ${amount} compute units, but only ${remaining} are left this month.`,
    ofReplay: `The next page of the replay costs ${amount} compute units, but only ${remaining} are left this month.`,
    members: { computeUnits: amount, remainingComputeUnits: remaining },
  };
}

export const DAYS_NAMED_MAX = 1_000;

/** The missing days of a response: the first ones, and their total. */
export function missingMembers(days: readonly UtcDay[]) {
  return {
    missingDays: days.slice(0, DAYS_NAMED_MAX).map(dayText),
    missingDaysTotal: days.length,
  };
}

/** Formats a day as in documents: `2026-11-13`. */
export function dayText(day: number): string {
  const text = String(day);
  return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
}
