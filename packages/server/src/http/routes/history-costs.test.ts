/** The cost of history and its estimate; rejections because of the cost, or for now. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import { DAY_LEFT_OUT, fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  type HistoryPath,
  HistoryReader,
  leave,
  RANGE,
  readingBy,
  TICK_BARS,
} from '../../../testing/history/history-requests.ts';
import { checkAnswer } from '../../../testing/rest/answer-check.ts';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';
import { SIM_DATASET } from '../../markets/sim/sim-universe.ts';
import { Refusal } from '../../platform/refusal.ts';

const BUDGETS: Partial<Record<Plan, number>> = {
  sandbox: 50_000_000,
  history: 20_000_000_000,
  live_history: 20_000_000_000,
};
const PATHS: readonly HistoryPath[] = ['/v1/history', '/v1/history/estimate', '/v1/export'];

let service: RestService;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  const key = await service.customer('live_history');
  reader = new HistoryReader(service, key, checkAnswer);
});
after(() => service[Symbol.asyncDispose]());

test('an estimate takes the same query, charges nothing, also when nothing is left [HIST-14] [HIST-15]', async () => {
  const accountId = await service.account('sandbox');
  const poor = reader.with((await service.key(accountId)).secret);
  const { limits } = await poor.usage();
  await leave(service, accountId, 'computeUnits', limits.computeBudget, 0);
  const { used } = await poor.usage();
  const { to: _to, ...open } = RANGE;
  const fields = { ...open, limit: '5', params: TICK_BARS };
  const { cursor } = (await reader.page(fields)).items[4]!;
  for (const rest of [
    {},
    { to: '2026-11-11' },
    { cursor },
    { untilCursor: cursor },
    { snapshot: 'true' },
    { mode: 'confirmed' },
    { dataset: SIM_DATASET },
    { instrument: 'ES.c.0' },
  ]) {
    const asked = { ...fields, ...rest };
    const estimate = await poor.estimate(asked);
    assert.equal(estimate.remainingComputeUnits, 0);
    assert.deepEqual(estimate.missingDays, []);
    assert.equal(estimate.contract, (await reader.page(asked)).contract);
    assert.equal(estimate.instrument, asked.instrument);
  }
  assert.deepEqual((await poor.usage()).used.computeUnits, used.computeUnits);
  await reader.refusedAt({ ...RANGE, limit: '0' }, '/limit', '/v1/history/estimate');
});

test('days without data are told, and refuse query and estimate alike [HIST-17] [HIST-18] [HIST-19] [ERR-20]', async () => {
  const cl = { ...RANGE, instrument: 'CLF7' };
  const before = await reader.usage();
  for (const path of PATHS) {
    const part = await reader.refused({ ...cl, from: '2026-11-04' }, 402, 'NOT_COVERED', path);
    assert.deepEqual(part.missingDays, [DAY_LEFT_OUT]);
    // The 4th, 6th, 8th, 9th and 10th.
    assert.equal(part.computeUnits, 5 * TRADES_A_DAY);
    const none = { ...cl, from: '2026-11-05T10:00:00Z', to: '2026-11-05T11:00:00Z' };
    const whole = await reader.refused(none, 402, 'NOT_COVERED', path);
    assert.deepEqual(whole.missingDays, [DAY_LEFT_OUT]);
    assert.equal(whole.computeUnits, 0);
  }
  assert.deepEqual((await reader.usage()).used.computeUnits, before.used.computeUnits);
  // On a Saturday nothing trades, so nothing is missing.
  const weekend = { ...RANGE, from: '2026-11-06', to: '2026-11-09' };
  assert.equal((await reader.estimate(weekend)).trades, 2 * TRADES_A_DAY);
});

test('a cost equal to the remainder is accepted, one unit more refused before it starts [COUNT-29] [ERR-10] [ERR-12] [ERR-22] [ERR-24] [PLAN-18] [PLAN-20]', async () => {
  for (const [plan, budget] of Object.entries(BUDGETS) as [Plan, number][]) {
    const accountId = await service.account(plan);
    const own = reader.with((await service.key(accountId)).secret);
    const { limits, resetsAt } = await own.usage();
    assert.equal(limits.computeBudget, budget);
    const { computeUnits } = await own.estimate(RANGE);
    assert.equal(computeUnits, 2 * TRADES_A_DAY);
    await leave(service, accountId, 'computeUnits', budget, computeUnits);
    // The last trade of the day before costs one more.
    const more = { ...RANGE, from: '2026-11-08T15:44:55Z' };
    const problem = await own.refused(more, 429, 'QUOTA_EXCEEDED');
    assert.equal(problem.computeUnits, computeUnits + 1);
    assert.equal(problem.remainingComputeUnits, computeUnits);
    assert.ok(!('items' in problem));
    const seconds = (BigInt(resetsAt) - service.clock.now()) / 1_000_000_000n;
    assert.equal(BigInt(problem.retryAfter!), seconds, 'until the budget renews');
    const untouched = await own.usage();
    assert.equal(untouched.remaining.computeUnits, computeUnits);
    assert.equal(untouched.used.historyItems, 0);

    await own.page(RANGE);
    const { used, remaining } = await own.usage();
    assert.equal(used.computeUnits, budget);
    assert.equal(remaining.computeUnits, 0);
    assert.equal((await own.refused(RANGE, 429, 'QUOTA_EXCEEDED')).remainingComputeUnits, 0);
  }
});

test('the plan live has no compute budget [PLAN-19]', async () => {
  const live = reader.with(await service.customer('live'));
  assert.equal((await live.usage()).limits.computeBudget, 0);
  for (const path of PATHS) await live.refused(RANGE, 403, 'FORBIDDEN', path);
});

test('a test key has the sandbox budget beside production, is charged to the account too, and has no exports [PLAN-01] [COUNT-03]', async () => {
  const accountId = await service.account('live_history');
  const live = reader.with((await service.key(accountId)).secret);
  const trial = reader.with((await service.key(accountId, { environment: 'test' })).secret);
  const { computeUnits } = await live.estimate(RANGE);
  // Production has used far more than the sandbox allows.
  await leave(service, accountId, 'computeUnits', 20_000_000_000, computeUnits + 1);
  assert.equal((await trial.estimate(RANGE)).remainingComputeUnits, computeUnits + 1);
  const page = await trial.page(RANGE);
  const { used } = await trial.usage();
  assert.deepEqual([used.computeUnits, used.historyItems], [computeUnits, page.items.length]);
  assert.equal((await live.usage()).remaining.computeUnits, 1);
  // Now it is the account that has nothing left, for either key.
  for (const key of [trial, live]) {
    const problem = await key.refused(RANGE, 429, 'QUOTA_EXCEEDED');
    assert.equal(problem.remainingComputeUnits, 1);
  }
  await trial.refused(RANGE, 403, 'FORBIDDEN', '/v1/export');
});

test('a test key of the plan live has the budget and history of the sandbox, and no more [PLAN-01] [PLAN-19]', async () => {
  const accountId = await service.account('live');
  const live = reader.with((await service.key(accountId)).secret);
  const testKey = await service.key(accountId, { environment: 'test' });
  const trial = reader.with(testKey.secret);
  const { computeUnits } = await trial.page(RANGE);
  assert.equal((await live.usage()).used.computeUnits, computeUnits, 'it is not free');
  assert.equal((await trial.usage()).remaining.computeUnits, 50_000_000 - computeUnits);
  const now = service.clock.now();
  const spent = { accountId, keyId: testKey.record.id, budget: 'computeUnits' } as const;
  const rest = { amount: 50_000_000 - computeUnits, limit: null, testLimit: 50_000_000 };
  const when = { period: '2026-11', expiresAt: now };
  await service.store.reserve(now, { id: 'of a test key', ...spent, ...rest, ...when });
  await service.store.settle(now, 'of a test key', { amount: rest.amount });
  const problem = await trial.refused(RANGE, 429, 'QUOTA_EXCEEDED');
  assert.equal(problem.remainingComputeUnits, 0);
  await live.refused(RANGE, 403, 'FORBIDDEN');
});

test('before the tape is known everything is warming; when there is no room it says when to come back [ERR-21] [ERR-28]', async () => {
  service.market.tapeTime = null;
  for (const path of PATHS) await reader.refused(RANGE, 409, 'WARMING', path);
  service.market.tapeTime = service.clock.now();
  const { sources } = service;
  const full = async () => {
    throw new Refusal({ t: 'full', what: 'queue' });
  };
  const own = reader.with(await service.customer('history'));
  try {
    service.sources = readingBy(sources, full);
    for (const path of ['/v1/history', '/v1/export'] as const) {
      assert.equal((await own.refused(RANGE, 503, 'CAPACITY', path)).retryAfter, '5');
    }
    service.sources = { ...sources, days: { ...readingBy(sources, full).days, cover: full } };
    for (const path of PATHS) {
      assert.equal((await own.refused(RANGE, 503, 'CAPACITY', path)).retryAfter, '5');
    }
  } finally {
    service.sources = sources;
  }
  const { used, remaining, limits } = await own.usage();
  assert.deepEqual([used.computeUnits, used.exportBytes], [0, 0]);
  assert.equal(remaining.computeUnits, limits.computeBudget);
  assert.equal(remaining.exportBytes, limits.exportBytes);
});

test('a page that is ready in the next month is charged to the month that reserved it [SEC-27]', async () => {
  await using own = await RestService.start({ start: instantOf('2026-11-30T23:59:59Z') });
  fillMarket(own);
  own.market.tapeTime = instantOf('2026-11-11T16:00:00Z');
  const accountId = await own.account('history');
  const late = new HistoryReader(own, (await own.key(accountId)).secret);
  const { sources } = own;
  own.sources = readingBy(sources, async (request, signal) => {
    own.clock.advanceTo(instantOf('2026-12-01T00:00:01Z'));
    return await sources.days.read(request, signal);
  });
  const { computeUnits } = await late.page(RANGE);
  assert.equal(computeUnits, 2 * TRADES_A_DAY);
  const now = own.clock.now();
  const old = await own.store.usageOf(now, accountId, '2026-11');
  assert.deepEqual([old.used.computeUnits, old.reserved.computeUnits], [computeUnits, 0]);
  const fresh = await own.store.usageOf(now, accountId, '2026-12');
  assert.deepEqual([fresh.used.computeUnits, fresh.reserved.computeUnits], [0, 0]);
});

test('however a query is written, it is one query to the cache, the budget and the file [SEC-23]', async () => {
  const own = reader.with(await service.customer('history'));
  const { sources } = service;
  const read: unknown[] = [];
  service.sources = readingBy(sources, (request, signal) => {
    read.push({ ...request, account: '' });
    return sources.days.read(request, signal);
  });
  const bodies = new Set<string>();
  try {
    for (const [params, rest] of [
      ['{"bar":"tick","size":2}', {}],
      ['{"size":2,"bar":"tick"}', { mode: 'live', limit: '1000' }],
      ['{"size":2.0,"bar":"tick"}', { from: '2026-11-09T00:00:00Z' }],
      [' { "size" : 2e0 , "bar" : "tick", "session": "full" } ', { from: '1794182400000000000' }],
      ['{"bar":"tick","size":2,"depth":7}', { to: '2026-11-11T01:00:00+01:00' }],
    ] as const) {
      const fields = { ...RANGE, params, ...rest };
      bodies.add(JSON.stringify(await own.page(fields)));
      const { remainingComputeUnits: _left, ...estimate } = await own.estimate(fields);
      assert.equal(estimate.computeUnits, 2 * TRADES_A_DAY);
    }
  } finally {
    service.sources = sources;
  }
  assert.equal(bodies.size, 1);
  for (const request of read) assert.deepEqual(request, read[0]);
});
