import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lastToken, PortalBrowser } from '../../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';
import { digestOf } from '../../../accounts/auth/secret.ts';

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' } as const;
const LIMITED = { status: 429, code: 'RATE_LIMITED' } as const;
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' } as const;
const DAY_MS = 86_400_000;
const NS = 0.000_001;
const CHROME_ON_A_PHONE =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly plan: string;
  readonly sessions: readonly {
    readonly id: string;
    readonly browser: string;
    readonly createdAt: string;
    readonly lastUsedAt: string;
    readonly isThis: boolean;
  }[];
  readonly serverTime: string;
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;
async function signedIn(userAgent?: string, email = `reader${++people}@example.com`) {
  const browser = new PortalBrowser(service, userAgent);
  await browser.signIn(email);
  return { browser, email };
}
const accountOf = (browser: PortalBrowser) => browser.get<Account>('/v1/portal/account');
const textOf = ({ cookie }: PortalBrowser) => cookie!.split('=')[1]!;

test('a session lasts 30 days from the sign-in, however much it is used [PORTAL-06]', async () => {
  const { browser } = await signedIn();
  for (let day = 0; day < 29; day += 1) {
    service.clock.advance(DAY_MS);
    assert.equal((await accountOf(browser)).status, 200);
  }
  service.clock.advance(DAY_MS - NS);
  assert.equal((await accountOf(browser)).status, 200);
  service.clock.advance(NS);
  checkProblem(await accountOf(browser), DOCS_URL, UNAUTHORIZED);
  service.clock.advance(1_000);
  checkProblem(await accountOf(browser), DOCS_URL, UNAUTHORIZED);
});

test('a session holds in the browser that signed in, in all its tabs, and in no other [PORTAL-07]', async () => {
  const { browser, email } = await signedIn();
  const another = new PortalBrowser(service);
  checkProblem(await accountOf(another), DOCS_URL, UNAUTHORIZED);
  // The link is requested in one browser and opened in another.
  assert.equal((await browser.askForLink(email)).status, 202);
  assert.equal((await another.useLink(lastToken(service))).status, 200);
  assert.notEqual(another.cookie, browser.cookie);
  const tabs = await Promise.all([accountOf(browser), accountOf(browser), accountOf(another)]);
  assert.deepEqual(
    tabs.map(({ body }) => body.email),
    [email, email, email],
  );
});

test('the cookie is for this host alone, for no script and no foreign page; a sign-in has a new one [SEC-12]', async () => {
  const browser = new PortalBrowser(service);
  const email = 'cookie@example.com';
  await browser.askForLink(email);
  const answer = await browser.useLink(lastToken(service));
  const set = String(answer.headers['set-cookie']);
  assert.match(set, /^__Host-tapeloom_session=svc_session_[0-9A-Za-z]{33}; /);
  const attributes = set.split('; ').slice(1).sort();
  const expected = ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure'];
  assert.deepEqual(attributes, expected);
  assert.equal(answer.headers['cache-control'], 'no-store');
  // An existing session's cookie, planted in the browser, is not taken over.
  const planted = browser.cookie!;
  await browser.askForLink(email);
  await browser.useLink(lastToken(service));
  assert.notEqual(browser.cookie, planted);
  const old = new PortalBrowser(service);
  old.cookie = planted;
  checkProblem(await accountOf(old), DOCS_URL, UNAUTHORIZED);
});

