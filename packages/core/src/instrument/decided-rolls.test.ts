import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { UtcDay } from '../numbers.ts';
import { addDays, dayFromNumber, dayNumber, utcDay } from '../utc-day.ts';
import type { Designation } from './contract.ts';
import { contractsOf } from './contracts.ts';
import { type DailyVolume, type DecidedRolls, decideRolls, rollsOf } from './decided-rolls.ts';
import { InstrumentBook } from './instrument-book.ts';
import { PRODUCTS, type Product } from './product.ts';
import { rollChain } from './rolls.ts';

const ES = PRODUCTS.find(({ root }) => root === 'ES')!;
const FROM = utcDay(20260901);
const CHAIN = rollChain(contractsOf(ES, 'X', FROM, utcDay(20261231)), ES.roll, FROM);
const unknown: DailyVolume = () => null;

const meaningOn = (rolls: readonly Designation[], day: UtcDay) =>
  rolls.findLast((roll) => roll.from <= day)?.symbol;

test('a roll is decided by the volume of the day before it, and no sooner', () => {
  const crossing: DailyVolume = (symbol, day) =>
    (symbol === 'ESZ6') === day >= 20260909 ? 900 : 100;
  const eve = decideRolls(CHAIN, null, crossing, utcDay(20260908));
  assert.deepEqual(eve, { through: 20260909, rolls: [{ from: 20260901, symbol: 'ESU6' }] });
  const next = decideRolls(CHAIN, eve, crossing, utcDay(20260909));
  assert.deepEqual(next.rolls.at(-1), { from: 20260910, symbol: 'ESZ6' });
  assert.equal(next.through, 20260910);
  assert.equal(decideRolls(CHAIN, next, unknown, utcDay(20260905)), next);
});

test('volumes that become known after a day was decided do not change it', () => {
  const decided = decideRolls(CHAIN, null, unknown, utcDay(20260910));
  const late: DailyVolume = (symbol, day) => (symbol === 'ESZ6' && day === 20260905 ? 900 : 100);
  const after = decideRolls(CHAIN, decided, late, utcDay(20260912));
  assert.deepEqual(after.rolls, decided.rolls);
});

test('an alias has no designation before its first day, and plans come after what is decided', () => {
  const early = decideRolls(CHAIN, null, unknown, utcDay(20260801));
  assert.deepEqual(early, { through: 20260802, rolls: [] });
  const begun = decideRolls(CHAIN, early, unknown, utcDay(20260902));
  assert.deepEqual(begun.rolls, [{ from: 20260901, symbol: 'ESU6' }]);
  assert.deepEqual(rollsOf(CHAIN, begun), rollsOf(CHAIN, null));
  const crossing: DailyVolume = (symbol) => (symbol === 'ESZ6' ? 900 : 100);
  assert.deepEqual(
    decideRolls(CHAIN, early, crossing, utcDay(20260910)),
    decideRolls(CHAIN, null, crossing, utcDay(20260910)),
  );
  assert.deepEqual(rollsOf({ from: FROM, links: [] }, null), []);
});

test('contracts that are listed after the last one has expired are gone to, the expired ones not', () => {
  const short = { ...CHAIN, links: CHAIN.links.slice(0, 1) };
  const decided = decideRolls(short, null, unknown, utcDay(20270110));
  assert.deepEqual(decided.rolls, [{ from: 20260901, symbol: 'ESU6' }]);
  assert.deepEqual(rollsOf(short, decided), decided.rolls);
  const planned = rollsOf(CHAIN, decided);
  assert.deepEqual(planned[1], { from: 20270112, symbol: 'ESH7' });
  assert.deepEqual(decideRolls(CHAIN, decided, unknown, utcDay(20270111)).rolls[1], planned[1]);
});

test('rolls that end with a contract nobody lists are refused', () => {
  const strange: DecidedRolls = { through: FROM, rolls: [{ from: FROM, symbol: 'ESU5' }] };
  assert.throws(() => decideRolls(CHAIN, strange, unknown, utcDay(20260910)), /ESU5/);
});

const products = fc.constantFrom(...PRODUCTS);
const starts = fc
  .integer({ min: dayNumber(utcDay(20150101)), max: dayNumber(utcDay(20350101)) })
  .map(dayFromNumber);
/** Arbitrary volumes, some unknown. Another seed stands for days that were added or replaced. */
const volumes = fc.integer().map((seed): DailyVolume => {
  return (symbol, day) => {
    let hash = seed ^ day;
    for (const letter of symbol) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    const value = (hash >>> 8) % 100;
    return value < 15 ? null : value < 94 && symbol.charCodeAt(2) % 2 === 0 ? value * 9 : value;
  };
});
const steps = fc.array(fc.tuple(fc.nat({ max: 40 }), volumes), { minLength: 1, maxLength: 8 });

function chainOf(product: Product, from: UtcDay) {
  const contracts = contractsOf(product, 'X', from, addDays(from, 200));
  return { contracts, chain: rollChain(contracts, product.roll, from) };
}

test('adding days, whatever their volumes, never changes what is decided', () => {
  fc.assert(
    fc.property(products, starts, steps, (product, from, changes) => {
      const { contracts, chain } = chainOf(product, from);
      let decided: DecidedRolls | null = null;
      let last = from;
      for (const [days, volume] of changes) {
        last = addDays(last, days);
        const next: DecidedRolls = decideRolls(chain, decided, volume, last);
        const rolls = rollsOf(chain, next);
        if (decided !== null) {
          assert.deepEqual(next.rolls.slice(0, decided.rolls.length), decided.rolls);
          for (const roll of next.rolls.slice(decided.rolls.length)) {
            assert.ok(roll.from > decided.through && roll.from <= next.through);
          }
          for (let day = from; day <= decided.through; day = addDays(day, 3)) {
            assert.equal(meaningOn(rolls, day), meaningOn(decided.rolls, day));
          }
        }
        const alias = { alias: 'X.v.0', dataset: 'X', root: product.root, rolls };
        assert.ok(new InstrumentBook(contracts, [alias]));
        const order = rolls.map(({ symbol }) => contracts.findIndex((it) => it.symbol === symbol));
        assert.deepEqual(
          order,
          [...new Set(order)].toSorted((a, b) => a - b),
        );
        decided = next;
      }
    }),
    { numRuns: 100 },
  );
});

test('deciding day by day gives what deciding at once gives', () => {
  fc.assert(
    fc.property(products, starts, volumes, fc.nat({ max: 90 }), (product, from, volume, days) => {
      const { chain } = chainOf(product, from);
      let decided: DecidedRolls | null = null;
      for (let count = 0; count <= days; count += 1) {
        decided = decideRolls(chain, decided, volume, addDays(from, count));
      }
      assert.deepEqual(decided, decideRolls(chain, null, volume, addDays(from, days)));
    }),
    { numRuns: 60 },
  );
});
