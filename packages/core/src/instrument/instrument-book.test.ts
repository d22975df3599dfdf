import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '../utc-day.ts';
import type { Alias, Contract } from './contract.ts';
import { contractsOf } from './contracts.ts';
import { InstrumentBook, InstrumentBookError } from './instrument-book.ts';
import { PRODUCTS } from './product.ts';
import { calendarRolls } from './rolls.ts';

const FROM = utcDay(20260901);
const CONTRACTS = ['ES', 'CL'].flatMap((root) => listed(root));
const ES_ROLLS = calendarRolls(listed('ES'), { kind: 'monday-of-expiry-week' }, FROM);
const ES: Alias = { alias: 'ES.c.0', dataset: 'sim', root: 'ES', rolls: ES_ROLLS };
const BOOK = new InstrumentBook(CONTRACTS, [ES]);

function listed(root: string): Contract[] {
  const product = PRODUCTS.find((candidate) => candidate.root === root);
  assert.ok(product);
  return contractsOf(product, 'sim', FROM, utcDay(20261231));
}

const meaning = (name: string, day: number) => BOOK.resolve(name, utcDay(day))?.symbol ?? null;

test('an alias means one contract on a day and the next one from the roll on [INST-04]', () => {
  assert.equal(meaning('ES.c.0', 20260901), 'ESU6');
  assert.equal(meaning('ES.c.0', 20260913), 'ESU6');
  assert.equal(meaning('ES.c.0', 20260914), 'ESZ6');
  assert.equal(meaning('ES.c.0', 20261213), 'ESZ6');
  assert.equal(meaning('ES.c.0', 20261214), 'ESH7');
});

test('an alias means nothing before its first designation and after its last contract', () => {
  assert.equal(meaning('ES.c.0', 20260831), null);
  assert.equal(meaning('ES.c.0', 20270617), 'ESM7');
  assert.equal(meaning('ES.c.0', 20270618), null);
});

test('a symbol means its contract at any time, expired or not; an unknown name means nothing', () => {
  assert.equal(meaning('ESU6', 20260101), 'ESU6');
  assert.equal(meaning('ESU6', 20270101), 'ESU6');
  assert.equal(meaning('esu6', 20260901), null);
  assert.equal(meaning('CL.c.0', 20260901), null);
  assert.equal(BOOK.contract('ES.c.0'), null);
  assert.equal(BOOK.alias('ESU6'), null);
  assert.equal(BOOK.alias('ES.c.0'), ES);
});

test('the alias of a contract follows the roll [INST-04]', () => {
  const aliasOf = (symbol: string, day: number) => BOOK.aliasOf(symbol, utcDay(day))?.alias ?? null;
  assert.equal(aliasOf('ESU6', 20260913), 'ES.c.0');
  assert.equal(aliasOf('ESU6', 20260914), null);
  assert.equal(aliasOf('ESZ6', 20260913), null);
  assert.equal(aliasOf('ESZ6', 20260914), 'ES.c.0');
  assert.equal(aliasOf('CLZ6', 20260914), null);
  assert.equal(aliasOf('ESM7', 20270618), null);
});

test('the next roll is the first one after a day', () => {
  const next = (day: number) => BOOK.nextRoll('ES.c.0', utcDay(day));
  assert.deepEqual(next(20260901), { from: 20260914, symbol: 'ESZ6' });
  assert.deepEqual(next(20260914), { from: 20261214, symbol: 'ESH7' });
  assert.equal(next(20270315), null);
  assert.equal(BOOK.nextRoll('CL.c.0', FROM), null);
  const since = (name: string, day: number) => BOOK.meansSince(name, utcDay(day));
  assert.deepEqual([since('ES.c.0', 20260914), since('ES.c.0', 20261213)], [20260914, 20260914]);
  assert.deepEqual([since('ES.c.0', 20261214), since('ESZ6', 20261214)], [20261214, 0]);
});

test('everything that was given is listed in its order', () => {
  assert.deepEqual(BOOK.all(), CONTRACTS);
  assert.deepEqual(BOOK.allAliases(), [ES]);
});

test('contradictions are refused by name', () => {
  const [first] = CONTRACTS;
  assert.ok(first);
  const roll = (from: number, symbol: string) => ({ from: utcDay(from), symbol });
  const wrong: readonly [readonly Contract[], readonly Alias[], RegExp][] = [
    [[...CONTRACTS, first], [], /contract ESU6 is listed twice/],
    [CONTRACTS, [ES, ES], /alias ES\.c\.0 is listed twice/],
    [CONTRACTS, [{ ...ES, alias: 'ESZ6' }], /alias ESZ6 is called like a contract/],
    [
      CONTRACTS,
      [{ ...ES, rolls: [roll(20260901, 'ESX6')] }],
      /designates ESX6, which is not listed/,
    ],
    [CONTRACTS, [{ ...ES, rolls: [roll(20260901, 'CLZ6')] }], /sim ES designates CLZ6 of sim CL/],
    [CONTRACTS, [{ ...ES, dataset: 'real' }], /real ES designates ESU6 of sim ES/],
    [
      CONTRACTS,
      [{ ...ES, rolls: [roll(20260919, 'ESU6')] }],
      /ESU6 on 20260919, when it has expired/,
    ],
    [
      CONTRACTS,
      [{ ...ES, rolls: [roll(20260914, 'ESU6'), roll(20260914, 'ESZ6')] }],
      /rolls of alias ES\.c\.0 do not ascend at 20260914/,
    ],
  ];
  for (const [contracts, aliases, message] of wrong) {
    const build = () => new InstrumentBook(contracts, aliases);
    assert.throws(
      build,
      (error) => error instanceof InstrumentBookError && message.test(error.message),
    );
  }
});
