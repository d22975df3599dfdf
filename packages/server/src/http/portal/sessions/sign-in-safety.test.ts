import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lastToken, PortalBrowser, sentLink } from '../../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';
import { digestOf, newLinkText } from '../../../accounts/auth/secret.ts';

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const LIMITED = { status: 429, code: 'RATE_LIMITED' } as const;
const INVALID = { status: 400, code: 'INVALID_PARAMETERS' } as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;
const newEmail = () => `safe${++people}@example.com`;
const linkFor = (email = newEmail()) => sentLink(service, email);

test('a link that a mail scanner opens by any method but a posted token stays good [SEC-10]', async () => {
  const { browser, token } = await linkFor();
  assert.equal(new URL(`${ORIGIN}/sign-in#${token}`).pathname, '/sign-in', 'no server sees it');
  const scanner = new PortalBrowser(service);
  for (const path of [
    '/sign-in',
    '/v1/portal/session',
    '/v1/portal/sign-in',
    '/v1/portal/sign-in/look',
  ]) {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT']) {
      for (const query of ['', `?token=${token}`, `/${token}`, `#${token}`]) {
        const { status } = await scanner.request(method, `${path}${query}`);
        assert.ok(status === 204 || status >= 404, `${method} ${path}${query}: ${status}`);
      }
    }
  }
  // Looking at it is no use either, nor is a request from another site.
  assert.equal((await scanner.look(token)).status, 200);
  const headers = { origin: 'https://scanner.example' };
  assert.equal((await scanner.post('/v1/portal/session', { token }, { headers })).status, 403);
  assert.equal((await browser.useLink(token)).status, 200);
});

test('the answer to an address is the same with an account and without, and waits for no mail [SEC-11]', async () => {
  const { browser, email, token } = await linkFor();
  await browser.useLink(token);
  const asked: string[][] = [];
  for (const address of [email, newEmail()]) {
    const calls: string[] = [];
    using _watching = watchPeople(calls);
    const before = service.mails.length;
    const answer = await new PortalBrowser(service).askForLink(address);
    const { 'x-request-id': _, date: __, ...headers } = answer.headers;
    asked.push([...calls, `${answer.status} ${answer.text}`, JSON.stringify(headers)]);
    assert.equal(service.mails.length, before + 1);
  }
  assert.deepEqual(asked[0], asked[1]);
  assert.deepEqual(asked[0]!.slice(0, 1), ['addLink']);
  const [known, unknown] = service.mails.slice(-2);
  const withoutLink = ({ text, html, subject }: typeof known & object) =>
    [subject, text, html].join('\n').replaceAll(/svc_link_\w+/g, '');
  assert.equal(withoutLink(known!), withoutLink(unknown!), 'the mails are the same too');
});

test('the page can say which account a link opens before it signs in [SEC-13]', async () => {
  const { browser, email, token } = await linkFor('Zoë.Known@example.com');
  const first = (await browser.look(token)).body;
  assert.deepEqual(first, {
    purpose: 'sign-in',
    email: 'Z…@example.com',
    newEmail: null,
    account: null,
    needsPasskey: false,
    expiresAt: `${service.clock.now() + 900_000_000_000n}`,
  });
  await browser.useLink(token);
  const { name } = (await browser.get<{ name: string }>('/v1/portal/account')).body;
  // A link of another account, which an attacker wants the victim to open.
  const victim = new PortalBrowser(service);
  await victim.askForLink(email);
  const seen = (await victim.look(lastToken(service))).body;
  assert.deepEqual([seen.email, seen.account], ['Z…@example.com', name]);
});

test('links are of the configured address, whatever a request calls us [SEC-13]', async () => {
  const browser = new PortalBrowser(service);
  const poisoned = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'http',
    forwarded: 'host=evil.example',
    referer: 'https://evil.example/',
    'x-original-url': '//evil.example/',
  };
  const email = newEmail();
  const asked = await browser.post('/v1/portal/sign-in', { email }, { headers: poisoned });
  assert.equal(asked.status, 202);
  const { text, html } = service.mails.at(-1)!;
  assert.ok(!/evil/.test(text + html));
  assert.match(text, new RegExp(`^${ORIGIN}/sign-in#`, 'm'));
});

