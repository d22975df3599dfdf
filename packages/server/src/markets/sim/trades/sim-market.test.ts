import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayNumber, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { createSimUniverse } from '../sim-universe.ts';
import { firstIdOf, SLICE_PRINTS_MAX, SLICES_PER_DAY } from './slice.ts';
import { TradeColumns } from './trade-columns.ts';

const TODAY = utcDay(20261115);
const SMALL = { seed: 1, printsScale: 0.02 };
const small = createSimUniverse(SMALL, TODAY);
const symbols = small.contracts.map(({ symbol }) => symbol);

const anyDay = fc.integer({ min: -330, max: 20 }).map((days) => addDays(TODAY, days));
const anySymbol = fc.constantFrom(...symbols);

function dayOfTrades(symbol: string, day: UtcDay, universe = small): TradeColumns {
  const columns = new TradeColumns();
  universe.market.appendDay(symbol, day, columns);
  return columns;
}

function digest({ count, ts, price, size, side }: TradeColumns): string {
  const hash = createHash('sha256');
  for (const column of [ts, price, size, side]) {
    hash.update(new Uint8Array(column.buffer, 0, count * column.BYTES_PER_ELEMENT));
  }
  return hash.digest('hex');
}

test('a day is the same from any universe, in any order, whole or in slices backwards', () => {
  fc.assert(
    fc.property(anySymbol, anyDay, fc.integer({ min: -40, max: 40 }), (symbol, day, later) => {
      const whole = dayOfTrades(symbol, day);
      const other = createSimUniverse(SMALL, addDays(TODAY, later));
      const slices: TradeColumns[] = [];
      for (let slice = SLICES_PER_DAY - 1; slice >= 0; slice -= 1) {
        const columns = new TradeColumns();
        other.market.appendSlice(symbol, day, slice, columns);
        slices.unshift(columns);
      }
      const joined = new TradeColumns();
      for (const { count, ts, price, size, side } of slices) {
        joined.reserve(count);
        for (let i = 0; i < count; i += 1) joined.push(ts[i]!, price[i]!, size[i]!, side[i]!);
      }
      assert.equal(joined.count, whole.count);
      assert.equal(digest(joined), digest(whole));
    }),
    { numRuns: 12 },
  );
});

test('another seed or scale gives another day', () => {
  const days = [SMALL, { ...SMALL, seed: 2 }, { ...SMALL, printsScale: 0.021 }].map((options) =>
    digest(dayOfTrades('ESZ6', utcDay(20261112), createSimUniverse(options, TODAY))),
  );
  assert.equal(new Set(days).size, 3);
});

test('every trade lies inside a session and its contract’s life, in order, with a whole price and size', () => {
  fc.assert(
    fc.property(anySymbol, anyDay, (symbol, day) => {
      const contract = small.book.contract(symbol)!;
      const calendar = calendarNamed(contract.calendar);
      const sessions = resolveSessions(calendar, 'full', addDays(day, -1), addDays(day, 1));
      const spans = sessions.map(({ open, close }) => [
        Number(open - epochNs(day, 0)),
        Number(close - epochNs(day, 0)),
      ]);
      const expiresNs = Number(contract.expiresAt - epochNs(day, 0));
      const { firstDay, lastDay } = small.market.life(symbol);
      const { count, ts, price, size, side } = dayOfTrades(symbol, day);
      if (day < firstDay || day > lastDay) assert.equal(count, 0);
      for (let i = 0; i < count; i += 1) {
        const at = ts[i]!;
        assert.ok(spans.some(([open, close]) => at >= open! && at < close!) && at < expiresNs);
        assert.ok(i === 0 || at >= ts[i - 1]!);
        assert.ok(Number.isInteger(at) && price[i]! > 0 && size[i]! >= 1);
        assert.ok(side[i]! >= -1 && side[i]! <= 1);
      }
    }),
    { numRuns: 120 },
  );
});

