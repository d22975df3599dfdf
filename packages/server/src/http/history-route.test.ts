import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { Problem } from '@tapeloom/protocol/problem';
import { Check } from 'typebox/value';
import {
  DAY_LEFT_OUT,
  FIRST_DAY,
  fillMarket,
  TRADES_A_DAY,
} from '../../../../simulation/history-market.ts';
import { checkProblem } from '../../../../simulation/problem-check.ts';
import { DOCS_URL, RestService } from '../../../../simulation/rest-service.ts';
import { ComputeFullError } from '../history/compute-errors.ts';
import { SIM_DATASET } from '../sources/sim-universe.ts';

type Fields = Readonly<Record<string, string>>;

interface Item {
  readonly t: 'snapshot' | 'upsert' | 'remove';
  readonly cursor: string;
  readonly id?: string;
  readonly final?: boolean;
  readonly ts?: string;
  readonly items?: readonly { readonly id: string }[];
}
interface Page {
  readonly instrument: string;
  readonly contract: string;
  readonly tickSizeNanos: number;
  readonly to?: string;
  readonly snapshot?: true;
  readonly items: readonly Item[];
  readonly next: string | null;
  readonly computeUnits: number;
}
interface Estimate {
  readonly contract: string;
  readonly computeUnits: number;
  readonly trades: number;
  readonly days: number;
  readonly missingDays: readonly string[];
  readonly remainingComputeUnits: number;
}
interface Usage {
  readonly used: { readonly computeUnits: number; readonly historyItems: number };
  readonly remaining: { readonly computeUnits: number };
  readonly limits: { readonly computeBudget: number };
  readonly resetsAt: string;
}

type Sources = RestService['sources'];

/** The same, but for how settled days are read. */
function readingBy({ days, replays }: Sources, read: Sources['days']['read']): Sources {
  return {
    replays,
    days: {
      read,
      coverage: (...of) => days.coverage(...of),
      tradesAfter: (...of) => days.tradesAfter(...of),
    },
  };
}

/** Two whole days. */
const RANGE: Fields = {
  instrument: 'ESZ6',
  indicator: 'bars',
  from: '2026-11-09',
  to: '2026-11-11',
};
const TICK_BARS = JSON.stringify({ bar: 'tick', size: 2 });

let service: RestService;
let key = '';
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  key = await service.customer('live_history');
});
after(() => service[Symbol.asyncDispose]());

function address(path: string, fields: Fields): string {
  return `${path}?${new URLSearchParams(fields)}`;
}

async function ask<T>(fields: Fields, secret = key, path = '/v1/history'): Promise<T> {
  const { status, text, body } = await service.get<T>(address(path, fields), { key: secret });
  assert.equal(status, 200, text);
  const { answer } = service.routes.find((route) => route.path === path)!;
  assert.ok(Check(answer, body), `the answer of ${path} fits its schema`);
  return body;
}
const estimate = (fields: Fields, secret = key) =>
  ask<Estimate>(fields, secret, '/v1/history/estimate');

async function refused(
  fields: Fields,
  status: number,
  code: ErrorCode,
  secret = key,
  path = '/v1/history',
): Promise<Problem & { readonly retryAfter: string | undefined }> {
  const answer = await service.get(address(path, fields), { key: secret });
  const problem = checkProblem(answer, DOCS_URL, { status, code });
  return { ...problem, retryAfter: answer.headers['retry-after'] };
}
const refusedAt = async (fields: Fields, path: string, secret = key) =>
  assert.deepEqual(
    (await refused(fields, 400, 'INVALID_PARAMETERS', secret)).errors!.map((fault) => fault.path),
    [path],
  );

async function walk(fields: Fields, secret = key): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)!.next) {
    pages.push(await ask<Page>({ ...fields, ...(cursor === '' ? {} : { cursor }) }, secret));
  }
  return pages;
}

async function usageOf(secret: string): Promise<Usage> {
  return (await service.get<Usage>('/v1/usage', { key: secret })).body;
}

/** Uses compute units up until so many are left. */
async function leave(accountId: string, limit: number, left: number): Promise<void> {
  const now = service.clock.now();
  const id = `spent by ${accountId}`;
  const amount = limit - left;
  const expiresAt = (now + 1n) as EpochNs;
  const request = { id, accountId, budget: 'computeUnits', amount, limit, expiresAt } as const;
  const verdict = await service.store.reserve(now, { ...request, period: '2026-11' });
  assert.ok(verdict.granted);
  await service.store.settle(now, id, { amount });
}

