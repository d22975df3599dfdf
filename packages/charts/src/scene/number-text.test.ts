import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  betweenText,
  countText,
  priceText,
  shortText,
  signedShortText,
  signedText,
} from './number-text.ts';

test('counts are grouped, and negative ones have a true minus', () => {
  assert.deepEqual([0, 7, 1234, -1234567].map(countText), ['0', '7', '1,234', '−1,234,567']);
  assert.deepEqual([0, 12, -12].map(signedText), ['0', '+12', '−12']);
});

test('large counts are shortened to at most five characters, rounded down', () => {
  const counts = [0, 9_999, 10_000, 12_499, 99_999, 100_000, 999_999, 1_240_000, 3_210_000_000];
  assert.deepEqual(counts.map(shortText), [
    ...['0', '9999', '10.0k', '12.4k', '99.9k', '100k', '999k', '1.24M', '3.21B'],
  ]);
  assert.deepEqual([15_000, -15_000, 0].map(signedShortText), ['+15.0k', '−15.0k', '0']);
});

test('prices have the decimals of the tick, also negative and of six decimals', () => {
  assert.equal(priceText(22_180, 250_000_000), '5545.00');
  assert.equal(priceText(-150, 250_000_000), '−37.50');
  assert.equal(priceText(0, 10_000_000), '0.00');
  assert.equal(priceText(123, 1_000), '0.000123');
  assert.equal(priceText(62_840, 1_000_000_000), '62840');
  assert.equal(betweenText(22_183.04, 250_000_000), '5545.76');
});
