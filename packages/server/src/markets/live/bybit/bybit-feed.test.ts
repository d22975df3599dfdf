import { test } from 'node:test';
import { bybitDialect } from '../../../../testing/live/dialects/bybit-dialect.ts';
import { assertFeedSurvives } from '../../../../testing/live/feed-property.ts';

const SCHEDULES = 12;

test('whatever a reconnect can show, a tape from Bybit has every trade in order or a gap that names it', () => {
  assertFeedSurvives(bybitDialect, SCHEDULES);
});
