import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CsvMapping } from '../feed-mapping.ts';
import { judgeMapping } from './judge-mapping.ts';

const good: CsvMapping = {
  time: { kind: 'text', column: 1, pattern: 'yyyyMMdd HHmmss fffffff', zone: 'UTC' },
  price: { column: 'price', decimals: 0 },
  size: { column: 3, decimals: 9 },
  side: { kind: 'words', column: 4, buy: ['B'], sell: ['S'], unknown: [''] },
  symbol: { column: 'symbol', isFuturesOnly: false },
  drop: [{ column: 5, words: ['1'], when: 'is', as: 'suspicious' }],
  delimiter: ';',
  hasHeader: true,
  decimalSign: ',',
};

const faultsOf = (change: object) => {
  const judged = judgeMapping(JSON.parse(JSON.stringify({ ...good, ...change })));
  return judged.mapping === null ? judged.faults : [];
};

it('a mapping that is right passes as it is', () => {
  assert.deepEqual(judgeMapping(good), { mapping: good });
});

it('what is wrong with a mapping is said by the name of the field, with what is accepted', () => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ delimiter: ' ' }, /^delimiter is " " and must be one of ",", ";"/],
    [{ delimiter: ',' }, /a comma cannot both/],
    [{ hasHeader: 'yes' }, /^hasHeader is "yes" and must be one of true, false/],
    [{ price: { column: 0, decimals: 0 } }, /^price.column is 0 and must be the name of a column/],
    [{ price: null }, /^price is null and must be an object/],
    [{ size: { column: 1, decimals: 19 } }, /^size.decimals is 19/],
    [{ time: { kind: 'epoch', column: 1, unit: 'm' } }, /^time.unit is "m" and must be one of "s"/],
    [{ time: { kind: 'sometime' } }, /^time.kind is "sometime" and must be one of "epoch"/],
    [{ time: { kind: 'toString' } }, /^time.kind/],
    [{ time: { ...good.time, zone: 'Mars' } }, /^time.zone is "Mars" and must be a zone/],
    [{ time: { ...good.time, pattern: 'HH:mm' } }, /must be a pattern of date and time/],
    [{ time: { ...good.time, pattern: 'yyyy-MM-dd Q' } }, /"Q", which means nothing there/],
    [{ side: { ...good.side, sell: ['B'] } }, /the word "B" is there twice/],
    [{ drop: [{}] }, /^drop\[0\].column is missing/],
    [{ colour: 1 }, /^colour: there is no such field/],
  ];
  for (const [change, sentence] of cases) {
    const faults = faultsOf(change);
    assert.ok(
      faults.some((fault) => sentence.test(fault)),
      `${sentence} in ${faults.join(' | ')}`,
    );
  }
  assert.deepEqual(judgeMapping('x'), {
    mapping: null,
    faults: ['the mapping is "x" and must be an object.'],
  });
});
