import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PLAN_LIMITS } from '@tapeloom/core/entitlement/plan';
import { periodOf } from '@tapeloom/core/quota/month';
import { fillMarket } from '../../../testing/history/history-market.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

const RANGE = new URLSearchParams({
  instrument: 'ESZ6',
  indicator: 'bars',
  from: '2026-11-08T14:40:00Z',
  to: '2026-11-10T15:10:00Z',
});

let service: RestService;
/** The steps of reads, in their order. */
const done: string[] = [];
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  const { days, ...sources } = service.sources;
  const watched: typeof days.read = async (request) => {
    const read = await days.read(request);
    done.push('opened');
    return {
      next: async () => {
        done.push('computed');
        return await read.next();
      },
      [Symbol.asyncDispose]: async () => {
        done.push('closed');
        await read[Symbol.asyncDispose]();
      },
    };
  };
  service.sources = { ...sources, days: { cover: days.cover.bind(days), read: watched } };
});
after(() => service[Symbol.asyncDispose]());

test('what cannot be paid is opened at most, closed again, and never computed', async () => {
  const accountId = await service.account('history');
  const { secret } = await service.key(accountId);
  const now = service.clock.now();
  const all = PLAN_LIMITS.history.computeBudget;
  const period = periodOf(now);
  const reservation = {
    id: 'all',
    accountId,
    keyId: 'any',
    budget: 'computeUnits',
    amount: all,
  } as const;
  const limits = { limit: all, testLimit: null, period, isSynced: false };
  await service.store.reserve(now, {
    ...reservation,
    ...limits,
    expiresAt: (now + 600_000_000_000n) as typeof now,
  });
  for (const path of ['history', 'export', 'export?format=csv']) {
    done.length = 0;
    const address = `/v1/${path}${path.includes('?') ? '&' : '?'}${RANGE}`;
    const { status, body } = await service.get(address, { key: secret });
    assert.deepEqual([status, body.code], [429, 'QUOTA_EXCEEDED'], path);
    assert.ok(!done.includes('computed'), path);
    assert.equal(done.includes('opened'), done.includes('closed'), path);
  }
  assert.equal(await service.store.voidReservation(now, 'all'), true);
  const { reserved, used } = await service.store.usageOf(now, accountId, period);
  assert.deepEqual(reserved, { computeUnits: 0, exportBytes: 0 });
  assert.equal(used.computeUnits, 0);
  done.length = 0;
  assert.equal((await service.get(`/v1/history?${RANGE}`, { key: secret })).status, 200);
  assert.deepEqual(done.slice(0, 2), ['opened', 'computed']);
});
