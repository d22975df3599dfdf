/** What our pages read with a session (charts, the reference): the same as a live key of the account, at the same price. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import { address, type Fields, leave, RANGE } from '../../../testing/history/history-requests.ts';
import { PortalBrowser } from '../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../testing/rest/rest-service.ts';

const PAGE = { headers: { 'sec-fetch-site': 'same-origin' } };
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' } as const;
const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const PATHS = [
  '/instruments',
  '/sessions',
  '/usage',
  '/keys',
  '/history',
  '/history/estimate',
] as const;
const PLANS: readonly Plan[] = ['sandbox', 'live', 'history', 'live_history'];
const GRANTED = {
  sandbox: [],
  live: ['live'],
  history: ['history'],
  live_history: ['live', 'history'],
} as const;
/** Bars until a moment ago. */
const RECENT: Fields = { instrument: 'ESZ6', indicator: 'bars', from: '2026-11-10' };

interface Usage {
  readonly used: { readonly computeUnits: number; readonly restRequests: number };
  readonly byPortal: { readonly computeUnits: number; readonly restRequests: number };
}

let service: RestService;
let people = 0;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  service.market.lastTrades.set('ESZ6', (service.clock.now() - 7n) as EpochNs);
});
after(() => service[Symbol.asyncDispose]());

const operator = () => ({ now: service.clock.now(), actor: { kind: 'operator' } }) as const;

/** A session with this plan, and a live key of the same account. */
async function somebody(plan: Plan = 'sandbox') {
  people += 1;
  const browser = new PortalBrowser(service);
  await browser.signIn(`tries${people}@example.com`);
  const { body } = await browser.get<{ id: string }>('/v1/portal/account');
  const grants = GRANTED[plan].map((granted) => ({ plan: granted, until: null }));
  await service.store.setGrants(operator(), body.id, grants);
  return { browser, accountId: body.id, key: (await service.key(body.id)).secret };
}

const tried = <T>(browser: PortalBrowser, path: string, fields: Fields = {}, more = PAGE) =>
  browser.get<T>(address(`/v1/portal/try${path}`, fields), more);

for (const plan of PLANS) {
  test(`on ${plan} a session is answered as a live key is, or refused in the same words`, async () => {
    const { browser, key } = await somebody(plan);
    const questions: readonly [string, Fields][] = [
      ['/instruments', {}],
      ['/keys', {}],
      ['/sessions', { instrument: 'ESZ6', from: '2026-11-09' }],
      ['/sessions', { instrument: 'ESX9', from: 'then' }],
      ['/history/estimate', RECENT],
      ['/history/estimate', { ...RECENT, indicator: 'footprint', snapshot: 'true' }],
      ['/history', RECENT],
      ['/history', { ...RECENT, snapshot: 'true', limit: '2' }],
      ['/history', { ...RECENT, from: '2026-11-06', to: '2026-11-07', gaps: 'allow' }],
      ['/history', { ...RECENT, instrument: 'ESX9' }],
      ['/history', { ...RECENT, from: '2026-11-02' }],
      ['/history', { ...RECENT, indicator: 'candles' }],
      ['/history', { ...RECENT, limit: '0' }],
    ];
    for (const [path, fields] of questions) {
      const byKey = await service.get<object>(address(`/v1${path}`, fields), { key });
      const bySession = await tried<object>(browser, path, fields);
      assert.equal(bySession.status, byKey.status, bySession.text);
      assert.deepEqual(answered(bySession.body), answered(byKey.body), path);
      const limit = byKey.headers['ratelimit-limit'];
      assert.equal(bySession.headers['ratelimit-limit'], limit);
    }
  });
}

/** Without the parts that differ between any two responses: the request id, and the cost of the first one. */
function answered(body: object): object {
  const { instance: _id, remainingComputeUnits: _left, ...rest } = body as Record<string, unknown>;
  const keys = (rest.keys as { lastUsedAt: unknown }[] | undefined)?.map((key) => ({
    ...key,
    lastUsedAt: null,
  }));
  return keys === undefined ? rest : { ...rest, keys };
}

