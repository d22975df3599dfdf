import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PLAN_LIMITS, type Plan } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import { checkProblem } from '../../../../simulation/problem-check.ts';
import {
  DOCS_URL,
  type RestAnswer,
  type RestRequest,
  RestService,
} from '../../../../simulation/rest-service.ts';
import { newKeyText } from '../accounts/secret.ts';

const RATE_HEADERS = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-policy',
];
const KEYED = [
  ['GET', '/v1/usage'],
  ['GET', '/v1/instruments'],
  ['GET', '/v1/keys'],
  ['POST', '/v1/keys'],
  ['POST', '/v1/keys/x/rotate'],
  ['DELETE', '/v1/keys/x'],
  ['POST', '/v1/stream-tokens'],
] as const;
const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' } as const;
const LIMITED = { status: 429, code: 'RATE_LIMITED' } as const;
const INVENTED = newKeyText('live', (size) => new Uint8Array(size).fill(7));

let service: RestService;
before(async () => {
  service = await RestService.start({ trustedProxies: ['10.9.0.0/16'] });
});
after(() => service[Symbol.asyncDispose]());

const rateHeadersOf = ({ headers }: RestAnswer<unknown>) =>
  Object.keys(headers).filter((name) => name.toLowerCase().startsWith('ratelimit-'));
const remainingOf = ({ headers }: RestAnswer<unknown>) => Number(headers['ratelimit-remaining']);
/** The address of a customer nobody else is. */
let addresses = 0;
const newAddress = () => `198.18.${(addresses >> 8) & 255}.${addresses++ & 255}`;

test('a key in the header Authorization, behind the word Bearer in any case, is accepted, and nowhere else [AUTH-01] [AUTH-03] [AUTH-04]', async () => {
  const key = await service.customer();
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    const headers = { authorization: `${word} ${key}` };
    assert.equal((await service.get('/v1/usage', { headers })).status, 200, word);
  }
  const bare = await service.get('/v1/usage', { headers: { authorization: key } });
  checkProblem(bare, DOCS_URL, UNAUTHORIZED);
  const elsewhere: [string, string, RestRequest][] = [
    ['GET', `/v1/usage?key=${key}`, {}],
    ['GET', `/v1/usage?authorization=Bearer%20${key}`, {}],
    ['GET', '/v1/usage', { headers: { 'x-api-key': key, cookie: `authorization=${key}` } }],
    ['POST', '/v1/keys', { body: { key, authorization: `Bearer ${key}` } }],
    ['GET', '/v1/usage', { headers: { 'proxy-authorization': `Bearer ${key}` } }],
  ];
  for (const [method, url, request] of elsewhere) {
    checkProblem(await service.request(method, url, request), DOCS_URL, UNAUTHORIZED);
  }
});

test('without a key every keyed route is 401, with no word of a token [AUTH-06] [AUTH-09] [AUTH-10] [RATE-05]', async () => {
  for (const [method, url] of KEYED) {
    const answer = await service.request(method, url, { body: method === 'POST' ? {} : undefined });
    checkProblem(answer, DOCS_URL, UNAUTHORIZED);
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm=service');
    assert.deepEqual(rateHeadersOf(answer), []);
  }
});

test('an invalid, revoked or expired key is 401 and called an invalid token [AUTH-07] [AUTH-08] [AUTH-09] [AUTH-10] [RATE-05]', async () => {
  const account = await service.account();
  const { secret } = await service.key(account);
  const revoked = await service.key(account);
  const now = service.clock.now();
  await service.store.revokeKey({ now, actor: { kind: 'operator' } }, account, revoked.record.id);
  const expired = await service.key(account, { expiresAt: (now + 1n) as EpochNs });
  service.clock.advance(1);
  const flipped = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
  const sent = [
    INVENTED,
    secret.slice(0, -1),
    `${secret}0`,
    flipped,
    secret.replace('svc_live_', 'svc_test_'),
    secret.toLowerCase(),
    'garbage',
    '',
    ' ',
    `${secret} ${secret}`,
    `"${secret}"`,
    revoked.secret,
    expired.secret,
  ];
  for (const text of sent) {
    const address = newAddress();
    const headers = { authorization: `Bearer ${text}` };
    const answer = await service.get('/v1/usage', { headers, address });
    const problem = checkProblem(answer, DOCS_URL, UNAUTHORIZED);
    const challenge = answer.headers['www-authenticate'];
    assert.equal(challenge, 'Bearer realm=service, error=invalid_token', text);
    assert.deepEqual(rateHeadersOf(answer), []);
    assert.ok(!JSON.stringify(problem).includes('svc_'));
  }
  for (const authorization of [`Basic ${secret}`, `Token ${secret}`, `Bearer=${secret}`]) {
    const answer = await service.get('/v1/usage', { headers: { authorization } });
    checkProblem(answer, DOCS_URL, UNAUTHORIZED);
  }
});

