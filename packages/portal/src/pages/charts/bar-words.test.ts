import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barSentence, barText } from './bar-words.ts';

test('sizes read as people say them', () => {
  const said = [
    ['time', 300, '5 min', '5 minutes'],
    ['time', 60, '1 min', '1 minute'],
    ['time', 90, '90 s', '90 seconds'],
    ['time', 14_400, '4 h', '4 hours'],
    ['tick', 1_000, '1,000 trades', '1,000 trades'],
    ['volume', 1, '1 lot', '1 lot'],
    ['range', 8, 'Range 8', 'range of 8 ticks'],
    ['delta', 2_500, 'Delta 2,500', 'delta of 2,500 lots'],
    ['renko', 1, 'Renko 1', 'renko of 1 tick'],
  ] as const;
  for (const [kind, size, short, long] of said) {
    assert.equal(barText({ kind, size }), short);
    assert.equal(barSentence({ kind, size }), long);
  }
});