test('foreign, cut and invented links are 401 and do no harm to the whole one [ERR-30]', async () => {
  const { browser, token } = await linkFor();
  const session = browser.cookie;
  const invented = newLinkText((size) => new Uint8Array(size).fill(9));
  const wrong = [
    '',
    token.slice(0, -1),
    token.slice(0, 12),
    `${token}x`,
    token.toLowerCase(),
    `#${token}`,
    digestOf(token).hash,
    invented,
    'svc_live_x',
    ' ',
    '\u202e',
    '<script>',
    "' or 1=1 --",
  ];
  for (const text of wrong) {
    const way = new PortalBrowser(service);
    checkProblem(await way.useLink(text), DOCS_URL, UNAUTHORIZED);
    checkProblem(await way.look(text), DOCS_URL, UNAUTHORIZED);
    assert.equal(way.cookie, session);
  }
  const bodies = [{}, { token: 7 }, { token: null }, { token: [token] }, { token, more: 1 }, []];
  for (const body of bodies) {
    checkProblem(await browser.post('/v1/portal/session', body), DOCS_URL, INVALID);
  }
  checkProblem(await browser.post('/v1/portal/session'), DOCS_URL, INVALID);
  assert.equal((await browser.useLink(token)).status, 200);
  // Guessing is limited by address.
  const guesser = new PortalBrowser(service);
  let last = await guesser.useLink(invented);
  for (let tries = 0; tries < 35; tries += 1) last = await guesser.useLink(invented);
  checkProblem(last, DOCS_URL, LIMITED);
});

test('what is no plain address is refused at its field and repeated nowhere', async () => {
  const { browser } = await linkFor();
  await browser.signIn(newEmail());
  const claim = newLinkText((size) => new Uint8Array(size).fill(3));
  const bad = [
    'pаypal@example.com',
    'ada@exam\u202eple.com',
    'a\u200fda@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com\n',
    '<script>alert(1)</script>@example.com',
    '"<b>x</b>"@example.com',
    'Ada <ada@example.com>',
    'ada@example.com,eve@example.com',
    'ada',
    '',
    `${'a'.repeat(990)}@example.com`,
    'x'.repeat(2_000),
  ];
  const mails = service.mails.length;
  for (const email of bad) {
    const answers = [
      await browser.post('/v1/portal/sign-in', { email }),
      await browser.post('/v1/portal/email', { email }),
      await browser.post('/v1/portal/claim', { email, token: claim }),
    ];
    for (const answer of answers) {
      const problem = checkProblem(answer, DOCS_URL, INVALID);
      assert.deepEqual(
        problem.errors!.map(({ path }) => path),
        ['/email'],
      );
      assert.ok(email === '' || email === 'ada' || !answer.text.includes(email.slice(0, 8)));
    }
    service.clock.advance(MINUTE_MS / 10);
  }
  assert.equal(service.mails.length, mails, 'nothing was sent');
});

test('whoever looks like another has an account of his own, and markup in a name stays text', async () => {
  const names = ['cocoa@example.com', 'сосоа@example.com', "o'neil&co@example.com"];
  const ids = new Set<string>();
  for (const email of names) {
    const browser = new PortalBrowser(service);
    await browser.signIn(email);
    ids.add((await browser.get<{ id: string }>('/v1/portal/account')).body.id);
    const next = `new-${email}`.replace('new-с', 'сс');
    await browser.post('/v1/portal/email', { email: next });
    const notice = service.mails.at(-1)!;
    assert.ok(notice.text.includes(next));
    assert.ok(!notice.html.includes('neil&co'), 'escaped');
  }
  assert.equal(ids.size, 3);
});

