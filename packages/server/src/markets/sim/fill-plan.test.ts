import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { sessionDates } from '../../tape/write/session-dates.ts';
import type { FillItem } from '../market.ts';
import { planFill } from './fill-plan.ts';
import { createSimUniverse, SIM_DATASET } from './sim-universe.ts';

const SIM = { seed: 1, printsScale: 1 };
const NOTHING = { isDone: () => false, missedFrom: null };
const key = ({ symbol, day }: FillItem) => `${symbol} ${day}`;

function planAt(now: EpochNs, state: Parameters<typeof planFill>[2] = NOTHING, recentDays = 10) {
  const universe = createSimUniverse(SIM, dayOf(now));
  return { universe, ...planFill(universe, now, state, recentDays) };
}

function daysOf(items: readonly FillItem[], symbol: string): UtcDay[] {
  return items.filter((item) => item.symbol === symbol).map(({ day }) => day);
}

test('ready reaches back to the open of the session before the current one, and covers yesterday', () => {
  // Friday 15:00 UTC: the session before today's opened on Wednesday evening.
  const friday = planAt(epochNs(utcDay(20261113), 15 * 3600e9));
  assert.deepEqual(daysOf(friday.ready, 'ESZ6'), [20261112, 20261111]);
  assert.deepEqual(daysOf(friday.ready, 'BTCX6'), [20261112]);
  // Sunday morning: the last session is Friday's, the one before it opened on Wednesday evening.
  const sunday = planAt(epochNs(utcDay(20261115), 2 * 3600e9));
  assert.deepEqual(daysOf(sunday.ready, 'ESZ6'), [20261114, 20261113, 20261112, 20261111]);
});

test('the rest has the last ten days, the days around a past roll and the end of an expired contract', () => {
  const { ready, rest } = planAt(epochNs(utcDay(20261113), 15 * 3600e9));
  const es = [...daysOf(ready, 'ESZ6'), ...daysOf(rest, 'ESZ6')];
  for (let back = 1; back <= 10; back += 1)
    assert.ok(es.includes(addDays(utcDay(20261113), -back)));
  for (const day of [20260912, 20260913, 20260914, 20260915, 20260916]) {
    assert.ok(es.includes(utcDay(day)));
    assert.ok(daysOf(rest, 'ESU6').includes(utcDay(day)));
  }
  assert.ok(daysOf(rest, 'ESU6').includes(utcDay(20260918)));
  // CLX6 expired before these ten days, BTCV6 on the fourth of them or earlier: only days of life count.
  assert.deepEqual(daysOf(rest, 'CLX6'), []);
});

test('without last days only what the first streams need, and what was missed, is made', () => {
  const now = epochNs(utcDay(20261113), 15 * 3600e9);
  const { ready, rest } = planAt(now, NOTHING, 0);
  assert.deepEqual([ready, rest], [planAt(now).ready, []]);
  const missed = { isDone: () => false, missedFrom: utcDay(20261110) };
  assert.deepEqual(
    new Set(planAt(now, missed, 0).rest.map(({ day }) => day)),
    new Set([20261110, 20261111]),
  );
});

test('a plan names each day once, past days of living contracts only, newest first, and nothing done', () => {
  const at = fc.record({
    day: fc.integer({ min: 0, max: 700 }).map((days) => addDays(utcDay(20260101), days)),
    ns: fc.integer({ min: 0, max: 86_399 }).map((seconds) => seconds * 1e9),
    missed: fc.option(fc.integer({ min: 0, max: 100 })),
    done: fc.func(fc.boolean()),
  });
  fc.assert(
    fc.property(at, ({ day: today, ns, missed, done }) => {
      const now = epochNs(today, ns);
      const state = {
        isDone: (symbol: string, day: UtcDay) => done(symbol, day),
        missedFrom: missed === null ? null : addDays(today, -missed),
      };
      const { universe, ready, rest } = planAt(now, state);
      const all = [...ready, ...rest];
      assert.equal(new Set(all.map(key)).size, all.length);
      for (const { symbol, day } of all) {
        const { firstDay, lastDay } = universe.market.life(symbol);
        assert.ok(day >= firstDay && day <= lastDay && day < today);
        assert.ok(!state.isDone(symbol, day));
      }
      for (let i = 1; i < ready.length; i += 1) assert.ok(ready[i]!.day <= ready[i - 1]!.day);
    }),
    { numRuns: 15 },
  );
});

test('whole days missed while the service was down are made up for', () => {
  const now = epochNs(utcDay(20261113), 0);
  const { ready, rest } = planAt(now, { isDone: () => false, missedFrom: utcDay(20261020) });
  const days = new Set([...ready, ...rest].map(key));
  for (let day = utcDay(20261020); day < 20261113; day = addDays(day, 1)) {
    assert.ok(days.has(`ESZ6 ${day}`), String(day));
  }
  assert.ok(days.has('BTCV6 20261029'), 'also of contracts that have expired since');
});

test('the books made for a plan have the sessions of every day it makes', async () => {
  const disk = new SimDisk().boot();
  for (let week = 0; week < 30; week += 3) {
    const now = epochNs(addDays(utcDay(20260601), 7 * week), 15 * 3600e9);
    const { universe, ready, rest } = planAt(now);
    const days = [...ready, ...rest].map(({ day }) => day);
    const { from, to } = await sessionDates(disk, '/tape', SIM_DATASET, now, days);
    for (const { calendar } of universe.contracts) {
      const book = extendSessionBook(null, calendarNamed(calendar), from, to, now);
      const full = sessionTable(book, 'full');
      const oldest = days.reduce((one, other) => (other < one ? other : one));
      assert.ok(full.atOrBefore(epochNs(oldest, 0)) !== null, `${calendar} ${oldest} at ${now}`);
    }
  }
});