test('the public routes look at no key and carry no rate headers [AUTH-24] [RATE-06]', async () => {
  const key = await service.customer();
  for (const headers of [{}, { authorization: `Bearer ${key}` }, { authorization: 'nonsense' }]) {
    const answer = await service.get('/v1/indicators', { headers });
    assert.equal(answer.status, 200);
    assert.deepEqual(rateHeadersOf(answer), []);
  }
  const { headers } = await service.get('/v1/usage', { key });
  assert.equal(headers['ratelimit-remaining'], '59', 'nothing was counted');
});

test('the public routes are limited by address, with Retry-After and without rate headers', async () => {
  const address = newAddress();
  for (let count = 1; count <= 600; count += 1) {
    assert.equal((await service.request('HEAD', '/v1/indicators', { address })).status, 200);
  }
  const refused = await service.get('/v1/indicators', { address });
  checkProblem(refused, DOCS_URL, LIMITED);
  assert.deepEqual(rateHeadersOf(refused), []);
  assert.equal((await service.get('/v1/indicators', { address: newAddress() })).status, 200);
  const key = await service.customer();
  assert.equal((await service.get('/v1/usage', { address, key })).status, 200, 'keys are not');
  service.clock.advance(1_000 * Number(refused.headers['retry-after']));
  assert.equal((await service.get('/v1/indicators', { address })).status, 200);
});

test('the status needs no key; a recognised one counts and gets the headers', async () => {
  const key = await service.customer();
  const anonymous = await service.get('/v1/status');
  assert.equal(anonymous.status, 200);
  assert.deepEqual(rateHeadersOf(anonymous), []);
  const invented = await service.get('/v1/status', { key: INVENTED, address: newAddress() });
  assert.equal(invented.status, 200);
  assert.deepEqual(rateHeadersOf(invented), []);
  const known = await service.get('/v1/status', { key });
  assert.equal(known.status, 200);
  assert.equal(remainingOf(known), 59);
});

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
});

test('past the allowance 429 RATE_LIMITED; after Retry-After the next passes [RATE-01]', async () => {
  const key = await service.customer('live');
  let answer = await service.get('/v1/usage', { key });
  for (let count = 2; count <= 301; count += 1) answer = await service.get('/v1/usage', { key });
  checkProblem(answer, DOCS_URL, LIMITED);
  service.clock.advance(1_000 * Number(answer.headers['retry-after']));
  assert.equal((await service.get('/v1/usage', { key })).status, 200);
});

