import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didYouMean } from './nearest-name.ts';

const KNOWN = ['ES.c.0', 'NQ.c.0', 'ESZ6', 'ESH7', 'ESM7', 'NQZ6', 'footprint', 'bars', 'delta'];

test('a few names that are near are suggested, the nearest first, always the same ones', () => {
  for (const [name, sentence] of [
    ['footprnt', ' Did you mean "footprint"?'],
    ['FootPrint', ' Did you mean "footprint"?'],
    ['es.c.0', ' Did you mean "ES.c.0"?'],
    ['ES', ' Did you mean "ES.c.0", "ESZ6" or "ESH7"?'],
    ['ESZ7', ' Did you mean "ESZ6", "ESH7" or "ESM7"?'],
    ['bar', ' Did you mean "bars"?'],
  ] as const) {
    assert.equal(didYouMean(name, KNOWN), sentence, name);
  }
});

test('nothing is suggested for what is near to nothing', () => {
  for (const name of ['', 'E', 'candles', 'XX', '__proto__', 'f'.repeat(65), 'f'.repeat(100_000)]) {
    assert.equal(didYouMean(name, KNOWN), '', name);
  }
});