test('the delay of the plan holds: nothing of the last ten minutes is shown or told', async () => {
  const { browser } = await somebody('sandbox');
  const { body } = await tried<{ instruments: { symbol: string; updatedAt: string | null }[] }>(
    browser,
    '/instruments',
  );
  const updated = body.instruments.find(({ symbol }) => symbol === 'ESZ6')!.updatedAt;
  assert.ok(updated === null || BigInt(updated) <= service.clock.now() - 600_000_000_000n);
});

test('a page is charged once, to the account, and shown as the portal’s', async () => {
  const { browser, key } = await somebody('history');
  const page = await tried<{ computeUnits: number }>(browser, '/history', RANGE);
  assert.equal(page.body.computeUnits, 2 * TRADES_A_DAY);
  assert.equal((await tried(browser, '/history/estimate', RANGE)).status, 200);
  const { body } = await browser.get<Usage>('/v1/portal/usage');
  assert.equal(body.used.computeUnits, 2 * TRADES_A_DAY);
  assert.equal(body.used.restRequests, 2);
  await service.meter.flush();
  const later = await browser.get<Usage>('/v1/portal/usage');
  assert.deepEqual(
    [later.body.byPortal.computeUnits, later.body.byPortal.restRequests],
    [2 * TRADES_A_DAY, 2],
  );
  const byKey = await service.get<Usage>('/v1/usage', { key });
  assert.equal(byKey.body.used.computeUnits, 2 * TRADES_A_DAY);
});

test('every page of a replay is the one that a key gets, byte for byte, and a repeat is free', async () => {
  const { browser, key } = await somebody('live_history');
  const query = { ...RANGE, indicator: 'footprint', snapshot: 'true', limit: '40' };
  let next: string | null = null;
  let pages = 0;
  do {
    const fields: Fields = next === null ? query : { ...query, cursor: next };
    const bySession = await tried<{ next: string | null }>(browser, '/history', fields);
    const byKey = await service.get(address('/v1/history', fields), { key });
    assert.equal(bySession.status, 200, bySession.text);
    assert.equal(bySession.text, byKey.text);
    const { etag, link, vary } = bySession.headers;
    const ofKey = byKey.headers;
    assert.deepEqual([etag, link, vary], [ofKey.etag, ofKey.link, ofKey.vary]);
    next = bySession.body.next;
    pages += 1;
  } while (next !== null);
  assert.ok(pages > 2);
  const used = async () =>
    (await browser.get<Usage>('/v1/portal/usage')).body.byPortal.computeUnits;
  const once = { headers: { ...PAGE.headers, 'idempotency-key': 'a page of the charts' } };
  const [first, again] = [
    await tried(browser, '/history', query, once),
    await tried(browser, '/history', query, once),
  ];
  assert.deepEqual([first.status, again.text], [200, first.text]);
  assert.equal(again.headers['idempotent-replayed'], 'true');
  await service.meter.flush();
  // The pages cost the range once, and the first page of the repeats once more.
  const { computeUnits } = first.body as unknown as { computeUnits: number };
  const whole = (await tried<{ computeUnits: number }>(browser, '/history/estimate', query)).body;
  assert.equal(await used(), whole.computeUnits + computeUnits);
});

test('what is over the budget is refused before it starts, whoever used it up [COUNT-29]', async () => {
  const { browser, accountId } = await somebody('sandbox');
  await leave(service, accountId, 'computeUnits', 50_000_000, 2 * TRADES_A_DAY - 1);
  const refused = await tried(browser, '/history', RANGE);
  const problem = checkProblem(refused, DOCS_URL, { status: 429, code: 'QUOTA_EXCEEDED' });
  assert.equal(problem.computeUnits, 2 * TRADES_A_DAY);
});