for (const [plan, rule] of [
  ['sandbox', 'PLAN-23'],
  ['live', 'PLAN-24'],
  ['history', 'PLAN-25'],
  ['live_history', 'PLAN-25'],
] as const) {
  const { restPerMinute } = PLAN_LIMITS[plan];
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

test('a key works from its addresses only, single and range, also behind a trusted proxy [AUTH-17] [ERR-31] [SEC-08]', async () => {
  const account = await service.account('live_history');
  const allowedIps = ['192.0.2.7', '198.51.100.0/24', '2001:db8::/32'];
  const { secret: key } = await service.key(account, { allowedIps });
  const from = (address: string, forwarded?: string) =>
    service.get('/v1/usage', {
      key,
      address,
      ...(forwarded === undefined ? {} : { headers: { 'x-forwarded-for': forwarded } }),
    });
  const inside = ['192.0.2.7', '::ffff:192.0.2.7', '198.51.100.255', '2001:db8::1'];
  for (const address of inside) assert.equal((await from(address)).status, 200, address);
  for (const address of ['192.0.2.8', '198.51.101.0', '2001:db9::1', '::1']) {
    checkProblem(await from(address), DOCS_URL, FORBIDDEN);
  }
  assert.equal((await from('10.9.1.1', '192.0.2.7')).status, 200);
  assert.equal((await from('10.9.1.1', '6.6.6.6, 192.0.2.7, 10.9.2.2')).status, 200);
  // A claim counts only when a proxy we know made it.
  for (const [address, claim] of [
    ['6.6.6.6', '192.0.2.7'],
    ['10.9.1.1', '192.0.2.7, 6.6.6.6'],
    ['10.9.1.1', 'nonsense'],
  ] as const) {
    checkProblem(await from(address, claim), DOCS_URL, FORBIDDEN);
  }
});

test('a key without the scope of a route is 403 FORBIDDEN [AUTH-15] [ERR-31]', async () => {
  const account = await service.account('live_history');
  const all = ['stream', 'history', 'export', 'keys'] as const;
  for (const [method, url, scope] of [
    ['GET', '/v1/keys', 'keys'],
    ['POST', '/v1/stream-tokens', 'stream'],
  ] as const) {
    const { secret: key } = await service.key(account, {
      scopes: all.filter((other) => other !== scope),
    });
    const problem = checkProblem(await service.request(method, url, { key }), DOCS_URL, FORBIDDEN);
    assert.ok(problem.detail.includes(scope));
    for (const open of ['/v1/usage', '/v1/instruments']) {
      assert.equal((await service.get(open, { key })).status, 200);
    }
  }
});

test('a suspended account is 403 everywhere, its unknown paths are still 404, and it comes back', async () => {
  const account = await service.account('live_history');
  const { secret: key } = await service.key(account);
  const call = () => ({ now: service.clock.now(), actor: { kind: 'operator' } as const });
  await service.store.setSuspended(call(), account, true);
  for (const [method, url] of KEYED) {
    const answer = await service.request(method, url, { key });
    const problem = checkProblem(answer, DOCS_URL, FORBIDDEN);
    assert.match(problem.detail, /suspended/);
    assert.equal(rateHeadersOf(answer).length, 4);
  }
  assert.equal((await service.get('/v1/nothing', { key })).status, 404);
  assert.equal((await service.get('/v1/status', { key })).status, 200);
  await service.store.setSuspended(call(), account, false);
  assert.equal((await service.get('/v1/usage', { key })).status, 200);
});

test('too many failed authentications of an address are 429; a valid key is never refused for it [SEC-07]', async () => {
  const address = newAddress();
  const key = await service.customer('live_history');
  const attempt = (request: RestRequest) => service.get('/v1/usage', { address, ...request });
  let answer = await attempt({ key: INVENTED });
  let failures = 1;
  for (; answer.status === 401; failures += 1) {
    assert.ok(failures < 1_000, 'there is a limit');
    answer = await attempt({ key: INVENTED });
  }
  checkProblem(answer, DOCS_URL, LIMITED);
  assert.deepEqual(rateHeadersOf(answer), []);
  const doors: [string, string, number, ErrorCode][] = [
    ['GET', '/v1/status', 429, 'RATE_LIMITED'],
    ['GET', '/v1/nothing', 429, 'RATE_LIMITED'],
    ['PUT', '/v1/keys', 429, 'RATE_LIMITED'],
  ];
  for (const [method, url, status, code] of doors) {
    const guess = await service.request(method, url, { address, key: INVENTED });
    checkProblem(guess, DOCS_URL, { status, code });
  }
  assert.equal((await attempt({ key })).status, 200);
  assert.equal((await attempt({})).status, 401, 'no key is no guess');
  assert.equal((await attempt({ key: INVENTED, address: newAddress() })).status, 401);
  service.clock.advance(1_000 * Number(answer.headers['retry-after']));
  assert.equal((await attempt({ key: INVENTED })).status, 401);
});

test('a key that ends while its request is under way is refused like one that had ended', async () => {
  const { authenticator, clock } = service;
  const authenticate = authenticator.authenticate.bind(authenticator);
  const account = await service.account('live_history');
  const whole = { name: 'x', environment: 'live', scopes: ['stream'] };
  for (const [url, body] of [
    ['/v1/stream-tokens', undefined],
    ['/v1/keys', { ...whole, expiresAt: `${clock.now() + 10_000_000_000n}` }],
  ] as const) {
    const expiresAt = (clock.now() + 1_000_000_000n) as EpochNs;
    const { secret: key } = await service.key(account, { expiresAt });
    // It is recognised, and expires before the rest of the request has arrived.
    authenticator.authenticate = async (header) => {
      const verdict = await authenticate(header);
      clock.advanceTo(expiresAt);
      return verdict;
    };
    const answer = await service.post(url, { key, body });
    authenticator.authenticate = authenticate;
    assert.equal(checkProblem(answer, DOCS_URL, UNAUTHORIZED).detail, 'API key expired');
    assert.deepEqual(rateHeadersOf(answer), []);
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm=service, error=invalid_token');
  }
});
