/** What a property must have reached to prove something, for properties of few draws. */

import assert from 'node:assert/strict';
import fc from 'fast-check';

const USUAL_SEED = 1;

/** More than `least`. The few draws of another seed may miss what those of the usual one are known to reach. */
export function assertReached(what: string, count: number, least: number): void {
  const { seed = USUAL_SEED } = fc.readConfigureGlobal();
  if (seed !== USUAL_SEED) return;
  assert.ok(count > least, `${what}: ${count}, and not more than ${least}`);
}
