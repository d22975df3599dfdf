import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readInstruments } from './read-instruments.ts';
import { FaultsError } from './reading.ts';

const PERPETUAL = { extends: 'crypto-perpetual', name: 'Bitcoin', tick: '0.1', lot: '0.001' };
const BIN = { live: { source: 'push' }, products: { 'BTC.bin': PERPETUAL } };
const okx = (fields: object = {}) => ({
  live: { source: 'push' },
  products: {
    'BTC.okx': { ...PERPETUAL, tick: '0.25', lot: '0.1', pointValue: '0.01', ...fields },
  },
});

/** A composite of both, with these fields changed. */
function file(fields: object, others: object = {}, live: object = {}): string {
  const product = { extends: 'crypto-perpetual', name: 'All', symbol: '{root}.all' };
  const members = ['BTC.bin', 'BTC.okx'];
  return JSON.stringify({
    datasets: {
      ...{ BIN, OKX: okx() },
      ALL: {
        live: { source: 'composite', ...live },
        products: { BTC: { ...product, members, ...fields } },
      },
      ...others,
    },
  });
}

function faultsOf(text: string): readonly string[] {
  try {
    readInstruments(text);
    return [];
  } catch (error) {
    assert.ok(error instanceof FaultsError, String(error));
    return error.faults.map(({ path, message }) => `${path} ${message}`);
  }
}

const compositeIn = (text: string) => {
  return readInstruments(text).datasets.find(({ name }) => name === 'ALL')!;
};

test('tick and lot are the greatest that all prices and sizes are multiples of', () => {
  const { live, contracts } = compositeIn(file({}));
  assert.deepEqual(live, { source: 'composite', leaveOutAfterMs: 600_000 });
  const [{ contract, members }] = contracts as [(typeof contracts)[number]];
  const { symbol, tickSizeNanos, lotSizeNanos, pointValueNanos } = contract;
  assert.deepEqual(
    [symbol, tickSizeNanos, lotSizeNanos, pointValueNanos],
    ['BTC.all', 50_000_000, 1_000_000, 1_000_000_000],
  );
  const factors = members!.map((one) => [one.symbol, one.dataset, one.ticks, one.lots]);
  assert.deepEqual(factors, [
    ['BTC.bin', 'BIN', 2, 1],
    ['BTC.okx', 'OKX', 5, 1],
  ]);
  assert.equal(members![0]!.calendar.name, 'round-the-clock');
});

test('a written tick and lot must divide those of the members', () => {
  const finer = compositeIn(file({ tick: '0.01', lot: '0.0005' })).contracts[0]!;
  assert.deepEqual(
    finer.members!.map(({ ticks, lots }) => [ticks, lots]),
    [
      [10, 2],
      [25, 2],
    ],
  );
  assert.deepEqual(faultsOf(file({ tick: '0.1' })), [
    'datasets.ALL.products.BTC gives BTC.all the tick 0.1; the tick 0.25 of BTC.okx is no multiple of it. ' +
      'Without "tick" the largest possible one is taken',
  ]);
  assert.deepEqual(faultsOf(file({ lot: '0.002' })), [
    'datasets.ALL.products.BTC gives BTC.all the lot 0.002; one lot of BTC.bin, 0.001 × 1, is no multiple of it. ' +
      'Without "lot" the largest possible one is taken',
  ]);
  assert.deepEqual(faultsOf(file({ pointValue: '10' })), [
    'datasets.ALL.products.BTC gives BTC.all the pointValue 10; sizes of a composite are in the coin: "1"',
  ]);
});

test('for any ticks, lots and point values every trade of a member converts exactly', () => {
  const nanos = fc.integer({ min: 1, max: 5_000 }).map((it) => it * 100_000);
  const text = (value: number) => (value / 1e9).toFixed(9);
  fc.assert(
    fc.property(nanos, nanos, nanos, nanos, fc.constantFrom('1', '0.01', '5'), (...terms) => {
      const [tick, lot, tickOfOther, lotOfOther, pointValue] = terms;
      const other = { tick: text(tickOfOther), lot: text(lotOfOther), pointValue };
      const bin = { 'BTC.bin': { ...PERPETUAL, tick: text(tick), lot: text(lot) } };
      const { contract, members } = compositeIn(
        file({}, { OKX: okx(other), BIN: { ...BIN, products: bin } }),
      ).contracts[0]!;
      const [one, two] = members!;
      assert.equal(one!.ticks * contract.tickSizeNanos, tick);
      assert.equal(two!.ticks * contract.tickSizeNanos, tickOfOther);
      assert.equal(one!.lots * contract.lotSizeNanos, lot);
      assert.equal(two!.lots * contract.lotSizeNanos, Math.round(lotOfOther * Number(pointValue)));
      const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
      assert.equal(divisor(one!.ticks, two!.ticks), 1, 'no greater tick would do');
      assert.equal(divisor(one!.lots, two!.lots), 1, 'no greater lot would do');
    }),
    { numRuns: 200 },
  );
});

