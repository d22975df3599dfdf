import { test } from 'node:test';
import { assertClusterSurvives } from '../../packages/server/testing/live/cluster-property.ts';
import { ALL_DIALECTS } from '../../packages/server/testing/live/dialects/all-dialects.ts';

/** Of each venue; `npm test` runs two, of one venue for each way to prove that nothing is missing. */
const SCHEDULES = 60;

for (const [venue, dialect] of Object.entries(ALL_DIALECTS)) {
  test(`${venue}: many histories of venue and machines, and every trade is on each tape or named`, async () => {
    await assertClusterSurvives(dialect(), SCHEDULES);
  });
}
