import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS_BIG } from '@tapeloom/core/units';
import { readDbn } from '../../../testing/feeds/dbn-reading.ts';
import {
  aTrade,
  DAY,
  HEAD,
  MIDNIGHT,
  mapped,
  NOON,
  readTrades,
  rows,
  symbols,
  UNDEFINED_TIME,
} from '../../../testing/feeds/dbn-trades.ts';
import { DBN_SCHEMAS, DbnWriter } from '../../../testing/feeds/dbn-writer.ts';
import { readDefinitions } from './dbn-definitions.ts';

test('an id is named by the day of its capture', () => {
  const mappings = [
    { name: 'ESH1', intervals: [{ fromDay: DAY, toDay: DAY + 1, output: '7' }] },
    {
      name: 'NQH1',
      intervals: [
        { fromDay: DAY + 1, toDay: DAY + 2, output: '7' },
        { fromDay: DAY, toDay: DAY + 1, output: '8' },
        { fromDay: DAY + 2, toDay: DAY + 3, output: '' },
      ],
    },
  ];
  const late = MIDNIGHT + DAY_NS_BIG - 1n;
  const reading = readTrades(
    [
      { instrumentId: 7 },
      { instrumentId: 8 },
      { instrumentId: 7, event: late, received: late },
      { instrumentId: 7, event: late, received: late + 1n },
      { instrumentId: 7, event: late, received: UNDEFINED_TIME },
      { instrumentId: 9 },
      { instrumentId: 7, event: late + 2n * DAY_NS_BIG },
    ],
    { mappings },
  );
  assert.deepEqual(symbols(reading), ['ESH1', 'NQH1', 'ESH1', 'NQH1', 'ESH1', null, null]);
  assert.deepEqual(
    reading.decoder.instruments.map(({ instrumentId }) => instrumentId),
    [7, 8, 9, 7],
  );
});

test('two names for one id on one day are refused', () => {
  const { refusal } = readTrades([{ instrumentId: 7 }], {
    mappings: [mapped('ESH1', 7), mapped('ESM1', 7)],
  });
  assert.match(refusal!, /call instrument 7 both ESH1 and ESM1 on 20201228/);
});

test('spreads and options are left out by name', () => {
  const names = ['ESH1', 'ESH1-ESM1', 'GEM3 P9812', 'BRN FMH0025!', 'UD:1V: GN 123'];
  const reading = readTrades(
    [1, 2, 2, 3, 4, 5, 1].map((instrumentId) => ({ instrumentId })),
    { nameKindIn: 4, mappings: names.map((name, index) => mapped(name, index + 1)) },
  );
  assert.deepEqual(symbols(reading), ['ESH1', 'BRN FMH0025!', 'ESH1']);
  assert.deepEqual(reading.counts, {
    'trades of ESH1-ESM1, a spread': 2,
    'trades of GEM3 P9812, an option': 1,
    'trades of UD:1V: GN 123, a spread': 1,
  });
});

test('an order by a continuous name has symbols only by definitions, which also tell what is a future', () => {
  const definitions = readDefinitions(
    new DbnWriter({ version: 2, schema: DBN_SCHEMAS.definition })
      .definition({ instrumentId: 1, rawSymbol: 'ESH1', instrumentClass: 'F' })
      .definition({ instrumentId: 2, rawSymbol: 'MSFT', instrumentClass: 'K' }).bytes,
  );
  const head = { ...HEAD, nameKindIn: 3, mappings: [mapped('ES.c.0', 1)] };
  const writer = new DbnWriter(head);
  for (const instrumentId of [1, 2, 3]) writer.trade(aTrade({ instrumentId }));
  const without = readDbn([writer.bytes]);
  assert.deepEqual(symbols(without), [null, null, null]);
  assert.equal(without.decoder.instruments[0]!.orderedAs, 'ES.c.0');
  const reading = readDbn([writer.bytes], { definitions });
  assert.deepEqual(symbols(reading), ['ESH1', null]);
  assert.deepEqual(reading.counts, { 'trades of MSFT, a stock': 1 });
});

test('a definition names an id only while the instrument lives, the newest one of its day first', () => {
  const definition = (rawSymbol: string, day: bigint, lastDay: bigint) => ({
    instrumentId: 1,
    rawSymbol,
    instrumentClass: 'F',
    received: (MIDNIGHT + day * DAY_NS_BIG) as EpochNs,
    activation: (MIDNIGHT - 9n * DAY_NS_BIG) as EpochNs,
    expiration: (MIDNIGHT + lastDay * DAY_NS_BIG) as EpochNs,
  });
  const writer = new DbnWriter({ version: 3, schema: DBN_SCHEMAS.definition });
  writer.definition(definition('OLD', -5n, -1n)).definition(definition('NOW', -2n, 9n));
  writer.definition(definition('NEXT', 3n, 9n));
  const definitions = readDefinitions(writer.bytes);
  const trades = new DbnWriter({ ...HEAD, mappings: [] });
  for (const days of [-3n, 0n, 4n, 11n]) {
    trades.trade(aTrade({ instrumentId: 1, event: NOON + days * DAY_NS_BIG }));
  }
  const reading = readDbn([trades.bytes], { definitions });
  assert.deepEqual(symbols(reading), ['OLD', 'NOW', 'NEXT', null]);
});

test('a live capture names its ids by mapping records, from there on', () => {
  for (const version of [1, 2, 3] as const) {
    const writer = new DbnWriter({ version, schema: DBN_SCHEMAS.mixed, nameKindIn: 0xff });
    writer.trade(aTrade()).mapping(aTrade(), 'ES.c.0', 'ESH1').other(0x17, 320, aTrade());
    writer.trade(aTrade()).mapping(aTrade(), 'ES.c.0', 'ESM1').trade(aTrade());
    const reading = readDbn([writer.other(0x77, 16, aTrade()).trade(aTrade()).bytes]);
    assert.deepEqual(symbols(reading), [null, 'ESH1', 'ESM1', 'ESM1']);
    assert.deepEqual(rows(reading), [1, 4, 6, 8]);
    assert.deepEqual(reading.counts, {
      'system records': 1,
      'records of the unknown type 119': 1,
    });
  }
});

test('names with letters that cannot be shown are refused', () => {
  const { refusal } = readTrades([{}], { mappings: [mapped('ES\x1b[2J', 5_482)] });
  assert.match(refusal!, /byte \d+ has the byte 0x1b/);
});
