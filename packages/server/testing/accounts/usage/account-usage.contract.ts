/** The account store's contract: usage reports by month and by day. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { UsageCounts } from '../../../src/accounts/usage/usage-store.ts';
import { DAY_NS, START, type StoreRig, tally } from '../store/account-store-rig.ts';

const counts = (used: Partial<UsageCounts>) => tally({ used }).used;

export function testUsageReports(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: months in which something was used are told from one on, the oldest first`, async () => {
    const rig = await start();
    const [{ id }, other] = [await rig.account(), await rig.account()];
    const use = (accountId: string, period: string, restRequests: number) =>
      rig.store.addUsage([{ accountId, keyId: 'key_1', isTest: false, period, restRequests }]);
    for (const [period, requests] of [
      ['2026-09', 3],
      ['2025-08', 1],
      ['2025-12', 2],
    ] as const) {
      await use(id, period, requests);
    }
    await use(other.id, '2026-01', 9);
    assert.deepEqual(await rig.other.usageMonths(id, '2025-09'), [
      { period: '2025-12', used: counts({ restRequests: 2 }) },
      { period: '2026-09', used: counts({ restRequests: 3 }) },
    ]);
    assert.deepEqual(await rig.store.usageMonths((await rig.account()).id, '2025-09'), []);
  });

  test(`${adapter}: what is settled counts at its day, and after its month at the month's last day`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    const charge = async (now: EpochNs, more: object, amount: number) => {
      const request = rig.request(id, { limit: 10_000, ...more });
      await rig.store.reserve(rig.now, request);
      assert.equal(await rig.store.settle(now, request.id, { amount }), true);
    };
    // The rig starts on 21 September.
    await charge(rig.now, {}, 4);
    await charge(rig.now, {}, 5);
    await charge(rig.now, { budget: 'exportBytes' }, 6);
    await charge(rig.later(DAY_NS), {}, 7);
    await charge(rig.later(DAY_NS), {}, 0);
    await charge(rig.later(30n * DAY_NS), {}, 8);
    await charge(rig.later(30n * DAY_NS), { period: '2026-10' }, 9);
    const day = (of: number, computeUnits: number, exportBytes = 0) => ({
      day: of,
      used: { computeUnits, exportBytes },
    });
    assert.deepEqual(await rig.other.usageDays(id, '2026-09'), [
      day(20260921, 9, 6),
      day(20260922, 7),
      day(20260930, 8),
    ]);
    assert.deepEqual(await rig.store.usageDays(id, '2026-10'), [day(20261021, 9)]);
    assert.deepEqual(await rig.store.usageDays(id, '2026-08'), []);
  });

  test(`${adapter}: days are forgotten with what keys used, after 13 months`, async () => {
    const rig = await start();
    const { id } = await rig.account();
    const request = rig.request(id);
    await rig.store.reserve(rig.now, request);
    await rig.store.settle(rig.now, request.id, { amount: 1 });
    const kept = async (now: bigint) => {
      await rig.store.sweep(now as EpochNs);
      return (await rig.store.usageDays(id, '2026-09')).length;
    };
    assert.equal(await kept(START + 400n * DAY_NS), 1, 'October of the next year');
    assert.equal(await kept(START + 430n * DAY_NS), 0, 'November');
  });
}
