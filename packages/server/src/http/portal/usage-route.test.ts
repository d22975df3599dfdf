import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import { PortalBrowser } from '../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';

interface Used {
  readonly computeUnits: number;
  readonly historyItems: number;
  readonly exportBytes: number;
  readonly restRequests: number;
}
interface PortalUsage {
  readonly period: string;
  readonly plan: string;
  readonly used: Used;
  readonly months: readonly { readonly period: string; readonly used: Used }[];
  readonly reportPeriod: string;
  readonly days: readonly { readonly day: string; readonly used: Partial<Used> }[];
  readonly byKey: readonly { readonly keyId: string; readonly name: string; readonly used: Used }[];
  readonly byPortal: Used;
  readonly open: object;
}

const NOTHING: Used = { computeUnits: 0, historyItems: 0, exportBytes: 0, restRequests: 0 };
const DAY_NS = 86_400_000_000_000n;

let service: RestService;
let people = 0;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

async function signedIn(): Promise<{ browser: PortalBrowser; accountId: string }> {
  people += 1;
  const browser = new PortalBrowser(service);
  await browser.signIn(`reader${people}@example.com`);
  const { body } = await browser.get<{ id: string }>('/v1/portal/account');
  return { browser, accountId: body.id };
}

async function charge(accountId: string, keyId: string, amount: number, daysAgo = 0n) {
  const now = (service.clock.now() - daysAgo * DAY_NS) as EpochNs;
  const id = `charge ${people} ${keyId} ${amount} ${daysAgo}`;
  const limit = 1_000_000;
  const what = {
    accountId,
    keyId,
    budget: 'computeUnits',
    amount,
    limit,
    testLimit: null,
  } as const;
  const period = periodOf(now);
  const expiresAt = (now + DAY_NS) as EpochNs;
  await service.store.reserve(now, { id, ...what, period, expiresAt });
  await service.store.settle(now, id, { amount, historyItems: 2 });
}

const usageOf = async (browser: PortalBrowser, period?: string) => {
  const path = `/v1/portal/usage${period === undefined ? '' : `?period=${period}`}`;
  const { status, text, body } = await browser.get<PortalUsage>(path);
  assert.equal(status, 200, text);
  return body;
};

test('the first day: thirteen months of nothing, and nothing open', async () => {
  const { browser } = await signedIn();
  const usage = await usageOf(browser);
  assert.equal(usage.plan, 'sandbox');
  assert.equal(usage.months.length, 13);
  assert.deepEqual([usage.months[0]!.period, usage.months[12]!.period], ['2025-11', '2026-11']);
  assert.ok(usage.months.every(({ used }) => used.restRequests === 0 && used.computeUnits === 0));
  assert.deepEqual([usage.days, usage.byKey, usage.byPortal], [[], [], NOTHING]);
  assert.deepEqual(usage.open, { connections: 0, subscriptions: 0, customConfigs: 0 });
});

test('use shows in its month, on its day and at its key; a session’s own is the portal’s', async () => {
  const { browser, accountId } = await signedIn();
  const [busy, idle] = [await service.key(accountId), await service.key(accountId)];
  await charge(accountId, busy.record.id, 70);
  await charge(accountId, idle.record.id, 5, 3n);
  await charge(accountId, idle.record.id, 30, 40n);
  await charge(accountId, 'ses_0000', 9);
  assert.equal((await service.get('/v1/usage', { key: busy.secret })).status, 200);
  const usage = await usageOf(browser);
  assert.equal(usage.used.computeUnits, 84);
  // The portal's own requests count for no key. Use is shown before it is stored.
  assert.deepEqual(usage.used, usage.months.at(-1)!.used);
  assert.equal(usage.used.restRequests, 1);
  assert.deepEqual(
    usage.months.slice(-2).map(({ period, used }) => [period, used.computeUnits]),
    [
      ['2026-10', 30],
      ['2026-11', 84],
    ],
  );
  assert.deepEqual(
    usage.days.map(({ day, used }) => [day, used.computeUnits]),
    [
      ['2026-11-08', 5],
      ['2026-11-11', 79],
    ],
  );
  assert.deepEqual(
    usage.byKey.map(({ keyId, used }) => [keyId, used.computeUnits, used.historyItems]),
    [
      [busy.record.id, 70, 2],
      [idle.record.id, 5, 2],
    ],
  );
  assert.equal(usage.byPortal.computeUnits, 9);

  const before = await usageOf(browser, '2026-10');
  assert.equal(before.period, '2026-11');
  assert.equal(before.reportPeriod, '2026-10');
  assert.deepEqual(
    before.byKey.map(({ keyId, used }) => [keyId, used.computeUnits]),
    [[idle.record.id, 30]],
  );
  assert.deepEqual(before.days, [
    { day: '2026-10-02', used: { computeUnits: 30, exportBytes: 0 } },
  ]);
});

