/** Access to history: scopes, instruments and plans. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addDays } from '@tapeloom/core/utc-day';
import {
  FIRST_DAY,
  fillMarket,
  ROLL_DAY,
  TRADES_A_DAY,
} from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  HistoryReader,
  RANGE,
} from '../../../testing/history/history-requests.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';
import { SIM_DATASET } from '../../markets/sim/sim-universe.ts';
import { dayText } from '../../platform/refusal-answer.ts';

const PATHS = ['/v1/history', '/v1/history/estimate'] as const;

let service: RestService;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  reader = new HistoryReader(service, await service.customer('live_history'));
});
after(() => service[Symbol.asyncDispose]());

test('a key needs the scope history, for query and estimate [AUTH-22]', async () => {
  const accountId = await service.account('history');
  const own = reader.with((await service.key(accountId, { scopes: ['history'] })).secret);
  await own.page(RANGE);
  await own.estimate(RANGE);
  const other = await service.key(accountId, { scopes: ['stream', 'export', 'keys'] });
  for (const path of PATHS) {
    await reader.with(other.secret).refused(RANGE, 403, 'FORBIDDEN', path);
  }
});

test('an alias means the contract it designated at from, also across a roll [INST-03] [INST-04] [INST-11] [DET-22]', async () => {
  const alias = { ...RANGE, instrument: 'ES.c.0', limit: '10000' };
  const older = { ...RANGE, instrument: 'ESU6', dataset: SIM_DATASET, limit: '10000' };
  for (const range of [
    { from: '2026-09-09', to: '2026-09-10' },
    { from: '2026-09-11', to: '2026-09-14T15:00:00Z' },
    { from: '2026-09-13T23:59:59.999999999Z', to: '2026-09-14T15:00:00Z' },
  ]) {
    const page = await reader.page({ ...alias, ...range });
    assert.equal(page.contract, 'ESU6');
    assert.ok(page.items.length > 0);
    assert.deepEqual(page.items, (await reader.page({ ...older, ...range })).items);
    assert.equal((await reader.estimate({ ...alias, ...range })).contract, 'ESU6');
  }
  assert.equal((await reader.page({ ...alias, from: '2026-11-09' })).contract, 'ESZ6');
  // From the roll on it is the other, of which nothing is there on that day.
  const after = { ...alias, from: ROLL_DAY, to: '2026-09-15' };
  for (const path of PATHS) {
    const { missingDays } = await reader.refused(after, 402, 'NOT_COVERED', path);
    assert.deepEqual(missingDays, ['2026-09-13', ROLL_DAY], 'its session began on Sunday');
  }
  // A cursor belongs to the contract of its day.
  const { to: _to, ...open }: Fields = { ...alias, from: '2026-09-11' };
  await reader.page({ ...open, untilCursor: '20260913.9.0' });
  await reader.refusedAt({ ...open, untilCursor: '20260914.9.0' }, '/untilCursor');
});

test('a restriction to instruments is judged by what the name meant at from [INST-12] [INST-13] [INST-14] [INST-15] [ERR-31]', async () => {
  const accountId = await service.account('history');
  const keyFor = async (name: string) =>
    reader.with((await service.key(accountId, { instruments: [name] })).secret);
  const before = { ...RANGE, instrument: 'ES.c.0', from: '2026-09-09', to: '2026-09-10' };
  const across = { ...before, from: '2026-09-11', to: '2026-09-14T15:00:00Z' };
  const now = { ...RANGE, instrument: 'ES.c.0' };
  const older = { ...before, instrument: 'ESU6', dataset: SIM_DATASET };

  const contract = await keyFor('ESZ6');
  const alias = await keyFor('ES.c.0');
  const expired = await keyFor('ESU6');
  for (const path of PATHS) {
    await contract.refused(before, 403, 'FORBIDDEN', path);
    await contract.refused(across, 403, 'FORBIDDEN', path);
    await contract.refused(older, 403, 'FORBIDDEN', path);
    await alias.refused(older, 403, 'FORBIDDEN', path);
    await expired.refused(now, 403, 'FORBIDDEN', path);
    await expired.refused(RANGE, 403, 'FORBIDDEN', path);
  }
  await contract.page(now);
  await alias.page(before);
  await alias.page(across);
  await alias.page(now);
  await expired.page(older);
  await expired.page(before);
});

test('the sandbox has seven days, a test key too, live none, history all there are [PLAN-01] [PLAN-05] [PLAN-07] [PLAN-16] [PLAN-17] [ERR-31]', async () => {
  const trial = await service.key(await service.account('live_history'), { environment: 'test' });
  for (const secret of [await service.customer('sandbox'), trial.secret]) {
    const own = reader.with(secret);
    assert.ok((await own.page({ ...RANGE, from: '2026-11-04' })).items.length > 0);
    const earlier = { ...RANGE, from: '2026-11-03T23:59:59.999999999Z' };
    for (const path of PATHS) await own.refused(earlier, 403, 'FORBIDDEN', path);
    const { to } = await own.page({ ...RANGE, from: '2026-11-11', to: '2026-11-12' });
    assert.equal(to, String(service.clock.now() - 600_000_000_000n));
  }
  for (const plan of ['history', 'live_history'] as const) {
    const own = reader.with(await service.customer(plan));
    // The session of the tape's first day opened on the day before: the next one is the first whole one.
    const oldest = addDays(FIRST_DAY, 1);
    const { items } = await own.page({ ...RANGE, from: dayText(oldest), limit: '1' });
    assert.ok(items[0]!.cursor.startsWith(`${oldest}.`));
    const first = { ...RANGE, from: dayText(FIRST_DAY), limit: '1' };
    const { missingDays } = await own.refused(first, 402, 'NOT_COVERED');
    assert.deepEqual(missingDays, [dayText(addDays(FIRST_DAY, -1))]);
    // Nothing is too long ago for the plan: there is just no data.
    const longAgo = { ...RANGE, from: '1970-01-02', to: '1970-01-03' };
    await own.refused(longAgo, 402, 'NOT_COVERED');
  }
  const live = reader.with(await service.customer('live'));
  for (const path of PATHS) {
    await live.refused({ ...RANGE, from: '2026-11-10' }, 403, 'FORBIDDEN', path);
  }
});

test('a test key gets the same bytes as a live one, in what is given and in what is refused [PLAN-02]', async () => {
  const trial = await service.key(await service.account('live_history'), { environment: 'test' });
  const asked = [
    ['/v1/history', RANGE],
    ['/v1/history', { ...RANGE, limit: '7', snapshot: 'true' }],
    ['/v1/history', { ...RANGE, limit: '0' }],
    ['/v1/history', { ...RANGE, indicator: 'invented' }],
    ['/v1/history', { ...RANGE, instrument: 'CLF7', from: '2026-11-05' }],
    ['/v1/history/estimate', { ...RANGE, untilCursor: '20261110.1.1' }],
  ] as const;
  for (const [path, fields] of asked) {
    const url = address(path, fields);
    const live = await service.get(url, { key: reader.key });
    const test = await service.get(url, { key: trial.secret });
    assert.equal(test.status, live.status);
    const withoutId = (text: string) => text.replace(/req_[0-9a-f]+/, '');
    assert.equal(withoutId(test.text), withoutId(live.text));
    assert.deepEqual(Object.keys(test.headers), Object.keys(live.headers));
  }
  const own = reader.with(trial.secret);
  assert.equal((await own.estimate(RANGE)).trades, 2 * TRADES_A_DAY);
});
