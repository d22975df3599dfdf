import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { killServices } from './running-service.ts';
import { assertHeld, resumeRun } from './torture/resume-run.ts';

after(killServices);

test('clients cut at random, and a killed service, end with the state of an undisturbed one [OBJ-09, SUB-14, SUB-15, EVT-05, EVT-15, EVT-23]', async () => {
  const report = await resumeRun({
    clients: 8,
    cuts: 3,
    kills: 1,
    spoilsCache: true,
    seed: 1,
    speed: 300,
  });
  assertHeld(report);
  assert.equal(report.cuts, 24);
  // How many cursors expire meanwhile depends on the speed of the machine.
  const least = Math.min(report.resumes, report.updates, report.cutsMidFrame);
  assert.ok(least > 0, JSON.stringify(report));
});
