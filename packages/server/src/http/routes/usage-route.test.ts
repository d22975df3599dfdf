import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PLAN_LIMITS, PLANS, type Plan, type PlanLimits } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { Check } from 'typebox/value';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';
import { UsageView } from './usage-route.ts';

interface Usage {
  readonly period: string;
  readonly resetsAt: string;
  readonly plan: Plan;
  readonly limits: PlanLimits;
  readonly used: Readonly<Record<string, number>>;
  readonly remaining: { readonly computeUnits: number; readonly exportBytes: number };
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

async function usage(key: string): Promise<Usage> {
  const { status, body, text } = await service.get<Usage>('/v1/usage', { key });
  assert.equal(status, 200, text);
  assert.ok(Check(UsageView, body), text);
  return body;
}

const ANY_KEY = { keyId: 'any', testLimit: null };

/** Uses a budget as a query or an export would. */
async function spend(
  accountId: string,
  budget: 'computeUnits' | 'exportBytes',
  amount: number,
  by: { readonly keyId: string; readonly testLimit: number | null } = ANY_KEY,
) {
  const now = service.clock.now();
  const id = `${accountId} ${budget} ${now} ${amount}`;
  const period = (await usage((await service.key(accountId)).secret)).period;
  const expiresAt = (now + 60_000_000_000n) as EpochNs;
  const request = { id, accountId, budget, amount, limit: 2 ** 50, ...by, period, expiresAt };
  assert.deepEqual(await service.store.reserve(now, request), { granted: true });
  return {
    settle: () => service.store.settle(now, id, { amount }),
  };
}

test('a usage report has its six parts, with the plan and limits of each plan [USE-01] [USE-04] [USE-05] [USE-06] [USE-07] [PLAN-03]', async () => {
  for (const plan of PLANS) {
    const report = await usage(await service.customer(plan));
    assert.deepEqual(Object.keys(report), [
      'period',
      'resetsAt',
      'plan',
      'limits',
      'used',
      'remaining',
    ]);
    assert.equal(report.plan, plan);
    assert.deepEqual(report.limits, PLAN_LIMITS[plan]);
  }
  // Written by hand, from the interface.
  const expected: Record<Plan, unknown[]> = {
    sandbox: [50_000_000, 0, 60, 7, 600, 1, 2, 1, false],
    live: [0, 0, 300, 0, 0, 5, 50, 25, true],
    history: [20_000_000_000, 21_474_836_480, 1_200, 36_500, 600, 1, 2, 1, false],
    live_history: [20_000_000_000, 21_474_836_480, 1_200, 36_500, 0, 5, 50, 25, true],
  };
  for (const plan of PLANS) {
    const { limits } = await usage(await service.customer(plan));
    assert.deepEqual(
      [
        limits.computeBudget,
        limits.exportBytes,
        limits.restPerMinute,
        limits.historyDays,
        limits.delaySeconds,
        limits.maxConnections,
        limits.maxSubscriptions,
        limits.maxCustomConfigs,
        limits.realtime,
      ],
      expected[plan],
    );
  }
});

test('live_history has the limits of both plans', async () => {
  const { limits } = await usage(await service.customer('live_history'));
  const [live, history] = [PLAN_LIMITS.live, PLAN_LIMITS.history];
  for (const field of ['realtime', 'delaySeconds', 'maxConnections', 'maxSubscriptions'] as const) {
    assert.equal(limits[field], live[field]);
  }
  for (const field of ['historyDays', 'computeBudget', 'exportBytes', 'restPerMinute'] as const) {
    assert.equal(limits[field], history[field]);
  }
});

test('a test key has the sandbox limits, whatever the plan of its account [USE-08]', async () => {
  for (const plan of PLANS) {
    const { secret } = await service.key(await service.account(plan), { environment: 'test' });
    const report = await usage(secret);
    assert.deepEqual(report.limits, PLAN_LIMITS.sandbox);
    assert.equal(report.plan, plan);
    assert.equal(report.remaining.computeUnits, 50_000_000);
  }
});

test('a live key of an account without a plan has what a test key has [PLAN-04]', async () => {
  const account = await service.account('sandbox');
  const [live, trial] = await Promise.all(
    (['live', 'test'] as const).map((environment) => service.key(account, { environment })),
  );
  const [liveUsage, trialUsage] = [await usage(live!.secret), await usage(trial!.secret)];
  assert.deepEqual(liveUsage.limits, trialUsage.limits);
  assert.equal(liveUsage.plan, 'sandbox');
  const names = '/v1/instruments?dataset=SIM';
  const [one, other] = [
    await service.get(names, { key: live!.secret }),
    await service.get(names, { key: trial!.secret }),
  ];
  assert.deepEqual(one.body, other.body);
});

test('a plan that ends or is granted shows at the next request', async () => {
  const account = await service.account('live');
  const { secret } = await service.key(account);
  assert.equal((await usage(secret)).plan, 'live');
  const call = () => ({ now: service.clock.now(), actor: { kind: 'operator' } as const });
  const until = (service.clock.now() + 60_000_000_000n) as EpochNs;
  await service.store.setGrants(call(), account, [
    { plan: 'live', until },
    { plan: 'history', until: null },
  ]);
  assert.equal((await usage(secret)).plan, 'live_history');
  service.clock.advanceTo(until - 1n);
  assert.equal((await usage(secret)).plan, 'live_history');
  service.clock.advanceTo(until);
  assert.equal((await usage(secret)).plan, 'history');
});

test('used counts start at 0 and grow with requests; remaining is the limit less the used, never below 0 [USE-09] [USE-11]', async () => {
  const account = await service.account('history');
  const { secret } = await service.key(account);
  const fresh = await usage(secret);
  assert.deepEqual(fresh.used, {
    computeUnits: 0,
    historyItems: 0,
    exportBytes: 0,
    restRequests: 0,
  });
  assert.deepEqual(fresh.remaining, { computeUnits: 20_000_000_000, exportBytes: 21_474_836_480 });
  await service.get('/v1/nothing', { key: secret });
  await service.meter.flush();
  await service.get('/v1/keys', { key: secret });
  assert.equal((await usage(secret)).used.restRequests, 3);

  const compute = await spend(account, 'computeUnits', 12_345);
  assert.equal((await usage(secret)).remaining.computeUnits, 20_000_000_000 - 12_345);
  assert.equal((await usage(secret)).used.computeUnits, 0, 'reserved is not used');
  await compute.settle();
  await (await spend(account, 'exportBytes', 30_000_000_000)).settle();
  const spent = await usage(secret);
  assert.equal(spent.used.computeUnits, 12_345);
  assert.equal(spent.used.exportBytes, 30_000_000_000);
  assert.deepEqual(spent.remaining, { computeUnits: 20_000_000_000 - 12_345, exportBytes: 0 });
});

test('budgets are counted over all keys of an account [COUNT-03]', async () => {
  const account = await service.account('live_history');
  const [one, other] = [await service.key(account), await service.key(account)];
  const before = (await usage(one.secret)).remaining.computeUnits;
  await (await spend(account, 'computeUnits', 1_000)).settle();
  for (const { secret } of [one, other]) {
    assert.equal((await usage(secret)).remaining.computeUnits, before - 1_000);
  }
});

test('a test key is shown what test keys used, and the lesser of what both limits leave [USE-08] [USE-11]', async () => {
  const account = await service.account('history');
  const [live, trial] = [
    await service.key(account),
    await service.key(account, { environment: 'test' }),
  ];
  const byTest = { keyId: trial.record.id, testLimit: 50_000_000 };
  await (await spend(account, 'computeUnits', 1_000_000, byTest)).settle();
  await spend(account, 'computeUnits', 300, byTest);
  await (await spend(account, 'computeUnits', 7_000)).settle();
  await service.get('/v1/instruments', { key: trial.secret });
  const ofTest = await usage(trial.secret);
  assert.deepEqual(ofTest.limits, PLAN_LIMITS.sandbox);
  assert.deepEqual([ofTest.used.computeUnits, ofTest.used.restRequests], [1_000_000, 1]);
  assert.deepEqual(ofTest.remaining, { computeUnits: 48_999_700, exportBytes: 0 });
  const ofLive = await usage(live.secret);
  assert.equal(ofLive.used.computeUnits, 1_007_000, 'test traffic is not free');
  assert.equal(ofLive.remaining.computeUnits, 20_000_000_000 - 1_007_300);

  // The account has less left than its test keys.
  await (await spend(account, 'computeUnits', 20_000_000_000 - 1_007_300 - 5)).settle();
  assert.equal((await usage(live.secret)).remaining.computeUnits, 5);
  assert.equal((await usage(trial.secret)).remaining.computeUnits, 5);
  assert.equal((await usage(trial.secret)).used.computeUnits, 1_000_000);
  const byKey = await service.store.usageByKey(account, ofTest.period);
  const ofKey = byKey.find(({ keyId }) => keyId === trial.record.id);
  assert.equal(ofKey?.used.computeUnits, 1_000_000);

  // A plan without a budget leaves test keys the sandbox's.
  const call = { now: service.clock.now(), actor: { kind: 'operator' } as const };
  await service.store.setGrants(call, account, [{ plan: 'live', until: null }]);
  assert.equal((await usage(trial.secret)).remaining.computeUnits, 48_999_700);
  assert.equal((await usage(live.secret)).remaining.computeUnits, 0);
});

test('the period is the UTC month, renewed at its first instant [USE-02] [USE-03] [USE-09]', async () => {
  await using late = await RestService.start({ start: instantOf('2026-12-31T23:59:59.999Z') });
  const key = await late.customer('history');
  const read = async () => (await late.get<Usage>('/v1/usage', { key })).body;
  await read();
  const december = await read();
  assert.equal(december.period, '2026-12');
  assert.equal(december.resetsAt, `${instantOf('2027-01-01T00:00:00Z')}`);
  assert.equal(december.used.restRequests, 1);
  late.clock.advance(1);
  const january = await read();
  assert.equal(january.period, '2027-01');
  assert.equal(january.resetsAt, `${instantOf('2027-02-01T00:00:00Z')}`);
  assert.deepEqual(january.used, { ...december.used, restRequests: 0 });
});
