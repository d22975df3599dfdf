/** Why a query of history is refused, as plain data: the doors choose status and headers. */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { FieldFault } from '@tapeloom/protocol/problem';
import type { Coverage } from '../results/settled-days.ts';
import { DaysMissingError, ReadOutdatedError } from '../results/settled-errors.ts';
import { ComputeFullError } from '../runs/compute-errors.ts';
import { NotOnTapeError } from '../runs/replay-errors.ts';

export interface HistoryRefusal {
  readonly code: ErrorCode;
  readonly detail: string;
  /** Only with `INVALID_PARAMETERS`. */
  readonly errors?: readonly FieldFault[];
  /** Further members of the problem document. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** For the header `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

export const NOT_WARM_DETAIL =
  'This indicator takes a value over from an earlier session, and no complete session of its look-back gives one.';

/** The indicator had not seen enough of the tape to have objects somewhere in the range. */
export class NotWarmError extends Error {}

export function isRefusal<T extends object>(
  outcome: T | HistoryRefusal,
): outcome is HistoryRefusal {
  return 'code' in outcome && 'detail' in outcome;
}

export function faulty(errors: readonly FieldFault[]): HistoryRefusal {
  const detail = errors.map(({ path, message }) => `${path} ${message}`).join('; ');
  return { code: 'INVALID_PARAMETERS', detail, errors };
}

/** A client that joins the past to a stream tells this by the member: there is no past, and nothing is wrong. */
export function untilBeforeFrom(): HistoryRefusal {
  const refusal = faulty([{ path: '/untilCursor', message: 'must not be before /from' }]);
  return { ...refusal, members: { endsBeforeFrom: true } };
}

/** What an error in the middle of the work means to who asked; null when it is a fault of ours. */
export function refusalOf(error: unknown): HistoryRefusal | null {
  if (error instanceof ComputeFullError) {
    const { retryAfterSeconds } = error;
    const detail = 'The service has no room for this query now. Try again later.';
    return { code: 'CAPACITY', detail, retryAfterSeconds };
  }
  if (error instanceof ReadOutdatedError) {
    const detail = 'Days came to the tape or left it while this was computed. Try again.';
    return { code: 'CAPACITY', detail, retryAfterSeconds: 1 };
  }
  if (error instanceof NotWarmError) {
    return { code: 'NOT_COVERED', detail: NOT_WARM_DETAIL };
  }
  if (error instanceof DaysMissingError) {
    return { ...NOT_COVERED, members: missingMembers(error.days) };
  }
  return error instanceof NotOnTapeError ? NOT_COVERED : null;
}

const NOT_COVERED: HistoryRefusal = {
  code: 'NOT_COVERED',
  detail: 'There is no data for a part of the range.',
};

/** Days that are named in one answer at most. */
export const DAYS_NAMED_MAX = 1_000;

/** The days without data, as documents have them: the first of them, and how many there are. */
export function missingMembers(days: readonly UtcDay[]) {
  return {
    missingDays: days.slice(0, DAYS_NAMED_MAX).map(dayText),
    missingDaysTotal: days.length,
  };
}

/** From when on carried objects come, as answers say it; null where nothing is carried. */
export function lookBackText({ lookBackFrom }: Coverage): string | null {
  return lookBackFrom === null ? null : String(lookBackFrom);
}

/** `2026-11-13`, as days are written in documents. */
export function dayText(day: number): string {
  const text = String(day);
  return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
}
