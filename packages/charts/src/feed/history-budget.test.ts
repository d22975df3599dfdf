import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_SHARE, GESTURE_SHARE, HistoryBudget, type TextStore } from './history-budget.ts';

const MONTH = 50_000_000;
const NOON = Date.parse('2026-11-17T12:00:00Z');
const HOUR_MS = 3_600_000;

function memory(): TextStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    get: (name) => texts.get(name) ?? null,
    set: (name, text) => void texts.set(name, text),
  };
}

function budgetAt(ms: { now: number }, store: TextStore = memory()) {
  return new HistoryBudget({ unitsPerMonth: MONTH, store, wallMs: () => ms.now });
}

test('a gesture may spend 1 % of the month, and a day 5 %', () => {
  const budget = budgetAt({ now: NOON });
  assert.equal(budget.allowance(), 500_000);
  assert.equal(budget.allowance(400_000), 100_000);
  assert.equal(budget.allowance(600_000), 0);
  for (let gesture = 0; gesture < 5; gesture += 1) {
    assert.equal(budget.allowance(), 500_000);
    budget.reserve(500_000).settle(500_000);
  }
  assert.equal(budget.allowance(), 0);
});

test('what was reserved and not charged is free again, once', () => {
  const budget = budgetAt({ now: NOON });
  const reservation = budget.reserve(400_000);
  assert.equal(budget.spentToday, 400_000);
  reservation.settle(100_000);
  reservation.settle(0);
  assert.equal(budget.spentToday, 100_000);
});

test('other tabs and a reload know what was spent today; the next day begins with nothing', () => {
  const ms = { now: NOON };
  const store = memory();
  const [one, other] = [budgetAt(ms, store), budgetAt(ms, store)];
  one.reserve(300_000);
  other.reserve(200_000);
  assert.deepEqual([one.spentToday, other.spentToday], [500_000, 500_000]);
  assert.equal(budgetAt(ms, store).spentToday, 500_000);
  ms.now += 12 * HOUR_MS;
  assert.deepEqual([one.spentToday, budgetAt(ms, store).spentToday], [0, 0]);
});

test('a reservation that is settled after midnight is no part of the new day', () => {
  const ms = { now: NOON };
  const budget = budgetAt(ms);
  const reservation = budget.reserve(400_000);
  ms.now += 13 * HOUR_MS;
  budget.reserve(50_000);
  reservation.settle(0);
  assert.equal(budget.spentToday, 50_000);
});

test('a clock that is set back begins no new day, and one set forward is corrected by the service', () => {
  const ms = { now: NOON };
  const store = memory();
  const budget = budgetAt(ms, store);
  budget.reserve(500_000);
  ms.now -= 48 * HOUR_MS;
  assert.equal(budget.spentToday, 500_000);
  assert.equal(budgetAt(ms, store).spentToday, 500_000);
  const behind = budgetAt({ now: NOON - 72 * HOUR_MS });
  behind.hearTime(BigInt(NOON) * 1_000_000n);
  assert.equal(behind.nowMs, NOON);
});

test('a store that fails, forgets or holds nonsense makes no page spend more than its own share', () => {
  const broken: TextStore = {
    get: () => {
      throw new Error('forbidden');
    },
    set: () => {
      throw new Error('full');
    },
  };
  for (const store of [broken, { get: () => null, set: () => {} }, { ...broken, get: () => '{' }]) {
    const budget = budgetAt({ now: NOON }, store);
    budget.reserve(400_000);
    assert.equal(budget.spentToday, 400_000);
  }
  for (const text of ['[]', '7', '{"day":"x","units":5}', '{"day":"2026-11-17","units":-5}']) {
    assert.equal(budgetAt({ now: NOON }, { get: () => text, set: () => {} }).spentToday, 0);
  }
  const ahead = { get: () => '{"day":"2099-01-01","units":700000}', set: () => {} };
  assert.equal(budgetAt({ now: NOON }, ahead).spentToday, 700_000);
});

test('whatever is loaded, in whatever order, without asking never more than 1 % a gesture and 5 % a day', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          tab: fc.nat({ max: 2 }),
          units: fc.nat({ max: 800_000 }),
          charged: fc.double({ min: 0, max: 1, noNaN: true }),
          isNewGesture: fc.boolean(),
          hours: fc.constantFrom(0, 0, 0, 1, 9, -5),
        }),
        { maxLength: 60 },
      ),
      (loads) => {
        const ms = { now: NOON };
        const store = memory();
        const tabs = [0, 1, 2].map(() => budgetAt(ms, store));
        const gestures = [0, 0, 0];
        const days = new Map<string, number>();
        let newest = NOON;
        for (const { tab, units, charged, isNewGesture, hours } of loads) {
          ms.now += hours * HOUR_MS;
          newest = Math.max(newest, ms.now);
          if (isNewGesture) gestures[tab] = 0;
          if (units > tabs[tab]!.allowance(gestures[tab])) continue;
          const spent = Math.floor(units * charged);
          tabs[tab]!.reserve(units).settle(spent);
          gestures[tab]! += spent;
          const day = new Date(newest).toISOString().slice(0, 10);
          days.set(day, (days.get(day) ?? 0) + spent);
          assert.ok(gestures[tab]! <= MONTH * GESTURE_SHARE);
        }
        for (const spent of days.values()) assert.ok(spent <= MONTH * DAY_SHARE);
      },
    ),
    { numRuns: 300 },
  );
});
