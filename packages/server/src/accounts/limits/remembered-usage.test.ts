import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import type { MonthUsage } from '../store/account-store.ts';
import { RememberedUsage } from './remembered-usage.ts';

const SECOND = 1_000_000_000n;
const at = (ns: bigint) => ns as EpochNs;

function report(computeUnits: number, reservedUnits = 0): MonthUsage {
  const tally = {
    used: { computeUnits, historyItems: 0, exportBytes: 0, restRequests: 0 },
    reserved: { computeUnits: reservedUnits, exportBytes: 0 },
  };
  return { ...tally, tests: tally };
}

/** A store of one account whose every reading is counted. */
class CountedStore {
  used = 0;
  reserved = 0;
  readings = 0;
  readonly remembered = new RememberedUsage();

  async read(now: bigint, accountId = 'a', period = '2026-11'): Promise<MonthUsage> {
    return await this.remembered.read(at(now), accountId, period, async () => {
      this.readings += 1;
      return report(this.used, this.reserved);
    });
  }

  spend(units: number): Promise<void> {
    return this.remembered.change(async () => {
      this.used += units;
    });
  }
}

test('a report is read once in a second, by account and month', async () => {
  const store = new CountedStore();
  for (const now of [0n, 1n, SECOND - 1n]) await store.read(now);
  assert.equal(store.readings, 1);
  await store.read(SECOND);
  assert.equal(store.readings, 2);
  await store.read(SECOND, 'b');
  await store.read(SECOND, 'a', '2026-12');
  assert.equal(store.readings, 4);
  await store.read(0n);
  assert.equal(store.readings, 5, 'a clock that was set back is not trusted');
});

test('a change is seen by every reading that begins after it', async () => {
  const store = new CountedStore();
  await store.read(0n);
  await store.spend(5);
  assert.equal((await store.read(0n)).used.computeUnits, 5);
  await assert.rejects(
    store.remembered.change(() => Promise.reject(new Error('full'))),
    /full/,
  );
  store.used = 7;
  assert.equal((await store.read(0n)).used.computeUnits, 7, 'a failed one may have done it');
});

test('what was read while something changed, or with something reserved, is not kept', async () => {
  const store = new CountedStore();
  const { promise, resolve } = Promise.withResolvers<void>();
  const changing = store.remembered.change(() => promise);
  await store.read(0n);
  await store.read(0n);
  assert.equal(store.readings, 2);
  resolve();
  await changing;
  store.reserved = 3;
  await store.read(0n);
  await store.read(0n);
  assert.equal(store.readings, 4);
});

test('requests that are stored are added to what is remembered, and a failure forgets it', async () => {
  const store = new CountedStore();
  const row = { accountId: 'a', keyId: 'k', isTest: true, period: '2026-11', restRequests: 3 };
  await store.read(0n);
  await store.remembered.count([row, { ...row, isTest: false, period: '2026-10' }], async () => {});
  const { used, tests } = await store.read(0n);
  assert.deepEqual([store.readings, used.restRequests, tests.used.restRequests], [1, 3, 3]);
  const failing = store.remembered.count([row], () => Promise.reject(new Error('full')));
  await assert.rejects(failing, /full/);
  await store.read(0n);
  assert.equal(store.readings, 2);
});

test('in any order of readings and changes no reading shows less than was spent before it began', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), async (isSpending) => {
      const store = new CountedStore();
      let spent = 0;
      const pending: Promise<void>[] = [];
      for (const spends of isSpending) {
        const before = spent;
        pending.push(
          spends
            ? store.spend(1).then(() => {
                spent += 1;
              })
            : store.read(0n).then(({ used }) => assert.ok(used.computeUnits >= before)),
        );
        if (pending.length % 3 === 0) await Promise.all(pending);
      }
      await Promise.all(pending);
      assert.equal((await store.read(0n)).used.computeUnits, spent);
    }),
  );
});
