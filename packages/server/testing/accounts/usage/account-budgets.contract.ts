/** The account store's contract about budgets: single cases, a model, and overlapping calls. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import type { AccountStore } from '../../../src/accounts/store/account-store.ts';
import { DAY_NS, SECOND_NS, START, type StoreRig, usage } from '../store/account-store-rig.ts';
import { BudgetModel } from './account-budget-model.ts';

const HOUR_SECONDS = 3_600;
const PERIODS = ['2026-09', '2026-10'] as const;

export function testBudgets(adapter: string, start: () => Promise<StoreRig>): void {
  testSingleCases(adapter, start);
  testAgainstModel(adapter, start);
  testOverlapping(adapter, start);
}

function testSingleCases(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: what fits exactly is reserved, one more is refused with what remains`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    assert.deepEqual(await rig.store.usageOf(rig.now, id, '2026-09'), usage({}));
    const reserve = (amount: number, more = {}) =>
      rig.store.reserve(rig.now, rig.request(id, { amount, ...more }));
    assert.deepEqual(await reserve(60), { granted: true });
    assert.deepEqual(await reserve(41), { granted: false, remaining: 40 });
    assert.deepEqual(await reserve(40), { granted: true });
    assert.deepEqual(await reserve(1), { granted: false, remaining: 0 });
    assert.deepEqual(await reserve(0), { granted: true });
    assert.deepEqual(await reserve(1, { limit: 20 }), { granted: false, remaining: 0 });
    assert.deepEqual(await reserve(100, { budget: 'exportBytes' }), { granted: true });
    assert.deepEqual(await reserve(100, { period: '2026-10' }), { granted: true });
    const month = await rig.other.usageOf(rig.now, id, '2026-09');
    assert.deepEqual(month, usage({}, { computeUnits: 100, exportBytes: 100 }));
  });

  test(`${adapter}: settling charges what was used and frees the rest, once, also when it was more`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    const [less, more, none] = [rig.request(id), rig.request(id), rig.request(id)];
    for (const request of [less, more, none]) await rig.store.reserve(rig.now, request);
    const settle = (reservation: string, amount: number, historyItems?: number) =>
      rig.store.settle(rig.now, reservation, {
        amount,
        ...(historyItems === undefined ? {} : { historyItems }),
      });
    assert.equal(await settle(less.id, 4, 7), true);
    assert.equal(await settle(less.id, 4, 7), false);
    assert.equal(await rig.store.voidReservation(rig.now, less.id), false);
    assert.equal(await settle(more.id, 1_000), true);
    assert.equal(await rig.store.voidReservation(rig.now, none.id), true);
    assert.equal(await rig.store.voidReservation(rig.now, none.id), false);
    assert.equal(await settle(none.id, 1), false);
    assert.equal(await settle('never made', 1), false);
    const month = await rig.store.usageOf(rig.now, id, '2026-09');
    assert.deepEqual(month, usage({ computeUnits: 1_004, historyItems: 7 }));
    assert.deepEqual(await rig.store.reserve(rig.now, rig.request(id, { amount: 1 })), {
      granted: false,
      remaining: 0,
    });
  });

  test(`${adapter}: the same id takes nothing again, whatever became of it; a refused one is judged anew`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    const request = rig.request(id, { amount: 100 });
    const granted = { granted: true };
    assert.deepEqual(await rig.store.reserve(rig.now, request), granted);
    assert.deepEqual(await rig.other.reserve(rig.now, request), granted);
    const refused = rig.request(id);
    assert.deepEqual((await rig.store.reserve(rig.now, refused)).granted, false);
    rig.pass(61n * SECOND_NS);
    assert.deepEqual(await rig.store.reserve(rig.now, request), granted);
    await rig.store.settle(rig.now, request.id, { amount: 50 });
    assert.deepEqual(await rig.store.reserve(rig.now, request), granted);
    assert.deepEqual(await rig.store.reserve(rig.now, { ...refused, expiresAt: rig.later(1n) }), {
      granted: true,
    });
    const month = await rig.store.usageOf(rig.now, id, '2026-09');
    assert.deepEqual(month, usage({ computeUnits: 50 }, { computeUnits: 10 }));

    const another = await rig.account();
    for (const wrong of [{ amount: 99 }, { budget: 'exportBytes' as const }]) {
      await assert.rejects(rig.store.reserve(rig.now, { ...request, ...wrong }), /something else/);
    }
    await assert.rejects(rig.store.reserve(rig.now, { ...request, accountId: another.id }));
  });

  test(`${adapter}: an expired reservation is given back to whoever asks next, and settles in its own month [SEC-27]`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    const lost = rig.request(id, { amount: 100 });
    await rig.store.reserve(rig.now, lost);
    rig.now = (lost.expiresAt - 1n) as EpochNs;
    assert.equal((await rig.store.reserve(rig.now, rig.request(id))).granted, false);
    rig.now = lost.expiresAt;
    assert.deepEqual(await rig.store.usageOf(rig.now, id, '2026-09'), usage({}));
    const next = rig.request(id, { amount: 100, period: '2026-10' });
    assert.equal((await rig.store.reserve(rig.now, next)).granted, true);
    assert.equal((await rig.store.reserve(rig.now, rig.request(id))).granted, true);

    assert.equal(await rig.store.settle(rig.now, lost.id, { amount: 70 }), true);
    assert.equal(await rig.store.settle(rig.now, lost.id, { amount: 70 }), false);
    const month = await rig.store.usageOf(rig.now, id, '2026-09');
    assert.deepEqual(month, usage({ computeUnits: 70 }, { computeUnits: 10 }));
    const october = await rig.store.usageOf(rig.now, id, '2026-10');
    assert.deepEqual(october, usage({}, { computeUnits: 100 }));
  });

  test(`${adapter}: sweeping gives back for all accounts, and forgets closed reservations after a day, expired ones after 40`, async () => {
    const rig = await start();
    const accounts = [await rig.account(), await rig.account()];
    const requests = accounts.map(({ id }) => rig.request(id));
    for (const request of requests) await rig.store.reserve(rig.now, request);
    rig.pass(61n * SECOND_NS);
    await rig.store.sweep(rig.now);
    for (const { id } of accounts) {
      // For a clock that was set back, they have not expired yet; they are released nevertheless.
      assert.deepEqual(await rig.store.usageOf(START, id, '2026-09'), usage({}));
    }
    const closed = rig.request(accounts[0]!.id);
    await rig.store.reserve(rig.now, closed);
    await rig.store.voidReservation(rig.now, closed.id);
    rig.now = (closed.expiresAt + DAY_NS) as EpochNs;
    await rig.store.sweep(rig.now);
    const other = { ...closed, amount: closed.amount + 1 };
    await assert.rejects(rig.store.reserve(rig.now, other), /was made for something else/);
    rig.pass(1n);
    await rig.store.sweep(rig.now);
    assert.deepEqual(await rig.store.reserve(rig.now, other), { granted: true });
    await rig.store.voidReservation(rig.now, other.id);
    rig.now = (requests[0]!.expiresAt + 40n * DAY_NS) as EpochNs;
    await rig.store.sweep(rig.now);
    assert.equal(await rig.store.settle(rig.now, requests[0]!.id, { amount: 3 }), true);
    rig.pass(1n);
    await rig.store.sweep(rig.now);
    assert.equal(await rig.store.settle(rig.now, requests[1]!.id, { amount: 3 }), false);
  });

  test(`${adapter}: counts without a budget add up, by account and month`, async () => {
    const rig = await start();
    const [first, second] = [await rig.account(), await rig.account()];
    const count = (accountId: string, period: string, restRequests: number, isTest = false) => ({
      accountId,
      keyId: isTest ? 'trial' : 'live',
      isTest,
      period,
      restRequests,
    });
    await rig.store.addUsage([count(first.id, '2026-09', 3), count(second.id, '2026-09', 5)]);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        rig.either(index).addUsage([count(first.id, '2026-09', 1), count(first.id, '2026-10', 2)]),
      ),
    );
    await rig.store.addUsage([]);
    const requests = async (id: string, period: string) =>
      (await rig.store.usageOf(rig.now, id, period)).used.restRequests;
    assert.equal(await requests(first.id, '2026-09'), 23);
    assert.equal(await requests(first.id, '2026-10'), 40);
    assert.equal(await requests(second.id, '2026-09'), 5);
    await rig.store.addUsage([count(second.id, '2026-09', 4, true)]);
    const { used, tests } = await rig.store.usageOf(rig.now, second.id, '2026-09');
    assert.deepEqual([used.restRequests, tests.used.restRequests], [9, 4]);
    const byKey = await rig.other.usageByKey(second.id, '2026-09');
    assert.deepEqual(
      byKey.map((it) => [it.keyId, it.used.restRequests]),
      [
        ['live', 5],
        ['trial', 4],
      ],
    );
    const wrong = count(first.id, '2026-09', -1);
    await assert.rejects(rig.store.addUsage([count(first.id, '2026-09', 1), wrong]));
    assert.equal(await requests(first.id, '2026-09'), 23);
    // An unknown account does not keep others from being counted.
    await rig.store.addUsage([count('none', '2026-09', 1), count(first.id, '2026-09', 1)]);
    assert.equal(await requests(first.id, '2026-09'), 24);
  });

  test(`${adapter}: amounts that are no counts are refused before anything happens`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    const held = rig.request(id);
    await rig.store.reserve(rig.now, held);
    for (const amount of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await assert.rejects(rig.store.reserve(rig.now, rig.request(id, { amount })));
      await assert.rejects(rig.store.settle(rig.now, held.id, { amount }));
      await assert.rejects(rig.store.settle(rig.now, held.id, { amount: 0, historyItems: amount }));
      const whose = { accountId: id, keyId: 'k', isTest: false, period: '2026-09' };
      const counts = [{ ...whose, restRequests: amount }];
      await assert.rejects(rig.store.addUsage(counts));
    }
    const huge = { amount: 2 ** 52, limit: 2 ** 53 - 1, period: '2026-10' };
    assert.equal((await rig.store.reserve(rig.now, rig.request(id, huge))).granted, true);
    assert.deepEqual(await rig.store.reserve(rig.now, rig.request(id, huge)), {
      granted: false,
      remaining: 2 ** 52 - 1,
    });
    const month = await rig.store.usageOf(rig.now, id, '2026-09');
    assert.deepEqual(month, usage({}, { computeUnits: 10 }));
  });
}

type Step =
  | {
      readonly t: 'reserve';
      readonly name: number;
      readonly amount: number;
      readonly lasts: number;
      readonly isTest: boolean;
    }
  | { readonly t: 'settle'; readonly name: number; readonly amount: number }
  | { readonly t: 'void'; readonly name: number }
  | { readonly t: 'sweep' }
  | { readonly t: 'look' }
  | { readonly t: 'clock'; readonly seconds: number };

const name = fc.nat({ max: 9 });
const steps = fc.array(
  fc.oneof(
    fc.record({
      t: fc.constant('reserve' as const),
      name,
      amount: fc.nat({ max: 60 }),
      lasts: fc.constantFrom(1, 30, HOUR_SECONDS),
      isTest: fc.boolean(),
    }),
    fc.record({ t: fc.constant('settle' as const), name, amount: fc.nat({ max: 80 }) }),
    fc.record({ t: fc.constant('void' as const), name }),
    fc.record({ t: fc.constant('sweep' as const) }),
    fc.record({ t: fc.constant('look' as const) }),
    fc.record({
      t: fc.constant('clock' as const),
      seconds: fc.constantFrom(1, 29, 30, HOUR_SECONDS, -HOUR_SECONDS),
    }),
  ),
  { minLength: 1, maxLength: 40 },
);

function testAgainstModel(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: every answer is the model's, with months ending and the clock jumping an hour either way [SEC-27]`, async () => {
    const rig = await start();
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const { id: accountId } = await rig.account();
        const model = new BudgetModel(100, 50);
        rig.now = START;
        for (const [index, step] of history.entries()) {
          await follow(rig, rig.either(index), model, accountId, step);
        }
        // In the end nothing is held, and each month is charged with what was settled in it.
        rig.now = rig.later(DAY_NS);
        await rig.store.sweep(rig.now);
        for (const period of PERIODS) {
          const month = await rig.store.usageOf(rig.now, accountId, period);
          const tests = { used: { computeUnits: model.charged(period, true) } };
          assert.deepEqual(month, usage({ computeUnits: model.charged(period) }, {}, tests));
        }
      }),
      { numRuns: 60 },
    );
  });
}

/** One step on the store and on the model; a month ends half an hour after the start. */
async function follow(
  rig: StoreRig,
  store: AccountStore,
  model: BudgetModel,
  accountId: string,
  step: Step,
): Promise<void> {
  const { now } = rig;
  const period = now < START + BigInt(HOUR_SECONDS / 2) * SECOND_NS ? PERIODS[0] : PERIODS[1];
  switch (step.t) {
    case 'clock':
      rig.pass(BigInt(step.seconds) * SECOND_NS);
      return;
    case 'reserve': {
      // A name identifies one reservation for ever, so a repeated one must request the same.
      const made = model.find(`${step.name}`);
      const amount = made?.amount ?? step.amount;
      const request = {
        ...rig.request(accountId, { amount, limit: 100, period }),
        testLimit: step.isTest ? 50 : null,
        id: `${accountId} ${step.name}`,
        expiresAt: rig.later(BigInt(step.lasts) * SECOND_NS),
      };
      const expected = model.reserve(now, `${step.name}`, request);
      assert.deepEqual(await store.reserve(now, request), expected);
      return;
    }
    case 'settle': {
      const id = `${accountId} ${step.name}`;
      const { amount } = step;
      assert.equal(await store.settle(now, id, { amount }), model.settle(`${step.name}`, amount));
      return;
    }
    case 'void': {
      const id = `${accountId} ${step.name}`;
      assert.equal(await store.voidReservation(now, id), model.void(`${step.name}`));
      return;
    }
    case 'sweep':
      model.giveBack(now);
      await store.sweep(now);
      return;
    case 'look':
      // Changes through the other handle may take a second to show.
      rig.pass(SECOND_NS);
      for (const one of PERIODS) {
        const { used, reserved, tests } = await store.usageOf(rig.now, accountId, one);
        assert.equal(used.computeUnits, model.charged(one));
        assert.equal(reserved.computeUnits, model.held(one, rig.now));
        assert.equal(tests.used.computeUnits, model.charged(one, true));
        assert.equal(tests.reserved.computeUnits, model.held(one, rig.now, true));
      }
      return;
    default:
      step satisfies never;
  }
}

