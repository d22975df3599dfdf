import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instrument } from '@tapeloom/client';
import { rollWords } from './roll-words.ts';

const ns = (day: string) => BigInt(Date.parse(day)) * 1_000_000n;
const es = {
  symbol: 'ESZ6',
  rolls: [
    { from: String(ns('2026-09-14')), symbol: 'ESZ6' },
    { from: String(ns('2026-12-14')), symbol: 'ESH7' },
  ],
} as unknown as Instrument;

test('the next roll names both contracts and the day', () => {
  assert.deepEqual(rollWords(es, ns('2026-12-14')), {
    text: 'ESZ6 rolls to ESH7 on',
    day: '14 Dec',
  });
  assert.deepEqual(rollWords(es, ns('2026-12-15')), { text: 'ESZ6 rolls on', day: '15 Dec' });
  assert.equal(rollWords(es, null), null);
  assert.equal(rollWords(null, ns('2026-12-14')), null);
});