test('what cannot be a member is named with its path and the reason', () => {
  const path = 'datasets.ALL.products.BTC';
  const withMember = (name: string) => file({ members: ['BTC.bin', name] });
  assert.deepEqual(faultsOf(withMember('BTC.byb')), [
    `${path}.members[1] is "BTC.byb", which is no contract of this file. Did you mean "BTC.bin"?`,
  ]);
  assert.deepEqual(faultsOf(withMember('BTC.bin')), [
    `${path}.members[1] is BTC.bin, which is there twice`,
  ]);
  assert.deepEqual(faultsOf(withMember('BTC.all')), [
    `${path}.members[1] is BTC.all, a composite: a composite cannot be made of composites`,
  ]);
  assert.deepEqual(faultsOf(file({ members: ['BTC.bin'] })), [
    `${path} has one member; a composite has at least two`,
  ]);
  assert.deepEqual(faultsOf(file({ members: undefined })), [
    `${path} lacks "members": the symbols of at least two contracts of other datasets`,
  ]);
  const { live: _, ...imported } = okx();
  assert.deepEqual(faultsOf(file({}, { OKX: imported })), [
    `${path}.members[1] is BTC.okx, whose days are imported: a member of OKX must be received`,
  ]);
  const others = {
    OTHER: { live: { source: 'push' }, products: { EUR: { ...PERPETUAL, currency: 'EUR' } } },
  };
  assert.deepEqual(faultsOf(file({ members: ['BTC.bin', 'EUR'] }, others)), [
    `${path}.members[1] is EUR, whose prices are in EUR, not in USDT`,
  ]);
});

test('an inverse contract is rejected by name', () => {
  const [fault] = faultsOf(file({}, { OKX: okx({ inverse: true }) }));
  assert.match(
    fault!,
    /^datasets\.ALL\.products\.BTC\.members\[1\] is BTC\.okx, an inverse contract: its size is an amount of money/,
  );
});

test('the name of a composite leaves room for those of its members in notes', () => {
  const symbol = 'B'.repeat(49);
  assert.deepEqual(faultsOf(file({ symbol })), [
    `datasets.ALL.products.BTC gives the symbol ${symbol}; that of a composite has at most 48 characters`,
  ]);
});

test('an alias, a size below 1e-9, and fields of other datasets are faults', () => {
  const path = 'datasets.ALL.products.BTC';
  const front = {
    'BTC.front': { product: 'BTC.okx', roll: [{ from: '2026-01-01', symbol: 'BTC.okx' }] },
  };
  const aliased = { ...okx(), aliases: front };
  assert.deepEqual(faultsOf(file({ members: ['BTC.bin', 'BTC.front'] }, { OKX: aliased })), [
    `${path}.members[1] is BTC.front, an alias; a member is a contract`,
  ]);
  const tiny = okx({ lot: '0.0001', pointValue: '0.000001' });
  assert.deepEqual(faultsOf(file({}, { OKX: tiny })), [
    `${path}.members[1] converts to steps below 0.000000001 of the coin: one lot of BTC.okx, 0.0001 × 0.000001`,
  ]);
  const [fault] = faultsOf(
    JSON.stringify({
      datasets: { BIN: { ...BIN, products: { BTC: { ...PERPETUAL, members: ['A', 'B'] } } } },
    }),
  );
  assert.match(fault!, /^datasets\.BIN\.products\.BTC\.members is not known here\./);
  assert.deepEqual(faultsOf(file({}, {}, { leaveOutAfterMinutes: 0 })), [
    'datasets.ALL.live.leaveOutAfterMinutes is "0"; a whole number from 1 to 1440 would do',
  ]);
  assert.match(
    faultsOf(file({}, {}, { graceMs: 5 }))[0]!,
    /^datasets\.ALL\.live\.graceMs is not known/,
  );
});
