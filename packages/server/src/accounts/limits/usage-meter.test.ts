import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { periodOf } from '@tapeloom/core/quota/month';
import fc from 'fast-check';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { MemoryAccounts } from '../../../testing/accounts/memory-accounts.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { MonthUsage } from '../usage/usage-store.ts';
import { RememberedUsage } from './remembered-usage.ts';
import { UsageMeter } from './usage-meter.ts';

/** 2025-11-30T23:59:58Z: two seconds before a new month. */
const START = 1_764_547_198_000_000_000n;

async function desk(wrap: (store: AccountStore) => AccountStore = (store) => store) {
  const clock = new ManualClock(START);
  const accounts = await MemoryAccounts.open(clock);
  const faults: unknown[] = [];
  const store = wrap(accounts.store);
  const meter = new UsageMeter({ store, clock, onFault: (error) => faults.push(error) });
  const accountId = await accounts.account('live');
  const { record } = await accounts.key(accountId);
  const caller = { accountId, keyId: record.id, entitlements: { isTest: false } };
  const requests = async (period = periodOf(clock.now())) =>
    (await meter.usageOf(clock.now(), accountId, period)).used.restRequests;
  const stored = async (period = periodOf(clock.now())) =>
    (await accounts.store.usageOf(clock.now(), accountId, period)).used.restRequests;
  return { clock, accounts, meter, caller, faults, requests, stored };
}

test('counts are exact at once, reach the store within a second, and not more often', async () => {
  const { clock, accounts, meter, caller, requests, stored } = await desk();
  for (let call = 0; call < 100; call += 1) meter.countRequest(caller);
  assert.deepEqual([await requests(), await stored()], [100, 0]);
  clock.advance(1_000);
  while ((await stored()) === 0) await turn();
  assert.deepEqual([await requests(), await stored()], [100, 100]);
  assert.equal(accounts.callCount('addUsage'), 1);
  await meter[Symbol.asyncDispose]();
  await accounts[Symbol.asyncDispose]();
});

test('what is left is stored at disposal, and no timer stays', async () => {
  const { clock, accounts, meter, caller, stored } = await desk();
  meter.countRequest(caller);
  await meter[Symbol.asyncDispose]();
  assert.equal(await stored(), 1);
  assert.equal(clock.timerCount, 0);
  await accounts[Symbol.asyncDispose]();
});

test('each request counts in the month it was made in', async () => {
  const { clock, accounts, meter, caller, requests } = await desk();
  meter.countRequest(caller);
  clock.advance(2_000);
  for (let call = 0; call < 2; call += 1) meter.countRequest(caller);
  assert.deepEqual([await requests('2025-11'), await requests('2025-12')], [1, 2]);
  await meter[Symbol.asyncDispose]();
  assert.deepEqual([await requests('2025-11'), await requests('2025-12')], [1, 2]);
  await accounts[Symbol.asyncDispose]();
});

test('a key shows the minute of its last use, written once a minute', async () => {
  const { clock, accounts, meter, caller } = await desk();
  const lastUsedAt = async () => {
    const [key] = await accounts.store.listKeys(clock.now(), caller.accountId);
    return key!.lastUsedAt;
  };
  assert.equal(await lastUsedAt(), null);
  for (let second = 0; second < 30; second += 1) {
    meter.countRequest(caller);
    clock.advance(1_000);
    await meter.flush();
  }
  assert.equal(await lastUsedAt(), START + 2_000_000_000n);
  assert.equal(accounts.callCount('touchKeys'), 2);
  meter.noteKeyUse(caller.keyId);
  clock.advance(60_000);
  meter.noteKeyUse(caller.keyId);
  await meter[Symbol.asyncDispose]();
  assert.equal(await lastUsedAt(), START + 62_000_000_000n);
  await accounts[Symbol.asyncDispose]();
});

test('requests are counted by key, and those of test keys besides, before and after a flush', async () => {
  const { accounts, meter, caller, clock } = await desk();
  const { record } = await accounts.key(caller.accountId, { environment: 'test' });
  const trial = { ...caller, keyId: record.id, entitlements: { isTest: true } };
  const shown = async () => {
    const { used, tests } = await meter.usageOf(clock.now(), caller.accountId, '2025-11');
    return [used.restRequests, tests.used.restRequests];
  };
  for (const one of [caller, trial, trial, caller, caller]) meter.countRequest(one);
  assert.deepEqual(await shown(), [5, 2]);
  await meter.flush();
  meter.countRequest(trial);
  assert.deepEqual(await shown(), [6, 3]);
  await meter.flush();
  assert.deepEqual(await shown(), [6, 3]);
  const byKey = await accounts.store.usageByKey(caller.accountId, '2025-11');
  const requests = new Map(byKey.map(({ keyId, used }) => [keyId, used.restRequests]));
  assert.deepEqual([requests.get(caller.keyId), requests.get(trial.keyId)], [3, 3]);
  await meter[Symbol.asyncDispose]();
  await accounts[Symbol.asyncDispose]();
});

