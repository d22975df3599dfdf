import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, dayOf, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { createSimUniverse } from './sim-universe.ts';

const SIM = { seed: 1, printsScale: 1 };
const ROOTS = ['ES', 'NQ', 'CL', 'GC', 'ZN', '6E', 'BTC'];
const anyToday = fc.integer({ min: 0, max: 2_000 }).map((days) => addDays(utcDay(20240101), days));

test('every root has three expired contracts, the current and the next one, and one alias', () => {
  fc.assert(
    fc.property(anyToday, (today) => {
      const { contracts, book, streamedOn } = createSimUniverse(SIM, today);
      for (const root of ROOTS) {
        const own = contracts.filter((contract) => contract.root === root);
        const expired = own.filter(({ expiresAt }) => dayOf(expiresAt) < today);
        assert.equal(own.length, 5);
        assert.equal(expired.length, 3);
        const streamed = streamedOn(today).filter((contract) => contract.root === root);
        assert.deepEqual(streamed, own.slice(3));
        const alias = book.allAliases().find((one) => one.root === root)!;
        assert.equal(alias.alias, root === 'CL' ? 'CL.v.0' : `${root}.c.0`);
        assert.deepEqual(
          alias.rolls.map(({ symbol }) => symbol),
          own.map(({ symbol }) => symbol),
        );
        assert.ok(streamed.includes(book.resolve(alias.alias, today)!));
      }
    }),
    { numRuns: 40 },
  );
});

test('exactly the contracts that are streamed on a day live on it', () => {
  const universe = createSimUniverse(SIM, utcDay(20261115));
  for (let day = utcDay(20260701); day < 20261231; day = addDays(day, 1)) {
    const streamed = universe.streamedOn(day);
    assert.equal(streamed.length, 2 * ROOTS.length);
    for (const { symbol } of streamed) {
      const { firstDay, lastDay } = universe.market.life(symbol);
      assert.ok(day >= firstDay && day <= lastDay, `${symbol} ${day}`);
    }
  }
});

test('the volume alias moves the day after the next contract trades more', () => {
  const { book, market } = createSimUniverse(SIM, utcDay(20261115));
  for (const [index, { from, symbol }] of book.alias('CL.v.0')!.rolls.entries()) {
    if (index === 0) continue;
    const before = book.alias('CL.v.0')!.rolls[index - 1]!.symbol;
    const leads = (day: typeof from) =>
      market.expectedPrints(symbol, day) > market.expectedPrints(before, day);
    assert.ok(leads(addDays(from, -1)) && !leads(addDays(from, -2)), `${symbol} ${from}`);
  }
});
