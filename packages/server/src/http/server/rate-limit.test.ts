import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PLAN_LIMITS, type Plan } from '@tapeloom/core/entitlement/plan';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import {
  DOCS_URL,
  type RestAnswer,
  type RestRequest,
  RestService,
} from '../../../testing/rest/rest-service.ts';

const RATE_HEADERS = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-policy',
];
const LIMITED = { status: 429, code: 'RATE_LIMITED' } as const;

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

const rateHeadersOf = ({ headers }: RestAnswer<unknown>) =>
  Object.keys(headers).filter((name) => name.toLowerCase().startsWith('ratelimit-'));
const remainingOf = ({ headers }: RestAnswer<unknown>) => Number(headers['ratelimit-remaining']);

test('every answer to a recognised key carries the four headers, whatever its status [RATE-02]', async () => {
  const account = await service.account('live_history');
  const { secret: key, record } = await service.key(account);
  const { secret: weak } = await service.key(account, { scopes: ['history'] });
  const rotated = await service.key(account);
  const path = `/v1/keys/${rotated.record.id}/rotate`;
  const whole = { name: 'x', environment: 'live', scopes: ['stream'] };
  const text = { 'content-type': 'text/plain' };
  const cases: [number, string, string, RestRequest][] = [
    [200, 'GET', '/v1/usage', { key }],
    [200, 'HEAD', '/v1/usage', { key }],
    [200, 'GET', '/v1/instruments', { key }],
    [200, 'GET', '/v1/status', { key }],
    [200, 'GET', '/v1/keys', { key }],
    [201, 'POST', '/v1/keys', { key, body: whole }],
    [201, 'POST', path, { key, body: { gracePeriodSeconds: 0 } }],
    [201, 'POST', '/v1/stream-tokens', { key }],
    [204, 'OPTIONS', '/v1/usage', { key }],
    [400, 'GET', '/v1/usage?x=1', { key }],
    [400, 'POST', '/v1/keys', { key, body: {} }],
    [400, 'GET', '/v1/%zz', { key }],
    [403, 'GET', '/v1/keys', { key: weak }],
    [404, 'GET', '/v1/nothing', { key }],
    [404, 'GET', '/', { key }],
    [404, 'DELETE', '/v1/keys/nothing', { key }],
    [405, 'PUT', '/v1/keys', { key }],
    [405, 'POST', '/v1/indicators', { key }],
    [405, 'PROPFIND', '/v1/usage', { key }],
    [409, 'POST', path, { key, body: { gracePeriodSeconds: 0 } }],
    [413, 'POST', '/v1/keys', { key, body: 'x'.repeat(16_385) }],
    [415, 'POST', '/v1/keys', { key, body: 'x', headers: text }],
    [415, 'POST', '/v1/keys', { key, body: '{' }],
    [200, 'DELETE', `/v1/keys/${record.id}`, { key }],
  ];
  let remaining = 1_200;
  for (const [status, method, url, request] of cases) {
    const answer = await service.request(method, url, request);
    assert.equal(answer.status, status, `${method} ${url} ${answer.text}`);
    for (const name of RATE_HEADERS) assert.ok(answer.headers[name], `${method} ${url} ${name}`);
    remaining -= 1;
    assert.equal(remainingOf(answer), remaining, `${method} ${url} uses up one request`);
  }
});

test('an answer of 500 and of 429 carries them too [RATE-02] [ERR-37]', async () => {
  const key = await service.customer();
  const { lastTrades } = service.market;
  service.market.lastTrades = null as never;
  const failed = await service.get('/v1/instruments', { key });
  service.market.lastTrades = lastTrades;
  checkProblem(failed, DOCS_URL, { status: 500, code: 'INTERNAL' });
  assert.equal(rateHeadersOf(failed).length, 4);
  for (let count = 2; count <= 60; count += 1) await service.get('/v1/usage', { key });
  const limited = await service.get('/v1/usage', { key });
  checkProblem(limited, DOCS_URL, LIMITED);
  assert.equal(rateHeadersOf(limited).length, 4);
  assert.equal(remainingOf(limited), 0);
});

test('a refusal for a missing scope, an unknown path and an unknown method each use up one [RATE-03] [RATE-04]', async () => {
  const account = await service.account();
  const { secret: key } = await service.key(account, { scopes: ['history'] });
  const cases = [
    ['GET', '/v1/keys', 403],
    ['POST', '/v1/stream-tokens', 403],
    ['GET', '/v1/nothing', 404],
    ['POST', '/nothing', 404],
    ['PUT', '/v1/keys', 405],
    ['DELETE', '/v1/usage', 405],
    ['POST', '/v1/indicators', 405],
  ] as const;
  for (const [index, [method, url, status]] of cases.entries()) {
    const answer = await service.request(method, url, { key });
    assert.equal(answer.status, status);
    assert.equal(rateHeadersOf(answer).length, 4);
    assert.equal(remainingOf(answer), 59 - index);
  }
});

