/** `tests/stream-resume.test.ts` with more clients and more cuts. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { killServices } from '../running-service.ts';
import { assertHeld, resumeRun } from '../torture/resume-run.ts';

after(killServices);

test('twelve clients cut four times each, and a killed service, end with the state of an undisturbed one [SUB-14, SUB-15]', async () => {
  const report = await resumeRun({
    clients: 12,
    cuts: 4,
    kills: 1,
    spoilsCache: true,
    seed: 1,
    speed: 300,
  });
  assertHeld(report);
  assert.equal(report.cuts, 48);
});