test('what the store did not take is kept, reported and stored later, once', async () => {
  let failures = 2;
  const { accounts, meter, caller, faults, requests, stored } = await desk(
    (store) =>
      new Proxy(store, {
        get(target, name) {
          if (name !== 'addUsage' || failures === 0) return Reflect.get(target, name);
          failures -= 1;
          return () => Promise.reject(new Error('the disk is away'));
        },
      }),
  );
  meter.countRequest(caller);
  await meter.flush();
  meter.countRequest(caller);
  await meter.flush();
  assert.deepEqual([await requests(), await stored(), faults.length], [2, 0, 2]);
  await meter.flush();
  assert.deepEqual([await requests(), await stored()], [2, 2]);
  await meter[Symbol.asyncDispose]();
  await accounts[Symbol.asyncDispose]();
});

/** Like the store of a serving process: usage is cached, and flushes fail on demand. */
function remembering(store: AccountStore, failures: () => boolean): AccountStore {
  const remembered = new RememberedUsage();
  const own: Pick<AccountStore, 'addUsage' | 'usageOf'> = {
    addUsage: (rows) =>
      remembered.count(rows, async () => {
        await turn();
        if (failures()) throw new Error('the disk is away');
        await store.addUsage(rows);
      }),
    usageOf: (now, accountId, period) =>
      remembered.read(accountId, period, async () => await store.usageOf(now, accountId, period)),
  };
  return new Proxy(store, {
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  });
}

test('what is remembered is exact while a flush is under way, and is not waited for', async () => {
  let isAway = false;
  const { accounts, meter, caller, clock, requests } = await desk((store) =>
    remembering(store, () => isAway),
  );
  await requests();
  const shown = () => meter.usageOf(clock.now(), caller.accountId, '2025-11') as MonthUsage;
  for (const fails of [false, true, false]) {
    isAway = fails;
    meter.countRequest(caller);
    const before = await requests();
    const flush = meter.flush();
    await Promise.resolve();
    assert.equal(shown().used.restRequests, before);
    meter.countRequest(caller);
    assert.equal(shown().used.restRequests, before + 1);
    await flush;
    assert.equal(await requests(), before + 1);
  }
  await meter[Symbol.asyncDispose]();
  await accounts[Symbol.asyncDispose]();
});

for (const isRemembered of [false, true]) {
  const how = isRemembered ? ', remembered and with flushes that fail' : '';
  test(`a usage report is exact whatever flush it meets${how}`, () => exactReports(isRemembered));
}

async function exactReports(isRemembered: boolean): Promise<void> {
  let flushes = 0;
  const failsEachThird = () => {
    flushes += 1;
    return flushes % 3 === 0;
  };
  const { accounts, meter, caller, requests } = await desk((store) =>
    isRemembered ? remembering(store, failsEachThird) : store,
  );
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('count', 'flush', 'turn'), { maxLength: 20 }),
      async (steps) => {
        const reading = requests();
        const before = counted;
        for (const step of steps) {
          if (step === 'turn') await turn();
          else if (step === 'flush') void meter.flush();
          else {
            meter.countRequest(caller);
            counted += 1;
          }
        }
        const shown = await reading;
        assert.ok(shown >= before && shown <= counted, `${before} ≤ ${shown} ≤ ${counted}`);
        assert.equal(await requests(), counted);
      },
    ),
    { numRuns: 100 },
  );
  await meter[Symbol.asyncDispose]();
  await accounts[Symbol.asyncDispose]();
}

test('that an account has streamed is stored once, and offered again after a failure', async () => {
  let fails = 1;
  const { clock, accounts, meter, caller, faults } = await desk((store) =>
    Object.assign(Object.create(store) as AccountStore, {
      people: {
        ...store.people,
        markStreamed: (...args: Parameters<AccountStore['people']['markStreamed']>) => {
          fails -= 1;
          return fails >= 0
            ? Promise.reject(new Error('busy'))
            : store.people.markStreamed(...args);
        },
      },
    }),
  );
  const { accountId } = caller;
  meter.noteStreamed(accountId);
  await meter.flush();
  assert.equal(faults.length, 1);
  await meter.flush();
  assert.deepEqual([...(await accounts.store.people.marksOf(accountId))], ['streamed']);
  meter.noteStreamed(accountId);
  await meter.flush();
  assert.equal(fails, -1, 'what is stored is not stored again');
  await meter[Symbol.asyncDispose]();
  assert.equal(clock.timerCount, 0);
  await accounts[Symbol.asyncDispose]();
});