test('a query takes its parameters, and refuses any other by name [HIST-01]', async () => {
  const fields = { ...RANGE, params: TICK_BARS, mode: 'confirmed' };
  const page = await ask<Page>(fields);
  assert.ok(page.items.length > 0);
  await refusedAt({ ...fields, extra: '1' }, '/extra');
  await refusedAt({ ...fields, params: '{"size":0}' }, '/params/size');
  await refusedAt({ ...fields, params: '[1]' }, '/params');
  await refusedAt({ ...fields, mode: 'fast' }, '/mode');
  const { instrument: _left, ...without }: Fields = fields;
  await refusedAt(without, '/instrument');
  const twice = `${address('/v1/history', fields)}&from=2026-11-08`;
  const { status, body } = await service.get(twice, { key });
  assert.equal(status, 400);
  assert.equal(body.errors![0]!.path, '/from');
});

test('limit is a whole number from 1 to 10,000, and 1,000 when left out [HIST-02] [HIST-03]', async () => {
  const fields = { ...RANGE, from: '2026-11-04', params: TICK_BARS };
  assert.equal((await ask<Page>({ ...fields, limit: '1' })).items.length, 1);
  const all = await ask<Page>({ ...fields, limit: '10000' });
  assert.ok(all.items.length > 2_000);
  assert.equal(all.next, null);
  const { items, next } = await ask<Page>(fields);
  assert.equal(items.length, 1_000);
  assert.equal(next, items.at(-1)!.cursor);
  for (const limit of ['0', '-1', '10001', '1.5', '1e2', '', 'all']) {
    await refusedAt({ ...fields, limit }, '/limit');
  }
});

test('a page of footprint has at most 5,400 bars [HIST-04]', async () => {
  const fields = {
    ...RANGE,
    indicator: 'footprint',
    params: JSON.stringify({ bar: 'tick', size: 1 }),
    from: '2026-11-02',
    limit: '10000',
  };
  const { items, next } = await ask<Page>(fields);
  assert.equal(items.length, 5_400);
  assert.notEqual(next, null);
});

test('walking next gives the range once, in order, and costs what the estimate said [HIST-05] [HIST-06] [HIST-16] [COUNT-14] [USE-10]', async () => {
  const secret = await service.customer('history');
  for (const [rest, limit] of [
    [{}, '100'],
    [{ params: TICK_BARS }, '333'],
    [{ params: TICK_BARS, mode: 'confirmed' }, '1000'],
    [{ params: TICK_BARS, snapshot: 'true' }, '500'],
  ] as const) {
    const fields = { ...RANGE, ...rest };
    const before = await usageOf(secret);
    const pages = await walk({ ...fields, limit }, secret);
    const whole = await ask<Page>({ ...fields, limit: '10000' });
    assert.equal(whole.next, null);
    const items = pages.flatMap((page) => page.items);
    assert.deepEqual(items, whole.items);
    assert.equal(new Set(items.map(({ cursor }) => cursor)).size, items.length);
    const { computeUnits, trades } = await estimate({ ...fields, limit }, secret);
    assert.equal(trades, 2 * TRADES_A_DAY);
    assert.equal(computeUnits, trades);
    assert.equal(
      pages.reduce((sum, page) => sum + page.computeUnits, 0),
      computeUnits,
    );
    const { used } = await usageOf(secret);
    assert.equal(used.computeUnits - before.used.computeUnits, computeUnits);
    assert.equal(used.historyItems - before.used.historyItems, items.length);
    for (const page of pages) {
      assert.equal(page.instrument, 'ESZ6');
      assert.equal(page.contract, 'ESZ6');
      assert.equal(page.tickSizeNanos, 250_000_000);
      const isOpening = page === pages[0] && 'snapshot' in rest;
      assert.equal(page.snapshot, isOpening ? true : undefined);
    }
  }
});

