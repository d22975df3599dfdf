import { test } from 'node:test';
import { okxDialect } from '../../../../testing/live/dialects/okx-dialect.ts';
import { assertFeedSurvives } from '../../../../testing/live/feed-property.ts';

const SCHEDULES = 4;

test('whatever happens, a tape from OKX has every trade in order or a gap that names it, and never both', () => {
  assertFeedSurvives(okxDialect, SCHEDULES);
});