test('on plain loopback the cookie has no need of TLS, and this machine has several names', async () => {
  await using local = await RestService.start({ origin: 'http://127.0.0.1:8080' });
  const browser = new PortalBrowser(local);
  const email = 'local@example.com';
  const headers = { origin: 'http://localhost:8080' };
  const asked = await browser.post('/v1/portal/sign-in', { email }, { headers });
  assert.equal(asked.status, 202);
  assert.match(local.mails.at(-1)!.text, /^http:\/\/127\.0\.0\.1:8080\/sign-in#/m);
  const { headers: answered } = await browser.useLink(lastToken(local));
  assert.match(String(answered['set-cookie']), /^tapeloom_session=/);
  assert.doesNotMatch(String(answered['set-cookie']), /Secure/);
  assert.equal((await accountOf(browser)).status, 200);
  for (const origin of [
    'http://localhost:9999',
    'https://localhost:8080',
    'http://x.example:8080',
  ]) {
    const refused = await browser.delete('/v1/portal/session', { headers: { origin } });
    checkProblem(refused, DOCS_URL, FORBIDDEN);
  }
});

test('what is signed in changes nothing from a foreign page or from none [SEC-12]', async () => {
  const { browser } = await signedIn();
  const ways = [
    ['DELETE', '/v1/portal/session'],
    ['DELETE', '/v1/portal/sessions'],
    ['DELETE', '/v1/portal/sessions/ses_1'],
    ['POST', '/v1/portal/email'],
    ['POST', '/v1/portal/email/approve'],
    ['POST', '/v1/portal/email/confirm'],
    ['POST', '/v1/portal/deletion'],
    ['POST', '/v1/portal/deletion/confirm'],
    ['DELETE', '/v1/portal/deletion'],
  ] as const;
  const cookie = browser.cookie!;
  const { address } = browser;
  for (const [method, path] of ways) {
    for (const more of [
      {},
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-origin' },
    ]) {
      const headers = { cookie, ...more };
      checkProblem(await service.request(method, path, { address, headers }), DOCS_URL, FORBIDDEN);
    }
    // A client without a session learns nothing by it.
    const headers = { origin: ORIGIN };
    checkProblem(await service.request(method, path, { address, headers }), DOCS_URL, UNAUTHORIZED);
  }
  assert.equal((await accountOf(browser)).status, 200);
  const { headers } = await accountOf(browser);
  assert.equal(headers['access-control-allow-origin'], undefined);
  assert.deepEqual(
    Object.keys(headers).filter((name) => /^ratelimit/i.test(name)),
    [],
  );
});

test('a session is no key and a key is no session; sessions are kept as digests', async () => {
  const { browser } = await signedIn();
  const { cookie } = browser;
  const key = await service.customer();
  const text = textOf(browser);
  const usage = '/v1/usage';
  checkProblem(await service.get(usage, { headers: { cookie: cookie! } }), DOCS_URL, UNAUTHORIZED);
  checkProblem(await service.get(usage, { key: text }), DOCS_URL, UNAUTHORIZED);
  checkProblem(await service.get('/v1/portal/account', { key }), DOCS_URL, UNAUTHORIZED);
  assert.equal(await service.store.people.findSession(text), null);
  assert.ok(await service.store.people.findSession(digestOf(text).hash));
  const { body } = await accountOf(browser);
  const told = await service.store.audit({ accountId: body.id, limit: 100 });
  const everything = JSON.stringify([body, told, service.logged], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  assert.ok(!everything.includes(text) && !everything.includes(digestOf(text).hash));
});

test('texts that are no session are refused, cut ones without a look-up, and not for ever', async () => {
  const { browser } = await signedIn();
  const whole = browser.cookie!;
  const visitor = new PortalBrowser(service);
  for (const cookie of [whole.slice(0, -1), `${whole}x`, '__Host-tapeloom_session=', 'x', '=;;']) {
    visitor.cookie = cookie;
    checkProblem(await accountOf(visitor), DOCS_URL, UNAUTHORIZED);
  }
  visitor.cookie = `a=b; ${whole} ; c=d`;
  assert.equal((await accountOf(visitor)).status, 200);
  visitor.cookie = `${whole.slice(0, -1)}_`;
  let answer = await accountOf(visitor);
  for (let tries = 0; tries < 40; tries += 1) answer = await accountOf(visitor);
  checkProblem(answer, DOCS_URL, LIMITED);
  // A session behind the same address is not rejected for it.
  visitor.cookie = whole;
  assert.equal((await accountOf(visitor)).status, 200);
});

test('the account shows where its owner is signed in, and ends one session or all others at once', async () => {
  const { browser: desk, email } = await signedIn();
  service.clock.advance(1);
  const { browser: phone } = await signedIn(CHROME_ON_A_PHONE, email);
  service.clock.advance(1);
  const { browser: unknown } = await signedIn('<b>hello</b>', email);
  const { body } = await accountOf(desk);
  assert.equal(body.email, email);
  assert.equal(body.plan, 'sandbox');
  assert.equal(body.serverTime, `${service.clock.now()}`);
  assert.deepEqual(
    body.sessions.map(({ browser, isThis }) => [browser, isThis]),
    [
      ['An unknown browser', false],
      ['Chrome on Android', false],
      ['Firefox on Linux', true],
    ],
  );
  const phoneId = body.sessions[1]!.id;
  const stranger = (await signedIn()).browser;
  const path = `/v1/portal/sessions/${phoneId}`;
  checkProblem(await stranger.delete(path), DOCS_URL, NOT_FOUND);
  assert.equal((await accountOf(phone)).status, 200);
  assert.deepEqual((await desk.delete(path)).body, {});
  checkProblem(await accountOf(phone), DOCS_URL, UNAUTHORIZED);
  checkProblem(await desk.delete(path), DOCS_URL, NOT_FOUND);
  assert.deepEqual((await desk.delete('/v1/portal/sessions')).body, { ended: 1 });
  checkProblem(await accountOf(unknown), DOCS_URL, UNAUTHORIZED);
  assert.deepEqual((await desk.delete('/v1/portal/sessions')).body, { ended: 0 });
  assert.equal((await accountOf(desk)).body.sessions.length, 1);
});

test('signing out ends the session in every tab and takes the cookie away', async () => {
  const { browser } = await signedIn();
  const otherTab = new PortalBrowser(service);
  otherTab.cookie = browser.cookie;
  const { status, body, headers } = await browser.delete('/v1/portal/session');
  assert.deepEqual({ status, body }, { status: 200, body: {} });
  assert.match(String(headers['set-cookie']), /^__Host-tapeloom_session=; .*Max-Age=0/);
  checkProblem(await accountOf(otherTab), DOCS_URL, UNAUTHORIZED);
  checkProblem(await otherTab.delete('/v1/portal/session'), DOCS_URL, UNAUTHORIZED);
});

test('signing in again replaces what the browser had, also for another account', async () => {
  const { browser, email } = await signedIn();
  const before = browser.cookie!;
  await browser.signIn(email);
  assert.equal((await accountOf(browser)).body.sessions.length, 1);
  const tab = new PortalBrowser(service);
  tab.cookie = before;
  checkProblem(await accountOf(tab), DOCS_URL, UNAUTHORIZED);
  await browser.signIn('someone-else@example.com');
  assert.equal((await accountOf(browser)).body.email, 'someone-else@example.com');
});

test('when a session was last used is known to the minute', async () => {
  const { browser } = await signedIn();
  const usedAt = async () => BigInt((await accountOf(browser)).body.sessions[0]!.lastUsedAt);
  const begun = await usedAt();
  service.clock.advance(59_000);
  assert.equal(await usedAt(), begun);
  service.clock.advance(2_000);
  await usedAt();
  assert.equal(await usedAt(), service.clock.now());
});

test('one owner has at most 50 sessions: the oldest gives way', async () => {
  const { browser, email } = await signedIn();
  for (let count = 0; count < 50; count += 1) {
    if (count % 4 === 3) service.clock.advance(3_600_000);
    await signedIn(undefined, email);
    service.clock.advance(1);
  }
  checkProblem(await accountOf(browser), DOCS_URL, UNAUTHORIZED);
  const { browser: newest } = await signedIn(undefined, email);
  assert.equal((await accountOf(newest)).body.sessions.length, 50);
});

test('requests of who is signed in have a limit of their own, by account [ERR-27]', async () => {
  const { browser, email } = await signedIn();
  const { browser: second } = await signedIn(undefined, email);
  const { id } = (await accountOf(browser)).body;
  const { secret } = await service.key(id);
  let passed = 1;
  for (; passed < 400; passed += 1) {
    const { status } = await accountOf(passed % 2 === 0 ? browser : second);
    if (status !== 200) break;
  }
  assert.equal(passed, 300);
  const refused = await accountOf(browser);
  checkProblem(refused, DOCS_URL, LIMITED);
  assert.equal((await service.get('/v1/usage', { key: secret })).status, 200);
  assert.equal((await accountOf((await signedIn()).browser)).status, 200);
  service.clock.advance(Number(refused.headers['retry-after']) * 1_000);
  assert.equal((await accountOf(browser)).status, 200);
});

test('a suspended account can be looked at, signed out of and left, and nothing else', async () => {
  const { browser, email } = await signedIn();
  const { id } = (await accountOf(browser)).body;
  const suspend = (isSuspended: boolean) => {
    const call = { now: service.clock.now(), actor: { kind: 'operator' } } as const;
    return service.store.setSuspended(call, id, isSuspended);
  };
  await suspend(true);
  assert.equal((await accountOf(browser)).status, 200);
  assert.equal((await browser.get('/v1/portal/export')).status, 200);
  const key = { name: 'a', environment: 'live', scopes: ['stream'] };
  const refused = [
    ['/v1/portal/keys', key],
    ['/v1/portal/email', { email: 'other@example.com' }],
    ['/v1/portal/stream-tokens', undefined],
    ['/v1/portal/checkout', {}],
  ] as const;
  for (const [path, body] of refused) {
    checkProblem(await browser.post(path, body), DOCS_URL, FORBIDDEN);
  }
  assert.equal((await browser.askForDeletion()).status, 200);
  assert.equal((await browser.delete('/v1/portal/deletion')).status, 200);
  assert.equal((await browser.delete('/v1/portal/session')).status, 200);
  await browser.signIn(email);
  await suspend(false);
  assert.equal((await browser.post('/v1/portal/keys', key)).status, 201);
});