test('with snapshot the state at from comes first, then updates with their cursors [HIST-08] [HIST-09] [HIST-10]', async () => {
  const from = '2026-11-10T14:40:00Z';
  const to = '2026-11-10T14:50:00Z';
  const { items, snapshot } = await ask<Page>({ ...RANGE, from, to, snapshot: 'true' });
  assert.equal(snapshot, true);
  const [first, ...updates] = items;
  assert.equal(first!.t, 'snapshot');
  assert.ok(updates.length > 0);
  let last = first!.cursor;
  for (const { t, cursor } of updates) {
    assert.ok(t === 'upsert' || t === 'remove');
    assert.ok(compare(last, cursor) < 0);
    last = cursor;
  }
  // The state at from is what the results up to there leave behind.
  const before = await ask<Page>({ ...RANGE, from: '2026-11-09', to: from, limit: '10000' });
  const state = new Map<string, unknown>();
  for (const { t, id, final, ts, ...rest } of before.items) {
    if (t === 'remove') state.delete(id!);
    else state.set(id!, { id, final, ts, data: (rest as { data?: unknown }).data });
  }
  const held = first!.items!;
  assert.deepEqual(held, [...state.values()].slice(-held.length));
  const plain = await ask<Page>({ ...RANGE, snapshot: 'false' });
  assert.ok(!('snapshot' in plain));
  await refusedAt({ ...RANGE, snapshot: 'yes' }, '/snapshot');
});

test('untilCursor is the last update of a range, in place of to [HIST-11]', async () => {
  const { to: _to, ...open }: Fields = { ...RANGE, mode: 'confirmed' };
  const { items } = await ask<Page>({ ...RANGE, mode: 'confirmed', limit: '10000' });
  const { cursor: untilCursor } = items[40]!;
  const until = await ask<Page>({ ...open, untilCursor });
  assert.deepEqual(until.items, items.slice(0, 41));
  assert.equal(until.next, null);
  await refusedAt({ ...open, untilCursor: '20261110.01.0' }, '/untilCursor');
  await refusedAt({ ...RANGE, untilCursor }, '/untilCursor');
  await refusedAt({ ...open, untilCursor: '20261101.5.0' }, '/untilCursor');
});

test('a contract that is not streamed is read with its dataset only [HIST-12] [HIST-13]', async () => {
  const fields = { ...RANGE, instrument: 'ESU6', from: '2026-09-09', to: '2026-09-10' };
  const page = await ask<Page>({ ...fields, dataset: SIM_DATASET });
  assert.equal(page.contract, 'ESU6');
  assert.ok(page.items.length > 0);
  await refused(fields, 404, 'UNKNOWN_INSTRUMENT');
  await refused({ ...fields, dataset: 'other' }, 404, 'UNKNOWN_INSTRUMENT');
});

test('an estimate takes the same query, charges nothing, also when nothing is left [HIST-14] [HIST-15]', async () => {
  const accountId = await service.account('sandbox');
  const { secret } = await service.key(accountId);
  const { limits } = await usageOf(secret);
  await leave(accountId, limits.computeBudget, 0);
  const { used } = await usageOf(secret);
  const fields = { ...RANGE, limit: '5', params: TICK_BARS, mode: 'live' };
  const { cursor } = (await ask<Page>(fields)).items[4]!;
  for (const rest of [
    {},
    { cursor },
    { snapshot: 'true' },
    { dataset: SIM_DATASET },
    { instrument: 'ES.c.0' },
  ]) {
    const { remainingComputeUnits, missingDays, contract } = await estimate(
      { ...fields, ...rest },
      secret,
    );
    assert.equal(remainingComputeUnits, 0);
    assert.deepEqual(missingDays, []);
    assert.equal(contract, 'ESZ6');
  }
  assert.deepEqual((await usageOf(secret)).used.computeUnits, used.computeUnits);
  await refused({ ...RANGE, limit: '0' }, 400, 'INVALID_PARAMETERS', key, '/v1/history/estimate');
});

test('days without data are told, and refuse query and estimate alike [HIST-17] [HIST-18] [HIST-19] [ERR-20]', async () => {
  const cl = { ...RANGE, instrument: 'CLF7' };
  for (const path of ['/v1/history', '/v1/history/estimate']) {
    const part = await refused({ ...cl, from: '2026-11-04' }, 402, 'NOT_COVERED', key, path);
    assert.deepEqual(part.missingDays, [DAY_LEFT_OUT]);
    // The 4th, 6th, 8th, 9th and 10th.
    assert.equal(part.computeUnits, 5 * TRADES_A_DAY);
    const none = { ...cl, from: '2026-11-05T10:00:00Z', to: '2026-11-05T11:00:00Z' };
    const whole = await refused(none, 402, 'NOT_COVERED', key, path);
    assert.deepEqual(whole.missingDays, [DAY_LEFT_OUT]);
    assert.equal(whole.computeUnits, 0);
  }
  // On a Saturday nothing trades, so nothing is missing.
  const weekend = { ...RANGE, from: '2026-11-06', to: '2026-11-09' };
  assert.equal((await estimate(weekend)).trades, 2 * TRADES_A_DAY);
});