test('requests a minute are shared with the keys, and foreign pages use none of them up [RATE-01]', async () => {
  const { browser, key } = await somebody('sandbox');
  const remaining = async () => {
    const { headers } = await service.get('/v1/usage', { key });
    return Number(headers['ratelimit-remaining']);
  };
  const before = await remaining();
  const { headers } = await tried(browser, '/usage');
  assert.equal(Number(headers['ratelimit-remaining']), before - 1);
  const evil = { headers: { 'sec-fetch-site': 'cross-site' } };
  checkProblem(await tried(browser, '/usage', {}, evil), DOCS_URL, FORBIDDEN);
  assert.equal(await remaining(), before - 2);
  for (let left = before - 2; left > 0; left -= 1) await tried(browser, '/usage');
  for (const refused of [await tried(browser, '/usage'), await service.get('/v1/usage', { key })]) {
    checkProblem(refused, DOCS_URL, { status: 429, code: 'RATE_LIMITED' });
    assert.ok(Number(refused.headers['retry-after']) >= 1);
  }
});

test('only our own pages may try, by what a browser says of them and no page can forge [SEC-12]', async () => {
  const { browser, accountId } = await somebody('history');
  const foreign: readonly Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    { origin: 'null' },
    { referer: 'https://evil.example/https://portal.example/' },
    { referer: 'no address' },
  ];
  for (const headers of foreign) {
    for (const path of PATHS) {
      const refused = await tried(browser, path, RANGE, { headers } as never);
      checkProblem(refused, DOCS_URL, FORBIDDEN);
      assert.equal(refused.headers['access-control-allow-origin'], undefined);
    }
  }
  const { used } = await service.meter.usageOf(service.clock.now(), accountId, '2026-11');
  assert.deepEqual([used.computeUnits, used.restRequests], [0, 0]);
  const own = [{ origin: ORIGIN }, { referer: `${ORIGIN}/docs/reference/rest` }];
  for (const headers of own) {
    const { status } = await tried(browser, '/usage', {}, { headers } as never);
    assert.equal(status, 200);
  }
});

test('nobody who is not signed in, whose session has ended or who brings a key instead may try [PORTAL-07]', async () => {
  const { browser, key } = await somebody();
  const { cookie } = browser;
  const stranger = new PortalBrowser(service);
  for (const path of PATHS) {
    checkProblem(await tried(stranger, path, RANGE), DOCS_URL, UNAUTHORIZED);
    const withKey = await service.get(address(`/v1/portal/try${path}`, RANGE), { ...PAGE, key });
    checkProblem(withKey, DOCS_URL, UNAUTHORIZED);
    assert.equal(withKey.headers['ratelimit-limit'], undefined);
  }
  await browser.delete('/v1/portal/session');
  stranger.cookie = cookie;
  checkProblem(await tried(stranger, '/history', RANGE), DOCS_URL, UNAUTHORIZED);
});

test('a suspended account tries nothing', async () => {
  const { browser, accountId } = await somebody('live_history');
  await service.store.setSuspended(operator(), accountId, true);
  for (const path of PATHS) {
    const problem = checkProblem(await tried(browser, path, RANGE), DOCS_URL, FORBIDDEN);
    assert.equal(problem.detail, 'The account is suspended.');
  }
});

test('what makes something, shows a secret or is a download cannot be tried', async () => {
  const { browser } = await somebody('live_history');
  const not = { status: 404, code: 'NOT_FOUND' } as const;
  for (const [method, path] of [
    ['GET', '/export'],
    ['POST', '/stream-tokens'],
    ['POST', '/keys/a/rotate'],
    ['DELETE', '/keys/a'],
  ] as const) {
    checkProblem(
      await browser.request(method, `/v1/portal/try${path}`, undefined, PAGE),
      DOCS_URL,
      not,
    );
  }
  const made = await browser.request('POST', '/v1/portal/try/keys', {}, PAGE);
  checkProblem(made, DOCS_URL, { status: 405, code: 'NOT_FOUND' });
});
