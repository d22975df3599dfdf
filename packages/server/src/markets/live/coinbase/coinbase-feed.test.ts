import { test } from 'node:test';
import { coinbaseDialect } from '../../../../testing/live/dialects/coinbase-dialect.ts';
import { assertFeedSurvives } from '../../../../testing/live/feed-property.ts';

const SCHEDULES = 3;

test('whatever happens to a feed of Coinbase, its tape is whole or names what is missing', () => {
  assertFeedSurvives(coinbaseDialect, SCHEDULES);
});
