import { test } from 'node:test';
import { runSchedule } from '../../../testing/tape/shared-tape-schedule.ts';

/** `tests/long` runs thousands of schedules. */
const SCHEDULES = 20;

test('whatever happens between nodes and stream: no record is lost, doubled or moved, and somebody appends in the end', async () => {
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    try {
      await runSchedule(seed);
    } catch (error) {
      throw new Error(`with seed ${seed}`, { cause: error });
    }
  }
});
