import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { killServices } from './running-service.ts';
import { assertExportsHeld, exportRun } from './torture/export-run.ts';

after(killServices);

test('exports cut anywhere, also by a kill and over a cache that is being spoilt, join to the undisturbed file and are charged exactly [EXP-06] [COUNT-15] [COUNT-22] [COUNT-24] [COUNT-25] [COUNT-26]', async () => {
  const report = await exportRun({
    exports: 24,
    cutsMax: 4,
    clients: 4,
    queries: 10,
    days: 1,
    kills: 1,
    spoilsCache: true,
    seed: 5,
  });
  assertExportsHeld(report);
  assert.equal(report.exports, 24);
  // Which responses a kill interrupts depends on the speed of the machine.
  const least = Math.min(report.interrupted, report.bytesRead, ...Object.values(report.cuts));
  assert.ok(least > 0, JSON.stringify(report));
});
