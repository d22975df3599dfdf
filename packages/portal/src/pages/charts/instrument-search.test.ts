import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instrument } from '@tapeloom/client';
import { choiceOf, firstInstrument, foundInstruments } from './instrument-search.ts';

const instrument = (symbol: string, alias: string | null, name: string, status = 'open') =>
  ({ symbol, alias, name, status, exchange: 'CME', streamed: true }) as unknown as Instrument;

const ALL = [
  instrument('ESH7', null, 'E-mini S&P 500 March 2027'),
  instrument('ESZ6', 'ES.c.0', 'E-mini S&P 500 December 2026'),
  instrument('NQZ6', 'NQ.c.0', 'E-mini Nasdaq-100 December 2026', 'closed'),
];
const names = (typed: string) => foundInstruments(ALL, typed).map(({ name }) => name);

test('symbols, aliases and words of the name are found, aliases first', () => {
  assert.deepEqual(names(''), ['ES.c.0', 'NQ.c.0', 'ESH7']);
  assert.deepEqual(names('esz'), ['ES.c.0']);
  assert.deepEqual(names('nasdaq mini'), ['NQ.c.0']);
  assert.deepEqual(names('500 march'), ['ESH7']);
  assert.deepEqual(names('wheat'), []);
});

test('the title leaves the month to the symbol', () => {
  assert.equal(choiceOf(ALL[1]!).title, 'E-mini S&P 500');
});

test('a first chart shows the wanted instrument, else one that trades', () => {
  assert.equal(firstInstrument(ALL, 'ES.c.0'), 'ES.c.0');
  assert.equal(firstInstrument(ALL, 'ESH7'), 'ESH7');
  assert.equal(firstInstrument([ALL[2]!, ALL[0]!], 'ES.c.0'), 'ESH7');
  assert.equal(firstInstrument([ALL[2]!], 'ES.c.0'), 'NQ.c.0');
  assert.equal(firstInstrument([], 'ES.c.0'), 'ES.c.0');
});
