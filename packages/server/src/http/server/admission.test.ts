import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import {
  DOCS_URL,
  type RestAnswer,
  type RestRequest,
  RestService,
} from '../../../testing/rest/rest-service.ts';
import { newKeyText } from '../../accounts/auth/secret.ts';
import { AccountsTroubleError } from '../../accounts/store/account-store.ts';

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
/** An address that no other customer has. */
let addresses = 0;
const newAddress = () => `198.18.${(addresses >> 8) & 255}.${addresses++ & 255}`;

test('a key in the header Authorization, behind the word Bearer in any case, is accepted, and nowhere else [AUTH-01] [AUTH-03] [AUTH-04]', async () => {
  const key = await service.customer();
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    const headers = { authorization: `${word} ${key}` };
    assert.equal((await service.get('/v1/usage', { headers })).status, 200, word);
  }
  for (const authorization of [key, `Basic ${key}`, `Token ${key}`, `xBearer ${key}`]) {
    const answer = await service.get('/v1/usage', { headers: { authorization } });
    checkProblem(answer, DOCS_URL, UNAUTHORIZED);
  }
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

test('without a key every keyed route is 401, with no word of a token [AUTH-06] [AUTH-09] [AUTH-10] [ERR-30] [RATE-05]', async () => {
  for (const [method, url] of KEYED) {
    const answer = await service.request(method, url, { body: method === 'POST' ? {} : undefined });
    checkProblem(answer, DOCS_URL, UNAUTHORIZED);
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm=service');
    assert.deepEqual(rateHeadersOf(answer), []);
  }
});

test('the word Bearer without a key is no key sent: no word of a token, and no attempt at guessing [AUTH-06] [AUTH-09]', async () => {
  const address = newAddress();
  for (let count = 0; count < 100; count += 1) {
    const authorization = ['', 'Bearer', 'bearer', 'Bearer ', 'BEARER \t'][count % 5]!;
    const answer = await service.get('/v1/usage', { headers: { authorization }, address });
    checkProblem(answer, DOCS_URL, UNAUTHORIZED);
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm=service', authorization);
  }
});

test('Authorization sent twice is 401, whatever it holds and whatever the connection sent before', async () => {
  await using alone = await RestService.start();
  const port = await alone.listen();
  const mine = await alone.customer();
  const other = await alone.customer();
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  const heads: string[] = [];
  for (const [first, ...others] of [[mine], [mine, other], [mine, mine], [other, mine], [mine]]) {
    const sent = [
      `Authorization: Bearer ${first}`,
      ...others.map((it) => `aUTHORIZATION: Bearer ${it}`),
    ];
    socket.write(`HEAD /v1/usage HTTP/1.1\r\nHost: x\r\n${sent.join('\r\n')}\r\n\r\n`);
    const head: string[] = [];
    for (let line = await lines.next(); line.value !== ''; line = await lines.next()) {
      head.push(String(line.value));
    }
    heads.push(head.join('\n'));
  }
  socket.destroy();
  assert.deepEqual(
    heads.map((head) => head.split(' ')[1]),
    ['200', '401', '401', '401', '200'],
  );
  assert.match(heads[1]!, /www-authenticate: Bearer realm=service, error=invalid_token/i);
});

test('an invalid, revoked or expired key is 401 and called an invalid token [AUTH-07] [AUTH-08] [AUTH-09] [AUTH-10] [ERR-30] [RATE-05]', async () => {
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

test('the public routes look at no key and carry no rate headers', async () => {
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

test('while the accounts cannot be asked, the status is told to who sends a key too', async () => {
  await using faulty = await RestService.start();
  const refuse = () => Promise.reject(new AccountsTroubleError('full', 'no room'));
  faulty.authenticator.authenticate = refuse;
  const answer = await faulty.get('/v1/status', { key: INVENTED });
  assert.equal(answer.status, 200);
  assert.deepEqual(rateHeadersOf(answer), []);
  assert.equal((await faulty.get('/v1/usage', { key: INVENTED })).status, 503);
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
  const needed = [
    ['GET', '/v1/keys', 'keys'],
    ['POST', '/v1/keys', 'keys'],
    ['POST', '/v1/keys/:id/rotate', 'keys'],
    ['DELETE', '/v1/keys/:id', 'keys'],
    ['POST', '/v1/stream-tokens', 'stream'],
    ['GET', '/v1/history', 'history'],
    ['GET', '/v1/history/estimate', 'history'],
    ['GET', '/v1/export', 'export'],
  ] as const;
  const withScope = service.routes.filter(({ access }) => typeof access === 'object');
  assert.deepEqual(
    withScope.map(({ method, path }) => `${method} ${path}`).sort(),
    needed.map(([method, path]) => `${method} ${path}`).sort(),
  );
  for (const scope of all) {
    const others = await service.key(account, { scopes: all.filter((other) => other !== scope) });
    const alone = await service.key(account, { scopes: [scope] });
    for (const [method, path, scopeOfRoute] of needed) {
      const url = path.replace(':id', 'nothing');
      const ask = ({ secret: key }: typeof alone) => service.request(method, url, { key });
      const [isRefused, isTaken] = scopeOfRoute === scope ? [others, alone] : [alone, others];
      checkProblem(await ask(isRefused), DOCS_URL, FORBIDDEN);
      assert.notEqual((await ask(isTaken)).status, 403, `${method} ${path} with ${scope}`);
    }
    for (const open of ['/v1/usage', '/v1/instruments']) {
      for (const { secret: key } of [others, alone]) {
        assert.equal((await service.get(open, { key })).status, 200);
      }
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

test('too many failed authentications of an address are 429; a valid key is never refused for it', async () => {
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

test('on a kept connection every request is judged by what holds then', async () => {
  const port = await service.listen();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  const get = async (key: string | null, path = '/v1/usage') => {
    const headers = key === null ? {} : { authorization: `Bearer ${key}` };
    const sent = request({ port, host: '127.0.0.1', path, agent, headers });
    sent.on('socket', (socket) => sockets.add(socket)).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await answer.resume().toArray();
    return { status: answer.statusCode, limit: answer.headers['ratelimit-limit'] };
  };
  const operator = { kind: 'operator' } as const;
  const call = () => ({ now: service.clock.now(), actor: operator });
  const account = await service.account('live');
  const one = await service.key(account);
  const other = await service.key(await service.account('sandbox'));
  const expiresAt = (service.clock.now() + 5_000_000_000n) as EpochNs;
  const short = await service.key(account, { expiresAt });
  const good = { status: 200, limit: '300' };
  const refused = { status: 401, limit: undefined };

  assert.deepEqual(await get(one.secret), good);
  assert.deepEqual(await get(one.secret), good);
  assert.deepEqual(await get(other.secret), { status: 200, limit: '60' });
  assert.deepEqual(await get(INVENTED), refused);
  assert.deepEqual(await get(null), refused);
  assert.deepEqual(await get(null, '/v1/status'), { status: 200, limit: undefined });
  assert.deepEqual(await get(one.secret, '/v1/indicators'), { status: 200, limit: undefined });

  assert.deepEqual(await get(short.secret), good);
  service.clock.advanceTo(expiresAt - 1n);
  assert.deepEqual(await get(short.secret), good);
  service.clock.advanceTo(expiresAt);
  assert.deepEqual(await get(short.secret), refused);

  assert.deepEqual(await get(one.secret), good);
  const until = (service.clock.now() + 1_000_000_000n) as EpochNs;
  await service.store.setGrants(call(), account, [{ plan: 'history', until }]);
  assert.deepEqual(await get(one.secret), { status: 200, limit: '1200' });
  service.clock.advanceTo(until);
  assert.deepEqual(await get(one.secret), { status: 200, limit: '60' });
  await service.store.setSuspended(call(), account, true);
  assert.deepEqual(await get(one.secret), { status: 403, limit: '60' });
  await service.store.setSuspended(call(), account, false);
  assert.deepEqual(await get(one.secret), { status: 200, limit: '60' });
  await service.store.revokeKey(call(), account, one.record.id);
  assert.deepEqual(await get(one.secret), refused);
  assert.equal(sockets.size, 1, 'it was one connection');
  agent.destroy();
});