test('a key needs the scope history, for query and estimate [AUTH-22]', async () => {
  const accountId = await service.account('history');
  const reader = await service.key(accountId, { scopes: ['history'] });
  await ask(RANGE, reader.secret);
  await estimate(RANGE, reader.secret);
  const other = await service.key(accountId, { scopes: ['stream', 'export', 'keys'] });
  for (const path of ['/v1/history', '/v1/history/estimate']) {
    await refused(RANGE, 403, 'FORBIDDEN', other.secret, path);
  }
});

test('an alias means the contract it designated at from, for rights as well [INST-11] [INST-12] [INST-13] [INST-14] [INST-15]', async () => {
  const accountId = await service.account('history');
  const keyFor = async (name: string) =>
    (await service.key(accountId, { instruments: [name] })).secret;
  const before = { ...RANGE, instrument: 'ES.c.0', from: '2026-09-09', to: '2026-09-10' };
  const now = { ...RANGE, instrument: 'ES.c.0' };
  const older = { ...before, instrument: 'ESU6', dataset: SIM_DATASET };

  const { secret: any } = await service.key(accountId);
  const page = await ask<Page>(before, any);
  assert.equal(page.contract, 'ESU6');
  assert.deepEqual(page.items, (await ask<Page>(older, any)).items);
  assert.equal((await ask<Page>(now, any)).contract, 'ESZ6');

  const contract = await keyFor('ESZ6');
  await refused(before, 403, 'FORBIDDEN', contract);
  await ask(now, contract);

  const alias = await keyFor('ES.c.0');
  await ask(before, alias);
  await refused(older, 403, 'FORBIDDEN', alias);
  const expired = await keyFor('ESU6');
  await ask(older, expired);
  await ask(before, expired);
});

test('an invented indicator or instrument is 404 [ERR-18] [ERR-19]', async () => {
  await refused({ ...RANGE, indicator: 'invented' }, 404, 'UNKNOWN_INDICATOR');
  await refused({ ...RANGE, instrument: 'XXZ9' }, 404, 'UNKNOWN_INSTRUMENT');
});

test('the sandbox has seven days, a test key too, live none, history all there are [PLAN-01] [PLAN-05] [PLAN-07] [PLAN-16] [PLAN-17]', async () => {
  const day = String(FIRST_DAY);
  const oldest = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
  const trial = await service.key(await service.account('live_history'), { environment: 'test' });
  for (const secret of [await service.customer('sandbox'), trial.secret]) {
    await ask({ ...RANGE, from: '2026-11-04' }, secret);
    const earlier = { ...RANGE, from: '2026-11-03T23:59:59.999999999Z' };
    for (const path of ['/v1/history', '/v1/history/estimate']) {
      await refused(earlier, 403, 'FORBIDDEN', secret, path);
    }
    const { to } = await ask<Page>({ ...RANGE, from: '2026-11-11', to: '2026-11-12' }, secret);
    assert.equal(to, String(service.clock.now() - 600_000_000_000n));
  }
  for (const plan of ['history', 'live_history'] as const) {
    await ask({ ...RANGE, from: oldest, limit: '1' }, await service.customer(plan));
  }
  const live = await service.customer('live');
  await refused({ ...RANGE, from: '2026-11-10' }, 403, 'FORBIDDEN', live);
});

test('a test key gets the same bytes as a live one [PLAN-02]', async () => {
  const trial = await service.key(await service.account('live_history'), { environment: 'test' });
  const url = address('/v1/history', RANGE);
  const live = await service.get(url, { key });
  const test = await service.get(url, { key: trial.secret });
  assert.equal(test.text, live.text);
  assert.deepEqual(Object.keys(test.headers), Object.keys(live.headers));
});

