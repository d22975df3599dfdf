import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { type Definition, instrumentsOf } from './definitions.ts';
import { readInstruments } from './read-instruments.ts';

const at = (text: string) => Temporal.Instant.from(text).epochNanoseconds as EpochNs;
const ES: Definition = {
  rawSymbol: 'ESH1',
  asset: 'ES',
  exchange: 'XCME',
  currency: 'USD',
  instrumentClass: 'F',
  event: at('2020-12-27T17:02:06Z'),
  tickNanos: 250_000_000n,
  unitOfMeasureQtyNanos: 50_000_000_000n,
  expiration: at('2021-03-19T13:30:00Z'),
  maturityYear: 2021,
  maturityMonth: 3,
};
const listed = (definitions: readonly Definition[]) => {
  const { products } = instrumentsOf(definitions);
  return readInstruments(JSON.stringify({ datasets: { GLBX: { products } } })).datasets[0]!;
};

test('definitions of futures become products and contracts; the rest is counted', () => {
  const spread = { ...ES, rawSymbol: 'ESH1-ESM1', instrumentClass: 'S', tickNanos: 50_000_000n };
  const { products, notes, skipped } = instrumentsOf([ES, ES, spread, { ...ES, tickNanos: null }]);
  assert.deepEqual(products, {
    ES: { extends: 'ES', contracts: [{ symbol: 'ESH1', expiry: '2021-03-19T13:30:00Z' }] },
  });
  assert.deepEqual(notes, []);
  assert.deepEqual(
    [...skipped],
    [
      ['spreads', { count: 1, names: new Set(['ESH1-ESM1']) }],
      ['futures without a tick', { count: 1, names: new Set(['ESH1']) }],
    ],
  );
});

test('a symbol that comes back after ten years gets the digits of its year', () => {
  const earlier = { ...ES, expiration: at('2011-03-18T13:30:00Z'), maturityYear: 2011 };
  const dataset = listed([ES, earlier]);
  assert.deepEqual(
    dataset.contracts.map(({ contract, names }) => [contract.symbol, names]),
    [
      ['ESH1', []],
      ['ESH21', ['ESH1']],
    ],
  );
  const unknown = listed(
    [ES, { ...earlier, maturityYear: null }].map((it) => ({ ...it, maturityMonth: null })),
  );
  assert.deepEqual(
    unknown.contracts.map(({ contract }) => contract.symbol),
    ['ESH1', 'ESH21'],
  );
});

test('a symbol that is no name of a file gets one, and a date without a time the hour of its market', () => {
  const brent: Definition = {
    ...ES,
    rawSymbol: 'BRN FMH0025!',
    asset: 'BRN',
    exchange: 'IFEU',
    tickNanos: 10_000_000n,
    unitOfMeasureQtyNanos: 1_000_000_000_000n,
    expiration: at('2025-01-31T00:00:00Z'),
    maturityYear: 2025,
  };
  const dataset = listed([brent]);
  const [{ contract, names }] = dataset.contracts as [(typeof dataset.contracts)[0]];
  assert.deepEqual(names, ['BRN FMH0025!']);
  assert.equal(contract.symbol, 'BRNH25');
  assert.equal(contract.expiresAt, at('2025-01-31T19:30:00Z'));
  assert.equal(contract.calendar, 'ice-brent');
});

const brent = (rawSymbol: string, expiry: string): Definition => {
  const day = Temporal.PlainDate.from(expiry);
  return {
    ...ES,
    rawSymbol,
    asset: 'BRN',
    exchange: 'IFEU',
    tickNanos: 10_000_000n,
    unitOfMeasureQtyNanos: 1_000_000_000_000n,
    expiration: at(`${expiry}T00:00:00Z`),
    maturityYear: day.year,
    maturityMonth: day.month,
  };
};

test('the month of a contract is that of its symbol, where the maturity is the last trading date', () => {
  const april = brent('BRN FMJ0024!', '2024-02-29');
  const unnamed = brent('B24/7', '2024-02-29');
  const february = brent('BRN FMG0025!', '2024-12-30');
  for (const [definition, symbol] of [
    [april, 'BRNJ24'],
    [unnamed, 'BRNJ24'],
    [february, 'BRNG25'],
  ] as const) {
    assert.equal(listed([definition]).contracts[0]!.contract.symbol, symbol);
  }
});

test('a symbol of another month than the expiry is left out by name', () => {
  const wrong = brent('BRN FMG0024!', '2024-02-29');
  const other = { ...ES, rawSymbol: 'ESM1' };
  const unknown = { ...ES, asset: 'QQ', rawSymbol: 'QQM1', maturityMonth: 5 };
  const { products, skipped } = instrumentsOf([wrong, other, unknown]);
  assert.deepEqual(products, {});
  assert.deepEqual(
    [...skipped],
    [
      [
        'futures whose symbol and expiry disagree',
        { count: 3, names: new Set(['BRN FMG0024!', 'ESM1', 'QQM1']) },
      ],
    ],
  );
});

test('a point of what is priced in percent or cents is not the size of the contract', () => {
  const note = {
    ...ES,
    rawSymbol: 'ZNH1',
    asset: 'ZN',
    exchange: 'XCBT',
    tickNanos: 15_625_000n,
    unitOfMeasureQtyNanos: 100_000_000_000_000n,
  };
  const corn = {
    ...note,
    rawSymbol: 'ZCH1',
    asset: 'ZC',
    tickNanos: 250_000_000n,
    unitOfMeasureQtyNanos: 5_000_000_000_000n,
  };
  const dataset = listed([note, corn]);
  const worth = dataset.contracts.map(({ contract }) => [contract.root, contract.pointValueNanos]);
  assert.deepEqual(worth, [
    ['ZC', 50_000_000_000],
    ['ZN', 1_000_000_000_000],
  ]);
  assert.match(instrumentsOf([corn]).notes[0]!, /ZC has no template: the calendar cme-rates/);
});

test('where a definition differs from the template it is taken, and said', () => {
  const old = { ...ES, tickNanos: 500_000_000n };
  const { products, notes } = instrumentsOf([old]);
  assert.equal(products.ES!.tick, '0.5');
  assert.deepEqual(notes, ['ES has the tick 0.5 by its definition, 0.25 by its template.']);
  const both = [old, { ...ES, rawSymbol: 'ESM1', expiration: at('2021-06-18T13:30:00Z') }];
  const dataset = listed(both);
  assert.deepEqual(
    dataset.contracts.map(({ contract }) => contract.tickSizeNanos),
    [500_000_000, 250_000_000],
  );
  assert.match(instrumentsOf(both).notes[0]!, /contracts of different ticks/);
});

test('of several definitions of a contract the latest counts, in whatever order they come', () => {
  const later = { ...ES, tickNanos: 500_000_000n, event: at('2021-01-04T00:00:00Z') };
  for (const order of [
    [ES, later],
    [later, ES],
  ]) {
    assert.equal(listed(order).contracts[0]!.contract.tickSizeNanos, 500_000_000);
  }
});

test('what is left out has its first names and a count', () => {
  const options = Array.from({ length: 9 }, (_, index) => {
    return { ...ES, instrumentClass: index % 2 === 0 ? 'C' : 'P', rawSymbol: `ESH1 C${index}` };
  });
  const { skipped } = instrumentsOf([...options, { ...ES, instrumentClass: 'K' }]);
  const told = [...skipped].map(([reason, { count, names }]) => [reason, count, names.size]);
  assert.deepEqual(told, [
    ['options', 9, 5],
    ['neither futures nor options', 1, 1],
  ]);
});
