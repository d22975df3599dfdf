import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesText, exactNumber, moneyText, percentText, proseNumber } from './number-text.ts';

test('numbers are exact in tables and short in prose, and never rounded up to a limit', () => {
  assert.equal(exactNumber(10_904_118_220), '10,904,118,220');
  assert.equal(proseNumber(12_424_999_999), '12.42 billion');
  assert.equal(proseNumber(19_999_999_999), '19.99 billion');
  assert.equal(proseNumber(20_000_000_000), '20 billion');
  assert.equal(proseNumber(50_000_000), '50 million');
  assert.equal(proseNumber(999_999), '999,999');
});

test('bytes are written in GiB and MiB', () => {
  assert.equal(bytesText(7_312_000_000), '6.8 GiB');
  assert.equal(bytesText(21_474_836_480), '20 GiB');
  assert.equal(bytesText(12 * 1_048_576), '12 MiB');
  assert.equal(bytesText(0), '0 GiB');
  assert.equal(bytesText(4_096), '4,096 bytes');
});

test('a share is a whole percentage that is neither none nor all before it is', () => {
  assert.deepEqual([0, 0.001, 0.621, 0.999, 1, 1.3].map(percentText), [
    '0%',
    '<1%',
    '62%',
    '99%',
    '100%',
    '130%',
  ]);
});

test('money has as many places as its currency', () => {
  assert.equal(moneyText(7_900, 'EUR'), '€79.00');
  assert.equal(moneyText(7_900, 'JPY'), '¥7,900');
  assert.equal(moneyText(7_900, 'USD'), '$79.00');
});
