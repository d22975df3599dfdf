/** Assertions about rejections. */

import assert from 'node:assert/strict';
import { Refusal, type RefusalReason } from '../src/platform/refusal.ts';
import { answerTo, type RefusalAnswer } from '../src/platform/refusal-answer.ts';

/** For `assert.rejects`: this kind of rejection, with these details if given. */
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

/** The customer's explanation of a rejection; fails if it was accepted. */
export async function answerToRefused(asking: Promise<unknown>): Promise<RefusalAnswer> {
  const error = await asking.then(
    () => assert.fail('it was accepted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw error;
  return answerTo(error.reason);
}
