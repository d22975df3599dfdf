import { test } from 'node:test';
import { runSchedule } from '../../packages/server/testing/tape/shared-tape-schedule.ts';

/** `npm test` runs the first twenty. */
const SCHEDULES = 1_500;

test('thousands of histories of nodes and stream: no record is lost, doubled or moved', async () => {
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    try {
      await runSchedule(seed);
    } catch (error) {
      throw new Error(`with seed ${seed}`, { cause: error });
    }
  }
});