test('a key that ended keeps its name in the months it was used in', async () => {
  const { browser, accountId } = await signedIn();
  const { record } = await service.key(accountId);
  await charge(accountId, record.id, 4);
  const call = { now: service.clock.now(), actor: { kind: 'owner' } } as const;
  await service.store.revokeKey(call, accountId, record.id);
  const [row] = (await usageOf(browser)).byKey;
  assert.deepEqual(row, {
    keyId: record.id,
    name: record.name,
    hint: record.hint,
    environment: 'live',
    state: 'revoked',
    used: { ...NOTHING, computeUnits: 4, historyItems: 2 },
  });
});

test('what is open is counted over all keys', async () => {
  const { browser, accountId } = await signedIn();
  const take = (kind: 'connection' | 'subscription', holder: string) =>
    service.leases.take(service.clock.now(), {
      accountId,
      kind,
      holder,
      thing: holder,
      limit: 5,
      testLimit: null,
    });
  await take('connection', 'c1');
  await take('subscription', 's1');
  await take('subscription', 's2');
  const { open } = await usageOf(browser);
  assert.deepEqual(open, { connections: 1, subscriptions: 2, customConfigs: 0 });
});

test('a month that is none of the thirteen is refused with those that are', async () => {
  const { browser } = await signedIn();
  for (const period of ['2025-10', '2026-12', '2026-13', 'now', '']) {
    const answer = await browser.get(`/v1/portal/usage?period=${period}`);
    const problem = checkProblem(answer, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
    assert.equal(problem.errors![0]!.path, '/period');
  }
  const answer = await browser.get('/v1/portal/usage?period=2025-10');
  assert.equal(answer.body.errors![0]!.message, 'must be a month from 2025-11 to 2026-11');
});

test('instruments are those of the REST interface, as late as the plan is', async () => {
  const { browser, accountId } = await signedIn();
  const { secret } = await service.key(accountId);
  for (const query of ['', '?dataset=SIM']) {
    const own = await browser.get(`/v1/portal/instruments${query}`);
    const rest = await service.get(`/v1/instruments${query}`, { key: secret });
    assert.equal(own.text, rest.text);
    assert.equal(own.status, rest.status);
  }
});

test('a token of the session opens one stream within a minute, and is no use once it is signed out', async () => {
  const { browser, accountId } = await signedIn();
  const issue = () =>
    browser.post<{ token: string; expiresAt: string }>('/v1/portal/stream-tokens', {});
  const { status, body } = await issue();
  assert.equal(status, 201);
  assert.equal(body.expiresAt, `${service.clock.now() + 60_000_000_000n}`);
  const opened = await service.authenticator.consumeToken(body.token);
  assert.ok(opened.verdict === 'accepted');
  const { caller } = opened;
  assert.equal(caller.accountId, accountId);
  assert.deepEqual(
    (['stream', 'history', 'export', 'keys'] as const).filter((it) =>
      caller.entitlements.hasScope(it),
    ),
    ['stream'],
  );
  assert.equal((await service.authenticator.consumeToken(body.token)).verdict, 'unknown');
  const unused = (await issue()).body.token;
  const cookie = browser.cookie!;
  assert.equal((await browser.delete('/v1/portal/session')).status, 200);
  assert.equal((await service.authenticator.consumeToken(unused)).verdict, 'unknown');
  const late = await browser.post('/v1/portal/stream-tokens', {}, { headers: { cookie } });
  checkProblem(late, DOCS_URL, { status: 401, code: 'UNAUTHORIZED' });
  // A token is no key.
  const answer = await service.get('/v1/usage', { key: body.token });
  checkProblem(answer, DOCS_URL, { status: 401, code: 'UNAUTHORIZED' });
});

test('the usage says whether the account ever streamed, by whichever key and on whichever device', async () => {
  const { browser, accountId } = await signedIn();
  const hasStreamed = async () =>
    (await browser.get<{ hasStreamed: boolean }>('/v1/portal/usage')).body.hasStreamed;
  assert.equal(await hasStreamed(), false);
  service.meter.noteStreamed(accountId);
  await service.meter.flush();
  assert.equal(await hasStreamed(), true);
});
