import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isUsBusinessDay } from '../calendar/us-holidays.ts';
import type { UtcDay } from '../numbers.ts';
import { addDays, dayFromNumber, dayNumber, dayOf, isoWeekday, utcDay } from '../utc-day.ts';
import { contractsOf } from './contracts.ts';
import { expiryDay } from './expiry.ts';
import { PRODUCTS, type Product } from './product.ts';

const days = fc
  .integer({ min: dayNumber(utcDay(20000101)), max: dayNumber(utcDay(20600101)) })
  .map(dayFromNumber);
const products = fc.constantFrom(...PRODUCTS);

function product(root: string): Product {
  const found = PRODUCTS.find((candidate) => candidate.root === root);
  assert.ok(found, root);
  return found;
}

/** Local date and time of the expiry of the contract that is alive around `day`. */
function expiry(symbol: string, day: number): string | undefined {
  const { root, expiry: rule } = product(symbol.slice(0, -2));
  const contracts = contractsOf(product(root), 'sim', utcDay(day), utcDay(day));
  const contract = contracts.find((candidate) => candidate.symbol === symbol);
  if (contract === undefined) return undefined;
  return Temporal.Instant.fromEpochNanoseconds(contract.expiresAt)
    .toZonedDateTimeISO(rule.zone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' });
}

test('contracts expire on the days and at the times their exchanges publish', () => {
  const expected: readonly [symbol: string, during: number, at: string][] = [
    ['ESZ5', 20251101, '2025-12-19T08:30'],
    ['ESH6', 20260201, '2026-03-20T08:30'],
    // The third Friday of June 2026 is Juneteenth.
    ['ESM6', 20260501, '2026-06-18T08:30'],
    ['ESZ6', 20261113, '2026-12-18T08:30'],
    ['NQZ6', 20261113, '2026-12-18T08:30'],
    ['CLX5', 20251001, '2025-10-21T13:30'],
    ['CLZ5', 20251101, '2025-11-20T13:30'],
    ['CLZ6', 20261113, '2026-11-20T13:30'],
    // The 25th is Christmas: the fourth business day before it.
    ['CLF7', 20261201, '2026-12-21T13:30'],
    ['GCZ5', 20251101, '2025-12-29T12:30'],
    ['GCG6', 20260201, '2026-02-25T12:30'],
    ['GCZ6', 20261113, '2026-12-29T12:30'],
    ['ZNZ5', 20251101, '2025-12-19T12:01'],
    ['ZNZ6', 20261113, '2026-12-21T12:01'],
    ['6EZ5', 20251101, '2025-12-15T09:16'],
    ['6EZ6', 20261113, '2026-12-14T09:16'],
    ['BTCX6', 20261113, '2026-11-27T16:00'],
    // The last Friday is Christmas, and in March 2024 it was Good Friday.
    ['BTCZ6', 20261201, '2026-12-24T16:00'],
    ['BTCH4', 20240301, '2024-03-28T16:00'],
  ];
  for (const [symbol, during, at] of expected) assert.equal(expiry(symbol, during), at, symbol);
});

test('months end by the rules of other exchanges too, and by their own business days', () => {
  const london = (day: UtcDay) => isoWeekday(day) < 6 && ![20241225, 20241226].includes(day);
  const frankfurt = (day: UtcDay) => isoWeekday(day) < 6 && day % 10_000 !== 1225;
  const brent = { kind: 'end-of-second-prior-month' } as const;
  assert.equal(expiryDay(brent, 2025, 2, london), 20241230); // The day before the last of December.
  assert.equal(expiryDay(brent, 2025, 1, london), 20241129);
  assert.equal(expiryDay(brent, 2025, 3, london), 20250131);
  const bund = { kind: 'before-day-of-month', dayOfMonth: 10, businessDays: 2 } as const;
  assert.equal(expiryDay(bund, 2025, 3, frankfurt), 20250306);
  assert.equal(expiryDay(bund, 2024, 3, frankfurt), 20240307); // The 10th is a Sunday.
  assert.equal(expiryDay({ kind: 'before-month', businessDays: 3 }, 2025, 2), 20250129);
  // Juneteenth is an ordinary Friday in Frankfurt.
  assert.equal(expiryDay({ kind: 'third-friday' }, 2026, 6, frankfurt), 20260619);
});

test('products carry the tick sizes and point values of their specifications', () => {
  const tickWorth = ({ tickSizeNanos, pointValueNanos }: Product) =>
    (tickSizeNanos / 1e9) * (pointValueNanos / 1e9);
  const worth = PRODUCTS.map((each) => [each.root, each.tickSizeNanos, tickWorth(each)]);
  assert.deepEqual(worth, [
    ['ES', 250_000_000, 12.5],
    ['NQ', 250_000_000, 5],
    ['CL', 10_000_000, 10],
    ['GC', 100_000_000, 10],
    ['ZN', 15_625_000, 15.625],
    ['6E', 50_000, 6.25],
    ['BTC', 5_000_000_000, 25],
  ]);
  for (const each of PRODUCTS) {
    assert.ok(
      Number.isSafeInteger(each.tickSizeNanos) && Number.isSafeInteger(each.pointValueNanos),
    );
  }
});

test('a list holds the contracts that live in its range, with all their reference data', () => {
  const contracts = contractsOf(product('ES'), 'sim', utcDay(20261113), utcDay(20261113));
  assert.deepEqual(contracts[0], {
    symbol: 'ESZ6',
    dataset: 'sim',
    root: 'ES',
    name: 'E-mini S&P 500 December 2026',
    exchange: 'CME',
    currency: 'USD',
    tickSizeNanos: 250_000_000,
    lotSizeNanos: 1_000_000_000,
    pointValueNanos: 50_000_000_000,
    calendar: 'cme-equity',
    expiresAt: 1_797_604_200_000_000_000n,
  });
  assert.deepEqual(
    contracts.map((contract) => contract.symbol),
    ['ESZ6', 'ESH7'],
  );
  const year = contractsOf(product('GC'), 'sim', utcDay(20260101), utcDay(20261231));
  assert.deepEqual(
    year.map((contract) => contract.symbol),
    ['GCG6', 'GCJ6', 'GCM6', 'GCQ6', 'GCV6', 'GCZ6', 'GCG7', 'GCJ7'],
  );
});

test('two contracts of a root live on every day, three on a day of expiry', () => {
  fc.assert(
    fc.property(products, days, (each, day) => {
      const contracts = contractsOf(each, 'sim', day, day);
      const expiring = contracts.some((contract) => dayOf(contract.expiresAt) === day);
      assert.equal(contracts.length, expiring ? 3 : 2);
    }),
    { numRuns: 150 },
  );
});

test('in any range of nine years symbols are unique, expiries ascend and are business days', () => {
  fc.assert(
    fc.property(products, days, fc.nat({ max: 9 * 365 }), (each, from, length) => {
      const contracts = contractsOf(each, 'sim', from, addDays(from, length));
      assert.equal(new Set(contracts.map((contract) => contract.symbol)).size, contracts.length);
      contracts.forEach((contract, index) => {
        const before = contracts[index - 1];
        assert.ok(isUsBusinessDay(dayOf(contract.expiresAt)));
        if (before) assert.ok(before.expiresAt < contract.expiresAt);
      });
    }),
    { numRuns: 60 },
  );
});

test('a range over nine years, in which symbols would repeat, or an empty one is refused', () => {
  const list = (from: number, to: number) => () =>
    contractsOf(product('ES'), 'sim', utcDay(from), utcDay(to));
  assert.throws(list(20200101, 20300101), { name: 'RangeError', message: /20200101 to 20300101/ });
  assert.throws(list(20260102, 20260101), RangeError);
});
