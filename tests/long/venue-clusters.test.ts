import { test } from 'node:test';
import {
  assertClusterSurvives,
  CLUSTER_DIALECTS,
} from '../../packages/server/testing/live/cluster-property.ts';

/** Of each venue; `npm test` runs two. */
const SCHEDULES = 60;

for (const [venue, dialect] of Object.entries(CLUSTER_DIALECTS)) {
  test(`${venue}: many histories of venue and machines, and every trade is on each tape or named`, async () => {
    await assertClusterSurvives(dialect(), SCHEDULES);
  });
}