function testOverlapping(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: however calls overlap, a budget is never overspent and nothing leaks [SEC-05] [SEC-27]`, async () => {
    const rig = await start();
    const client = fc.record({
      amount: fc.integer({ min: 1, max: 40 }),
      usedShare: fc.integer({ min: 0, max: 100 }),
      end: fc.constantFrom('settle', 'settle twice', 'void', 'both', 'lost'),
      choice: fc.nat({ max: 1 }),
      isTest: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(client, { minLength: 2, maxLength: 24 }), async (clients) => {
        const { id: accountId } = await rig.account();
        rig.now = START;
        const charged = { all: 0, tests: 0 };
        const lost = { all: 0, tests: 0 };
        const isWithin = async (store: AccountStore) => {
          const { used, reserved, tests } = await store.usageOf(rig.now, accountId, '2026-09');
          assert.ok(used.computeUnits + reserved.computeUnits <= 100);
          assert.ok(tests.used.computeUnits + tests.reserved.computeUnits <= 60);
        };
        const add = (sum: { all: number; tests: number }, amount: number, isTest: boolean) => {
          sum.all += amount;
          if (isTest) sum.tests += amount;
        };
        await Promise.all(
          clients.map(async ({ amount, usedShare, end, choice, isTest }) => {
            const [store, another] = [rig.either(choice), rig.either(choice + 1)];
            const request = rig.request(accountId, { amount, testLimit: isTest ? 60 : null });
            const { granted } = await store.reserve(rig.now, request);
            await isWithin(another);
            if (!granted) return;
            if (end === 'lost') {
              add(lost, amount, isTest);
              return;
            }
            const used = Math.floor((amount * usedShare) / 100);
            const ends = await Promise.all([
              end !== 'void' && store.settle(rig.now, request.id, { amount: used }),
              end === 'settle twice' && another.settle(rig.now, request.id, { amount: used }),
              (end === 'void' || end === 'both') && another.voidReservation(rig.now, request.id),
            ]);
            assert.equal(ends.filter((hasEnded) => hasEnded).length, 1, end);
            if (ends[0] || ends[1]) add(charged, used, isTest);
            await isWithin(store);
          }),
        );
        rig.pass(SECOND_NS);
        const month = await rig.store.usageOf(rig.now, accountId, '2026-09');
        const used = { computeUnits: charged.tests };
        const tests = { used, reserved: { computeUnits: lost.tests } };
        assert.deepEqual(
          month,
          usage({ computeUnits: charged.all }, { computeUnits: lost.all }, tests),
        );
        rig.pass(61n * SECOND_NS);
        await Promise.all([rig.store.sweep(rig.now), rig.other.sweep(rig.now)]);
        const end = await rig.store.usageOf(START, accountId, '2026-09');
        assert.deepEqual(end, usage({ computeUnits: charged.all }, {}, { used }));
      }),
      { numRuns: 15 },
    );
  });
}
