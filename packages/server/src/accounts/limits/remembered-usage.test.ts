import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MonthUsage } from '../usage/usage-store.ts';
import { RememberedUsage } from './remembered-usage.ts';

function report(computeUnits: number, reservedUnits = 0): MonthUsage {
  const tally = {
    used: { computeUnits, historyItems: 0, exportBytes: 0, restRequests: 0 },
    reserved: { computeUnits: reservedUnits, exportBytes: 0 },
  };
  return { ...tally, tests: tally };
}

/** A store of one account that counts its reads. */
class CountedStore {
  used = 0;
  reserved = 0;
  readings = 0;
  readonly remembered = new RememberedUsage();

  async read(accountId = 'a', period = '2026-11'): Promise<MonthUsage> {
    return await this.remembered.read(accountId, period, async () => {
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

test('a report is read once, by account and month', async () => {
  const store = new CountedStore();
  for (let times = 0; times < 3; times += 1) await store.read();
  assert.equal(store.readings, 1);
  await store.read('b');
  await store.read('a', '2026-12');
  assert.equal(store.readings, 3);
});

test('what others wrote is seen by every reading that begins after it was told', async () => {
  const store = new CountedStore();
  await store.read();
  const { promise, resolve } = Promise.withResolvers<MonthUsage>();
  const reading = store.remembered.read('b', '2026-11', () => promise);
  store.used = 5;
  store.remembered.forget();
  assert.equal((await store.read()).used.computeUnits, 5);
  resolve(report(0));
  await reading;
  assert.equal((await store.read('b')).used.computeUnits, 5, 'a report from before is not kept');
});

test('a change is seen by every reading that begins after it', async () => {
  const store = new CountedStore();
  await store.read();
  await store.spend(5);
  assert.equal((await store.read()).used.computeUnits, 5);
  await assert.rejects(
    store.remembered.change(() => Promise.reject(new Error('full'))),
    /full/,
  );
  store.used = 7;
  assert.equal((await store.read()).used.computeUnits, 7, 'a failed one may have done it');
});

test('what was read while something changed, or with something reserved, is not kept', async () => {
  const store = new CountedStore();
  const { promise, resolve } = Promise.withResolvers<void>();
  const changing = store.remembered.change(() => promise);
  await store.read();
  await store.read();
  assert.equal(store.readings, 2);
  resolve();
  await changing;
  store.reserved = 3;
  await store.read();
  await store.read();
  assert.equal(store.readings, 4);
});

test('requests that are stored are added to what is remembered, and a failure forgets it', async () => {
  const store = new CountedStore();
  const row = { accountId: 'a', keyId: 'k', isTest: true, period: '2026-11', restRequests: 3 };
  await store.read();
  await store.remembered.count([row, { ...row, isTest: false, period: '2026-10' }], async () => {});
  const { used, tests } = await store.read();
  assert.deepEqual([store.readings, used.restRequests, tests.used.restRequests], [1, 3, 3]);
  const failing = store.remembered.count([row], () => Promise.reject(new Error('full')));
  await assert.rejects(failing, /full/);
  await store.read();
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
            : store.read().then(({ used }) => assert.ok(used.computeUnits >= before)),
        );
        if (pending.length % 3 === 0) await Promise.all(pending);
      }
      await Promise.all(pending);
      assert.equal((await store.read()).used.computeUnits, spent);
    }),
  );
});
