/** What a customer hears of a payment provider that fails: that it does, and what became of the wish. */

import { UpstreamError } from '../../billing/payment-provider.ts';
import { ProblemError } from '../server/problem-error.ts';

const RETRY_AFTER_S = 5;

export async function upstream<Result>(asked: Promise<Result>, outcome: string): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const detail = `The payment provider did not answer as it should. ${outcome} Try again in a moment.`;
    const headers = { 'retry-after': String(RETRY_AFTER_S) };
    throw new ProblemError('UPSTREAM_ERROR', detail, { headers, cause: error });
  }
}
