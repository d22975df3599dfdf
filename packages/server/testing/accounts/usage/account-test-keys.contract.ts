/** The account store's contract: usage per key, and test keys. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReserveRequest } from '../../../src/accounts/usage/usage-store.ts';
import { SECOND_NS, type StoreRig, tally, usage } from '../store/account-store-rig.ts';

export function testUseByKey(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a test key's use counts at the account and at the test keys, and either can refuse it`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    const trial = (amount: number, more = {}) =>
      rig.request(id, { amount, keyId: 'trial', testLimit: 50, ...more });
    const reserve = (request: ReserveRequest) => rig.store.reserve(rig.now, request);
    const first = trial(30);
    assert.deepEqual(await reserve(first), { granted: true });
    assert.deepEqual(await reserve(trial(21)), { granted: false, remaining: 20 });
    const live = rig.request(id, { amount: 60, keyId: 'live' });
    assert.deepEqual(await reserve(live), { granted: true });
    // Now the account has less left than its test keys.
    assert.deepEqual(await reserve(trial(11)), { granted: false, remaining: 10 });
    assert.deepEqual(await reserve(rig.request(id, { amount: 11 })), {
      granted: false,
      remaining: 10,
    });
    // If the plan does not limit it, only the limit of test keys applies.
    const alone = trial(20, { limit: null });
    assert.deepEqual(await reserve(alone), { granted: true });
    assert.deepEqual(await reserve(trial(1, { limit: null })), { granted: false, remaining: 0 });
    const month = await rig.other.usageOf(rig.now, id, '2026-09');
    assert.deepEqual(month, usage({}, { computeUnits: 110 }, { reserved: { computeUnits: 50 } }));

    await rig.store.settle(rig.now, first.id, { amount: 25, historyItems: 7 });
    await rig.store.settle(rig.now, live.id, { amount: 40, historyItems: 1 });
    await rig.store.voidReservation(rig.now, alone.id);
    const used = { computeUnits: 65, historyItems: 8 };
    const tests = { used: { computeUnits: 25, historyItems: 7 } };
    rig.pass(SECOND_NS);
    assert.deepEqual(await rig.store.usageOf(rig.now, id, '2026-09'), usage(used, {}, tests));
    assert.deepEqual(await rig.other.usageByKey(id, '2026-09'), [
      { keyId: 'live', used: tally({ used: { computeUnits: 40, historyItems: 1 } }).used },
      { keyId: 'trial', used: tally(tests).used },
    ]);
    assert.deepEqual(await rig.store.usageByKey(id, '2026-10'), []);
  });

  test(`${adapter}: what a test key lost is given back on both sides, and charged on both when it settles late`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    const lost = rig.request(id, { amount: 40, testLimit: 50 });
    await rig.store.reserve(rig.now, lost);
    rig.pass(61n * SECOND_NS);
    assert.deepEqual(await rig.store.usageOf(rig.now, id, '2026-09'), usage({}));
    const next = rig.request(id, { amount: 50, testLimit: 50 });
    assert.deepEqual(await rig.store.reserve(rig.now, next), { granted: true });
    assert.equal(await rig.store.settle(rig.now, lost.id, { amount: 45 }), true);
    const [used, reserved] = [{ computeUnits: 45 }, { computeUnits: 50 }];
    const month = await rig.store.usageOf(rig.now, id, '2026-09');
    assert.deepEqual(month, usage(used, reserved, { used, reserved }));
  });

  test(`${adapter}: what keys used is known for 13 months before this one, and then forgotten`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const periods = ['2025-07', '2025-08', '2026-09'];
    const whose = { accountId, keyId: 'k', isTest: true };
    await rig.store.addUsage(periods.map((period) => ({ ...whose, period, restRequests: 1 })));
    await rig.store.sweep(rig.now);
    const known = await Promise.all(periods.map((one) => rig.store.usageByKey(accountId, one)));
    assert.deepEqual(
      known.map((keys) => keys.length),
      [0, 1, 1],
    );
    const old = await rig.store.usageOf(rig.now, accountId, '2025-07');
    assert.equal(old.used.restRequests, 1, 'what the account used stays');
  });
}