test('weekends and holidays are empty, half days end early, clock changes move the hours', () => {
  const hours = (symbol: string, day: number) => {
    const { count, ts } = dayOfTrades(symbol, utcDay(day));
    return count === 0 ? [] : [Math.floor(ts[0]! / 3600e9), Math.floor(ts[count - 1]! / 3600e9)];
  };
  assert.deepEqual(hours('ESZ6', 20261114), []);
  assert.deepEqual(hours('ESZ6', 20261113), [0, 21]);
  assert.deepEqual(hours('ESZ6', 20261106), [0, 21]);
  // Daylight saving ended on Sunday 2026-11-01: the Friday before closes an hour earlier in UTC.
  assert.deepEqual(hours('ESZ6', 20261030), [0, 20]);
  assert.deepEqual(hours('ESZ6', 20261025), [22, 23]);
  assert.deepEqual(hours('ESZ6', 20261101), [23, 23]);
  // The day after Thanksgiving ends at 12:15 in Chicago, Christmas is closed.
  assert.deepEqual(hours('ESZ6', 20261127), [0, 18]);
  assert.deepEqual(hours('ESH7', 20261225), []);
  assert.deepEqual(hours('BTCX6', 20261114), [0, 23]);
});

test('the price goes on across midnight, breaks and slices', () => {
  for (const [symbol, first] of [
    ['BTCX6', 20261103],
    ['ESZ6', 20261103],
    ['CLZ6', 20261103],
  ] as const) {
    let last: number | null = null;
    for (let day = utcDay(first); day < 20261107; day = addDays(day, 1)) {
      const { count, price } = dayOfTrades(symbol, day);
      if (last !== null) assert.ok(Math.abs(price[0]! - last) < 25, `${symbol} ${day}`);
      last = price[count - 1]!;
    }
  }
});

test('activity moves to the next contract around the roll, and the deferred one trades a few percent', () => {
  const share = (day: number) => {
    const front = dayOfTrades('ESU6', utcDay(day)).count;
    const next = dayOfTrades('ESZ6', utcDay(day)).count;
    return next / (front + next);
  };
  assert.ok(share(20260901) > 0.01 && share(20260901) < 0.06);
  assert.ok(share(20260911) < 0.3);
  assert.ok(share(20260914) > 0.45 && share(20260914) < 0.75);
  assert.ok(share(20260917) > 0.85);
  const { count, ts } = dayOfTrades('ESU6', utcDay(20260918));
  assert.ok(count > 0 && ts[count - 1]! < 13.5 * 3600e9, 'it expires at 08:30 in Chicago');
});

test('feed numbers grow over slices and days and stay exact', () => {
  const day = dayNumber(TODAY);
  assert.ok(firstIdOf(day, 1) - firstIdOf(day, 0) >= SLICE_PRINTS_MAX);
  assert.ok(firstIdOf(day + 1, 0) - firstIdOf(day, SLICES_PER_DAY - 1) >= SLICE_PRINTS_MAX);
  assert.ok(Number.isSafeInteger(firstIdOf(dayNumber(utcDay(99991231)), SLICES_PER_DAY)));
});

/** A digest that differs from these means that every simulated tape has changed: write it in the changelog. */
const GOLDEN: Readonly<Record<string, string>> = {
  ESZ6: 'fba253bb1fb5b354f4a62dc39e3aa2c8',
  NQZ6: '9e98c489b03b42e5529d21a52b91b2da',
  CLZ6: '1ae27f1a8234599f4c6f0549c3aec11c',
  GCZ6: '5d2f5dd4d559ca13c5299df9c96fcda9',
  ZNZ6: '307403e5ea752bf3c2a8a5931d7d762c',
  '6EZ6': 'aeb926ad7a64127868022f8e65470aed',
  BTCX6: '85c099bab4803d7681f4fc51a8149809',
};

test('the days of the golden digests are made as they always were', () => {
  const made = Object.fromEntries(
    ['ESZ6', 'NQZ6', 'CLZ6', 'GCZ6', 'ZNZ6', '6EZ6', 'BTCX6'].map((symbol) => [
      symbol,
      digest(dayOfTrades(symbol, utcDay(20261112))).slice(0, 32),
    ]),
  );
  assert.deepEqual(made, GOLDEN);
});
