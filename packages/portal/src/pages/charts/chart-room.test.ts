import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import { withoutItem } from './chart-items.ts';
import { changedNeeds } from './chart-room.ts';
import { withIndicator } from './item-changes.ts';

const keysOf = (before: typeof DEFAULT_CHART, next: typeof DEFAULT_CHART | null) => {
  const { needs, givenUp } = changedNeeds('c1', before, next);
  return [needs.map(({ key }) => key), givenUp];
};

test('only what is new needs room, and what goes gives its place', () => {
  const large = withIndicator(DEFAULT_CHART, 'large-trades', {}, 'large-trades');
  assert.deepEqual(keysOf(DEFAULT_CHART, large), [['c1/large-trades'], []]);
  assert.deepEqual(keysOf(large, withoutItem(large, 'large-trades')), [[], ['c1/large-trades']]);
  const other = withIndicator(DEFAULT_CHART, 'large-trades', { minSize: 50 }, 'large-trades');
  assert.deepEqual(keysOf(large, other), [['c1/large-trades'], []]);
  assert.deepEqual(keysOf(large, { ...large, look: 'delta' }), [[], []]);
  assert.deepEqual(keysOf(large, null), [[], []]);
});
