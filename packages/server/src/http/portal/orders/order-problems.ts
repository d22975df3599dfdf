/** Errors for an order that is not the account's own, and for a payment provider that fails. */

import { UpstreamError } from '../../../billing/payment-provider.ts';
import { ProblemError } from '../../server/problems/problem-error.ts';
import type { RouteError } from '../../server/route.ts';

const RETRY_AFTER_S = 5;

export const UNKNOWN_ORDER: RouteError = { code: 'NOT_FOUND', status: 404 };
export const CONFLICT: RouteError = { code: 'CONFLICT', status: 409 };
export const UPSTREAM: RouteError = { code: 'UPSTREAM_ERROR', status: 502 };

/** Turns a failure of the provider into the error for the client, with the outcome of its request. */
export async function upstream<Result>(asked: Promise<Result>, outcome: string): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const detail = `The payment provider did not respond as expected. ${outcome} Try again in a moment.`;
    const headers = { 'retry-after': String(RETRY_AFTER_S) };
    throw new ProblemError('UPSTREAM_ERROR', detail, { headers, cause: error });
  }
}

export function unknownOrder(): ProblemError {
  return new ProblemError('NOT_FOUND', 'The account has no order with this id.');
}