test('a cost equal to the remainder is accepted, one unit more refused before it starts [COUNT-29] [ERR-10] [ERR-12] [ERR-22] [ERR-24] [PLAN-18] [PLAN-20]', async () => {
  const budgets: Partial<Record<Plan, number>> = {
    sandbox: 50_000_000,
    history: 20_000_000_000,
    live_history: 20_000_000_000,
  };
  for (const [plan, budget] of Object.entries(budgets) as [Plan, number][]) {
    const accountId = await service.account(plan);
    const { secret } = await service.key(accountId);
    const { limits, resetsAt } = await usageOf(secret);
    assert.equal(limits.computeBudget, budget);
    const { computeUnits } = await estimate(RANGE, secret);
    await leave(accountId, budget, computeUnits);
    const more = { ...RANGE, from: '2026-11-08' };
    const problem = await refused(more, 429, 'QUOTA_EXCEEDED', secret);
    assert.equal(problem.computeUnits, 3 * TRADES_A_DAY);
    assert.equal(problem.remainingComputeUnits, computeUnits);
    const seconds = (BigInt(resetsAt) - service.clock.now()) / 1_000_000_000n;
    assert.ok(BigInt(problem.retryAfter!) <= seconds);
    assert.equal((await usageOf(secret)).remaining.computeUnits, computeUnits);

    await ask(RANGE, secret);
    const { used, remaining } = await usageOf(secret);
    assert.equal(used.computeUnits, budget);
    assert.equal(remaining.computeUnits, 0);
    assert.equal((await refused(RANGE, 429, 'QUOTA_EXCEEDED', secret)).remainingComputeUnits, 0);
  }
});

test('the plan live has no compute budget [PLAN-19]', async () => {
  const live = await service.customer('live');
  assert.equal((await usageOf(live)).limits.computeBudget, 0);
  await refused(RANGE, 403, 'FORBIDDEN', live, '/v1/history/estimate');
});

test('ranges that cannot be are refused at the field', async () => {
  await refusedAt({ ...RANGE, to: '2026-11-09' }, '/to');
  await refusedAt({ ...RANGE, to: '2026-11-08' }, '/to');
  await refusedAt({ ...RANGE, from: '2026-12-01', to: '2026-12-02' }, '/from');
  await refusedAt({ ...RANGE, from: 'yesterday' }, '/from');
  await refusedAt({ ...RANGE, cursor: '20261101.1.0' }, '/cursor');
  await refusedAt({ ...RANGE, cursor: '20261112.1.0' }, '/cursor');
});

test('before the tape is known everything is warming; when there is no room it says when to come back [ERR-21] [ERR-28]', async () => {
  service.market.tapeTime = null;
  for (const path of ['/v1/history', '/v1/history/estimate']) {
    await refused(RANGE, 409, 'WARMING', key, path);
  }
  service.market.tapeTime = service.clock.now();
  const { sources } = service;
  const full = async () => {
    throw new ComputeFullError('full', 5);
  };
  const secret = await service.customer('history');
  service.sources = readingBy(sources, full);
  try {
    assert.equal((await refused(RANGE, 503, 'CAPACITY', secret)).retryAfter, '5');
  } finally {
    service.sources = sources;
  }
  const { used, remaining, limits } = await usageOf(secret);
  assert.equal(used.computeUnits, 0);
  assert.equal(remaining.computeUnits, limits.computeBudget);
});

test('a client that goes before its page is ready ends the work and is charged nothing', async () => {
  const secret = await service.customer('history');
  const { sources } = service;
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const read: Sources['days']['read'] = (_request, signal) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      signal!.addEventListener('abort', () => {
        ended.resolve(signal!.reason);
        reject(signal!.reason);
      });
    });
  };
  service.sources = readingBy(sources, read);
  const logged = service.logged.length;
  try {
    const port = await service.listen();
    const client = new AbortController();
    const authorization = `Bearer ${secret}`;
    const answer = fetch(`http://127.0.0.1:${port}${address('/v1/history', RANGE)}`, {
      headers: { authorization },
      signal: client.signal,
    });
    await begun.promise;
    const held = (await usageOf(secret)).remaining.computeUnits;
    assert.equal(held, 20_000_000_000 - 2 * TRADES_A_DAY);
    client.abort();
    await assert.rejects(answer);
    await ended.promise;
  } finally {
    service.sources = sources;
  }
  for (;;) {
    const { used, remaining } = await usageOf(secret);
    assert.equal(used.computeUnits, 0);
    if (remaining.computeUnits === 20_000_000_000) break;
    await turn();
  }
  assert.deepEqual(service.logged.slice(logged), []);
});

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((cursor) => cursor.split('.').map(Number));
  const at = left!.findIndex((part, index) => part !== right![index]);
  return at === -1 ? 0 : left![at]! - right![at]!;
}
