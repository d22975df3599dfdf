import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { UtcDay } from '../numbers.ts';
import { addDays, dayFromNumber, dayNumber, dayOf, utcDay } from '../utc-day.ts';
import type { Contract, Designation } from './contract.ts';
import { contractsOf } from './contracts.ts';
import type { DailyVolume } from './decided-rolls.ts';
import { InstrumentBook } from './instrument-book.ts';
import { PRODUCTS, type Product } from './product.ts';
import { calendarRolls, volumeRolls } from './rolls.ts';

const FROM = utcDay(20260901);
const ES = product('ES');
const CONTRACTS = listed(ES);

function product(root: string): Product {
  const found = PRODUCTS.find((candidate) => candidate.root === root);
  assert.ok(found, root);
  return found;
}

function listed(each: Product, from: UtcDay = FROM, to: number = 20261231): Contract[] {
  return contractsOf(each, 'sim', from, utcDay(to));
}

const rows = (rolls: readonly Designation[]) => rolls.map(({ from, symbol }) => [from, symbol]);

/** From `day` on the later of two contracts trades more. */
const crossing =
  (later: string, day: number): DailyVolume =>
  (symbol, at) =>
    (symbol === later) === at >= day ? 1000 : 10;

test('calendar rolls fall on the conventional day of each product', () => {
  const second = (root: string) =>
    rows(calendarRolls(listed(product(root)), product(root).roll, FROM))[1];
  assert.deepEqual(second('ES'), [20260914, 'ESZ6']); // Monday of the week of expiry
  assert.deepEqual(second('NQ'), [20260914, 'NQZ6']);
  assert.deepEqual(second('CL'), [20260917, 'CLX6']); // three business days before 22 September
  assert.deepEqual(second('GC'), [20260928, 'GCZ6']); // three business days before October
  assert.deepEqual(second('ZN'), [20261125, 'ZNH7']); // Thanksgiving is none of the three
  assert.deepEqual(second('6E'), [20260910, '6EZ6']); // two business days before 14 September
  assert.deepEqual(second('BTC'), [20260923, 'BTCV6']);
});

test('calendar rolls start with the contract in front and plan up to the last one listed', () => {
  assert.deepEqual(rows(calendarRolls(CONTRACTS, ES.roll, FROM)), [
    [20260901, 'ESU6'],
    [20260914, 'ESZ6'],
    [20261214, 'ESH7'],
    [20270315, 'ESM7'],
  ]);
  assert.deepEqual(rows(calendarRolls(CONTRACTS, ES.roll, utcDay(20260914)))[0], [
    20260914,
    'ESZ6',
  ]);
  assert.deepEqual(rows(calendarRolls(CONTRACTS, ES.roll, utcDay(20270601))), [[20270601, 'ESM7']]);
  assert.deepEqual(calendarRolls(CONTRACTS, ES.roll, utcDay(20270701)), []);
  assert.deepEqual(calendarRolls([], ES.roll, FROM), []);
});

test('volume rolls on the day after the next contract first traded more', () => {
  const rolls = volumeRolls(CONTRACTS, crossing('ESZ6', 20260910), ES.roll, FROM, utcDay(20260930));
  assert.deepEqual(rows(rolls).slice(0, 2), [
    [20260901, 'ESU6'],
    [20260911, 'ESZ6'],
  ]);
});

test('volume never rolls back, though the old contract trades more again', () => {
  const flicker: DailyVolume = (symbol, day) =>
    symbol === 'ESZ6' && day === 20260908 ? 2000 : 1000;
  const rolls = volumeRolls(CONTRACTS.slice(0, 2), flicker, ES.roll, FROM, utcDay(20260930));
  assert.deepEqual(rows(rolls), [
    [20260901, 'ESU6'],
    [20260909, 'ESZ6'],
  ]);
});

test('equal volume does not roll; without a crossing the calendar decides a few days later', () => {
  const equal: DailyVolume = () => 1000;
  const unknown: DailyVolume = () => null;
  for (const volume of [equal, unknown, crossing('ESZ6', 20260920)]) {
    const rolls = volumeRolls(CONTRACTS, volume, ES.roll, FROM, utcDay(20261001));
    assert.deepEqual(rows(rolls)[1], [20260917, 'ESZ6']); // Thursday, the eve of expiry
  }
  const zn = product('ZN');
  const rolls = volumeRolls(listed(zn), unknown, zn.roll, utcDay(20261113), utcDay(20261113));
  assert.deepEqual(rows(rolls), [
    [20261113, 'ZNZ6'],
    [20261201, 'ZNH7'], // three business days after 25 November
    [20270301, 'ZNM7'],
  ]);
});

test('volume skips a contract that hardly trades, as October gold', () => {
  const gc = product('GC');
  const from = utcDay(20260713);
  const volume: DailyVolume = (symbol, day) => {
    if (symbol === 'GCQ6') return day < 20260727 ? 900 : 100;
    return symbol === 'GCZ6' ? 500 : 20;
  };
  const rolls = volumeRolls(listed(gc, from), volume, gc.roll, from, utcDay(20260801));
  assert.deepEqual(rows(rolls).slice(0, 2), [
    [20260713, 'GCQ6'],
    [20260728, 'GCZ6'],
  ]);
});

const products = fc.constantFrom(...PRODUCTS);
const starts = fc
  .integer({ min: dayNumber(utcDay(20150101)), max: dayNumber(utcDay(20350101)) })
  .map(dayFromNumber);
/** Arbitrary volumes, some unknown, always the same for one seed. */
const volumes = fc.integer().map((seed): DailyVolume => {
  return (symbol, day) => {
    let hash = seed ^ day;
    for (const letter of symbol) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    const value = (hash >>> 8) % 100;
    return value < 10 ? null : value < 97 && symbol.charCodeAt(2) % 2 === 0 ? value * 9 : value;
  };
});

test('designations of either rule ascend, exist and have not expired', () => {
  fc.assert(
    fc.property(products, starts, volumes, (each, from, volume) => {
      const contracts = contractsOf(each, 'sim', from, addDays(from, 500));
      const lists = {
        c: calendarRolls(contracts, each.roll, from),
        v: volumeRolls(contracts, volume, each.roll, from, addDays(from, 250)),
      };
      for (const [rule, rolls] of Object.entries(lists)) {
        // The book rejects every error in a list of rolls.
        const alias = { alias: `${each.root}.${rule}.0`, dataset: 'sim', root: each.root, rolls };
        const book = new InstrumentBook(contracts, [alias]);
        for (let day = from; day < dayOf(contracts.at(-1)!.expiresAt); day = addDays(day, 5)) {
          assert.ok(book.resolve(alias.alias, day), `${alias.alias} on ${day}`);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('a roll in effect stays as days are added; a planned one never comes later', () => {
  fc.assert(
    fc.property(products, starts, volumes, fc.nat({ max: 120 }), (each, from, volume, length) => {
      const contracts = contractsOf(each, 'sim', from, addDays(from, 200));
      const to = addDays(from, length);
      const before = volumeRolls(contracts, volume, each.roll, from, to);
      const after = volumeRolls(contracts, volume, each.roll, from, addDays(to, 1));
      const inEffect = (rolls: readonly Designation[]) =>
        rolls.filter((roll) => roll.from <= addDays(to, 1));
      assert.deepEqual(inEffect(after), inEffect(before));
      const next = inEffect(before).length;
      if (before[next]) assert.ok((after[next]?.from ?? 0) <= before[next].from);
    }),
    { numRuns: 150 },
  );
});