test('a thousand requests a minute from one address send twenty mails an hour [SEC-11]', async () => {
  const before = service.mails.length;
  const flooder = new PortalBrowser(service);
  const statuses = new Map<number, number>();
  for (let count = 0; count < 1_000; count += 1) {
    const { status } = await flooder.askForLink(`flood${count}@example.com`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    service.clock.advance(MINUTE_MS / 1_000);
  }
  assert.deepEqual(Object.fromEntries(statuses), { 202: 20, 429: 980 });
  assert.equal(service.mails.length, before + 20);
  // All others are served meanwhile, and the address again after the hour.
  assert.equal((await new PortalBrowser(service).askForLink(newEmail())).status, 202);
  service.clock.advance(HOUR_MS);
  assert.equal((await flooder.askForLink(newEmail())).status, 202);
});

test('a thousand requests a minute for one mailbox send it five mails an hour, wherever they come from [PORTAL-05, SEC-11]', async () => {
  const victim = newEmail();
  const statuses = new Map<number, number>();
  const spellings = [victim, victim.toUpperCase(), ` ${victim} `];
  for (let count = 0; count < 1_000; count += 1) {
    const bot = new PortalBrowser(service);
    const { status } = await bot.askForLink(spellings[count % 3]!);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    service.clock.advance(MINUTE_MS / 1_000);
  }
  assert.deepEqual(Object.fromEntries(statuses), { 202: 5, 429: 995 });
  const sent = service.mails.filter(({ to }) => to.toLowerCase() === victim);
  assert.equal(sent.length, 5);
});

test('twenty new accounts a day are made from one address, then one every ten minutes; the link stays good, and who has one signs in', async () => {
  const address = '192.0.2.77';
  const from = () => new PortalBrowser(service, undefined, address);
  const signIn = async (email: string) => {
    await from().signIn(email);
    service.clock.advance(MINUTE_MS);
  };
  const known = newEmail();
  await signIn(known);
  for (let count = 1; count < 20; count += 1) await signIn(newEmail());
  const next = from();
  await next.askForLink(newEmail());
  const token = lastToken(service);
  const refused = await next.useLink(token);
  checkProblem(refused, DOCS_URL, LIMITED);
  assert.match(refused.text, /Try again in 9 minutes\./);
  assert.equal(next.cookie, null);
  service.clock.advance(MINUTE_MS);
  await signIn(known);
  service.clock.advance(7 * MINUTE_MS);
  assert.equal((await next.useLink(token)).status, 200, 'the same link, nine minutes later');
  const after = from();
  await after.askForLink(newEmail());
  const other = lastToken(service);
  checkProblem(await after.useLink(other), DOCS_URL, LIMITED);
  assert.equal((await new PortalBrowser(service).useLink(other)).status, 200, 'elsewhere at once');
  service.clock.advance(24 * HOUR_MS);
  for (let count = 0; count < 3; count += 1) await from().signIn(newEmail());
  // All addresses of one IPv6 network count as one.
  const network = (host: number) => new PortalBrowser(service, undefined, `2001:db8:1:2::${host}`);
  for (let count = 0; count < 20; count += 1) {
    await network(count + 1).signIn(newEmail());
    service.clock.advance(MINUTE_MS);
  }
  const last = network(99);
  await last.askForLink(newEmail());
  checkProblem(await last.useLink(lastToken(service)), DOCS_URL, LIMITED);
});

test('a clock that jumps ahead ends links, and no session that has days left [SEC-35]', async () => {
  const { browser, token } = await linkFor();
  await browser.useLink(token);
  const { browser: other, token: late, email } = await linkFor();
  service.clock.advance(HOUR_MS);
  checkProblem(await other.useLink(late), DOCS_URL, UNAUTHORIZED);
  assert.equal((await browser.get('/v1/portal/account')).status, 200);
  await other.signIn(email);
});

test('tokens and cookies reach no log and no error [SEC-02]', async () => {
  const { browser, token } = await linkFor();
  await browser.useLink(token);
  const text = browser.cookie!.split('=')[1]!;
  const answers = [
    await browser.useLink(token),
    await browser.post('/v1/portal/session', { token: `${token} ` }),
    await browser.get(`/v1/portal/${token}`),
    await browser.get(`/v1/portal/account?token=${text}`),
    await browser.delete(`/v1/portal/sessions/${text}`),
  ];
  for (const { text: said } of answers) assert.ok(!said.includes(token) && !said.includes(text));
  const logged = service.logged.join('\n');
  assert.ok(!logged.includes(token) && !logged.includes(text));
});

/** Records the calls of the people's store. */
function watchPeople(calls: string[]): Disposable {
  const { people } = service.store as { people: object };
  const watched = new Proxy(people, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return method.apply(target, args);
      };
    },
  });
  const store = service.store as { people: object };
  store.people = watched;
  return {
    [Symbol.dispose]() {
      store.people = people;
    },
  };
}
