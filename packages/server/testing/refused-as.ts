/** What was refused, as tests look at it. */

import assert from 'node:assert/strict';
import { Refusal, type RefusalReason } from '../src/platform/refusal.ts';
import { answerTo, type RefusalAnswer } from '../src/platform/refusal-answer.ts';

/** For `assert.rejects`: refused for this kind of reason, with these details if they are told. */
export function refusedAs<T extends RefusalReason['t']>(
  t: T,
  details: Partial<Extract<RefusalReason, { t: T }>> = {},
): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof Refusal, `not refused, but ${error}`);
    assert.deepEqual(error.reason, { ...error.reason, ...details, t });
    return true;
  };
}

/** What a customer is told of why this was refused; fails when it was not. */
export async function answerToRefused(asking: Promise<unknown>): Promise<RefusalAnswer> {
  const error = await asking.then(
    () => assert.fail('it was accepted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw error;
  return answerTo(error.reason);
}