test('the headers say limit, what is available now, seconds to a full allowance, and the policy [RATE-07] [RATE-08] [RATE-09] [RATE-10]', async () => {
  for (const [plan, { restPerMinute }] of Object.entries(PLAN_LIMITS)) {
    const key = await service.customer(plan as Plan);
    const usage = await service.get<{ limits: { restPerMinute: number } }>('/v1/usage', { key });
    assert.equal(usage.body.limits.restPerMinute, restPerMinute);
    assert.equal(usage.headers['ratelimit-limit'], `${restPerMinute}`);
    assert.equal(usage.headers['ratelimit-policy'], `${restPerMinute};w=60`);
  }
  const key = await service.customer();
  for (let count = 1; count <= 20; count += 1) await service.get('/v1/usage', { key });
  const now = await service.get('/v1/usage', { key });
  for (let left = remainingOf(now); left > 0; left -= 1) {
    assert.equal((await service.get('/v1/usage', { key })).status, 200);
  }
  const refused = await service.get('/v1/usage', { key });
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['ratelimit-reset'], '60');
  service.clock.advance(1_000 * Number(refused.headers['ratelimit-reset']));
  const full = await service.get('/v1/usage', { key });
  assert.equal(remainingOf(full), 59, 'all of 60, less this one');
  for (let count = 0; count < 10; count += 1) await service.get('/v1/usage', { key });
  service.clock.advance(1_500);
  const part = await service.get('/v1/usage', { key });
  assert.equal(remainingOf(part), 49, 'half a request is none');
});

test('past the allowance 429 RATE_LIMITED; after Retry-After the next passes [RATE-01] [ERR-12] [ERR-27]', async () => {
  const key = await service.customer('live');
  let answer = await service.get('/v1/usage', { key });
  for (let count = 2; count <= 301; count += 1) answer = await service.get('/v1/usage', { key });
  checkProblem(answer, DOCS_URL, LIMITED);
  service.clock.advance(1_000 * Number(answer.headers['retry-after']));
  assert.equal((await service.get('/v1/usage', { key })).status, 200);
});

for (const [plan, restPerMinute, rule] of [
  ['sandbox', 60, 'PLAN-23'],
  ['live', 300, 'PLAN-24'],
  ['history', 1_200, 'PLAN-25'],
  ['live_history', 1_200, 'PLAN-25'],
] as const) {
  test(`${plan}: ${restPerMinute} requests at once pass, the next is refused [${rule}]`, async () => {
    const key = await service.customer(plan);
    for (let count = 1; count <= restPerMinute; count += 1) {
      assert.equal((await service.get('/v1/nothing', { key })).status, 404);
    }
    checkProblem(await service.get('/v1/nothing', { key }), DOCS_URL, LIMITED);
  });
}

test('the allowance refills continuously, up to the limit and no further [RATE-11] [RATE-12]', async () => {
  const key = await service.customer();
  for (let count = 1; count <= 60; count += 1) await service.get('/v1/usage', { key });
  service.clock.advance(999);
  checkProblem(await service.get('/v1/usage', { key }), DOCS_URL, LIMITED);
  for (const ms of [1, 1_000, 1_000]) {
    service.clock.advance(ms);
    assert.equal((await service.get('/v1/usage', { key })).status, 200, 'one a second');
    checkProblem(await service.get('/v1/usage', { key }), DOCS_URL, LIMITED);
  }
  service.clock.advance(15_000);
  assert.equal(remainingOf(await service.get('/v1/usage', { key })), 14, 'a quarter, less one');
  service.clock.advance(86_400_000);
  assert.equal(remainingOf(await service.get('/v1/usage', { key })), 59);
});

test('requests are counted over all keys of an account [COUNT-04]', async () => {
  const account = await service.account();
  const keys = [await service.key(account), await service.key(account, { environment: 'test' })];
  for (let count = 0; count < 60; count += 1) {
    const { status } = await service.get('/v1/usage', { key: keys[count % 2]!.secret });
    assert.equal(status, 200);
  }
  for (const { secret } of keys) {
    checkProblem(await service.get('/v1/usage', { key: secret }), DOCS_URL, LIMITED);
  }
  const other = await service.customer();
  assert.equal(remainingOf(await service.get('/v1/usage', { key: other })), 59);
});

test('test keys share 60 a minute beside production: the headers say the sandbox limit, the lesser rest and the later reset [RATE-07] [RATE-08] [RATE-09] [RATE-10]', async () => {
  const account = await service.account('live');
  const { secret: live } = await service.key(account);
  const trials = [
    await service.key(account, { environment: 'test' }),
    await service.key(account, { environment: 'test' }),
  ];
  const ask = async (key: string) => {
    const answer = await service.get('/v1/instruments', { key });
    const { headers } = answer;
    const of = (name: string) => headers[`ratelimit-${name}`];
    return [answer.status, of('limit'), of('remaining'), of('reset'), of('policy')];
  };
  // Production alone uses all that the sandbox allows: test keys are not rejected for it.
  for (let count = 0; count < 100; count += 1) await ask(live);
  assert.deepEqual(await ask(trials[0]!.secret), [200, '60', '59', '21', '60;w=60']);
  for (let count = 1; count < 60; count += 1) await ask(trials[count % 2]!.secret);
  for (const { secret } of trials) {
    const refused = await service.get('/v1/instruments', { key: secret });
    checkProblem(refused, DOCS_URL, LIMITED);
    assert.equal(refused.headers['retry-after'], '1');
  }
  // And test traffic is not free.
  assert.deepEqual(await ask(live), [200, '300', '139', '33', '300;w=60']);
  for (let count = 0; count < 139; count += 1) await ask(live);
  service.clock.advance(30_000);
  for (let count = 0; count < 145; count += 1) await ask(live);
  assert.deepEqual(await ask(trials[0]!.secret), [200, '60', '4', '60', '60;w=60']);
});
