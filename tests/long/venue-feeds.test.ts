import { test } from 'node:test';
import { ALL_DIALECTS } from '../../packages/server/testing/live/dialects/all-dialects.ts';
import { assertFeedSurvives } from '../../packages/server/testing/live/feed-property.ts';

/** Of each venue; `npm test` runs three to five. */
const SCHEDULES = 100;
/** A repeated stream has rules of its own: `databento-feed.test.ts`. */
const REPEATING = 'databento';

for (const [venue, dialect] of Object.entries(ALL_DIALECTS)) {
  if (venue === REPEATING) continue;
  test(`${venue}: many histories of venue and machine, and every trade is on the tape or named`, () => {
    assertFeedSurvives(dialect(), SCHEDULES);
  });
}
