import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TapeStates } from './tape-states.ts';

test('the progress of past days is that of all datasets together', () => {
  const states = new TapeStates(['binance-usdm', 'okx']);
  const fill = (dataset: string, days: number, daysTotal: number) =>
    states.filled(dataset, 'rest', { days, daysTotal });
  assert.deepEqual(fill('okx', 0, 1), { days: 0, daysTotal: 1 });
  assert.deepEqual(fill('binance-usdm', 0, 4), { days: 0, daysTotal: 5 });
  assert.deepEqual(fill('okx', 1, 1), { days: 1, daysTotal: 5 });
  assert.deepEqual(fill('binance-usdm', 4, 4), { days: 5, daysTotal: 5 });
});
