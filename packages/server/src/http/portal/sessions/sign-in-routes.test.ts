import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lastToken, PortalBrowser, sentLink } from '../../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' } as const;
const LIMITED = { status: 429, code: 'RATE_LIMITED' } as const;
const INVALID = { status: 400, code: 'INVALID_PARAMETERS' } as const;
const MINUTE_MS = 60_000;
const NS = 0.000_001;

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;
const newEmail = () => {
  people += 1;
  return `person${people}@example.com`;
};

const linkFor = (email = newEmail()) => sentLink(service, email);

test('signing in takes an e-mail address and nothing else, and sends a link [PORTAL-01]', async () => {
  const browser = new PortalBrowser(service);
  const email = newEmail();
  const { status, body, headers } = await browser.askForLink(email);
  assert.deepEqual({ status, body }, { status: 202, body: {} });
  assert.equal(headers['set-cookie'], undefined);
  const mail = service.mails.at(-1)!;
  assert.equal(mail.to, email);
  assert.match(mail.text, new RegExp(`^${ORIGIN}/sign-in#svc_link_[0-9A-Za-z]{33}$`, 'm'));
  const { status: begun, body: session } = await browser.useLink(lastToken(service));
  assert.deepEqual({ begun, session }, { begun: 200, session: { email, isNew: true } });
  const withPassword = { email, password: 'secret' };
  const refused = await browser.post('/v1/portal/sign-in', withPassword);
  assert.equal(checkProblem(refused, DOCS_URL, INVALID).errors![0]!.path, '/password');
});

test('the first sign-in makes the account, later ones open the same', async () => {
  const { browser, email, token } = await linkFor();
  assert.equal((await browser.look(token)).body.account, null);
  assert.equal((await browser.useLink(token)).body.isNew, true);
  const first = (await browser.get<{ id: string; name: string }>('/v1/portal/account')).body;
  assert.equal((await browser.askForLink(email.toUpperCase())).status, 202);
  const again = lastToken(service);
  assert.equal((await browser.look(again)).body.account, first.name);
  assert.equal((await browser.useLink(again)).body.isNew, false);
  const { id } = (await browser.get<{ id: string }>('/v1/portal/account')).body;
  assert.equal(id, first.id);
});

test('a link works until 15 minutes are over, and then is 401 [PORTAL-02, ERR-30]', async () => {
  const early = await linkFor();
  service.clock.advance(15 * MINUTE_MS - NS);
  assert.equal((await early.browser.look(early.token)).status, 200);
  assert.equal((await early.browser.useLink(early.token)).status, 200);
  const late = await linkFor();
  service.clock.advance(15 * MINUTE_MS);
  checkProblem(await late.browser.look(late.token), DOCS_URL, UNAUTHORIZED);
  const refused = await late.browser.useLink(late.token);
  checkProblem(refused, DOCS_URL, UNAUTHORIZED);
  assert.equal(refused.headers['set-cookie'], undefined);
});

test('a link works once, also for two who use it at once [PORTAL-03, ERR-30, SEC-05]', async () => {
  const { browser, token } = await linkFor();
  const others = Array.from({ length: 7 }, () => new PortalBrowser(service));
  const answers = await Promise.all([browser, ...others].map((it) => it.useLink(token)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const refused of answers.filter(({ status }) => status !== 200)) {
    checkProblem(refused, DOCS_URL, UNAUTHORIZED);
  }
  assert.equal([browser, ...others].filter(({ cookie }) => cookie !== null).length, 1);
  checkProblem(await browser.look(token), DOCS_URL, UNAUTHORIZED);
});

test('after a rejection the old link stays refused and a new one works [PORTAL-04]', async () => {
  const { browser, email, token } = await linkFor();
  service.clock.advance(16 * MINUTE_MS);
  checkProblem(await browser.useLink(token), DOCS_URL, UNAUTHORIZED);
  assert.equal((await browser.askForLink(email)).status, 202);
  const fresh = lastToken(service);
  checkProblem(await browser.useLink(token), DOCS_URL, UNAUTHORIZED);
  assert.equal((await browser.useLink(fresh)).status, 200);
  checkProblem(await browser.useLink(token), DOCS_URL, UNAUTHORIZED);
});

test('five links an hour go to one address, whoever asks; another is unaffected [PORTAL-05, ERR-12, ERR-27, SEC-11]', async () => {
  const email = newEmail();
  await new PortalBrowser(service).signIn(email);
  service.clock.advance(60 * MINUTE_MS);
  for (const mailbox of [newEmail(), email]) {
    for (let links = 0; links < 5; links += 1) {
      assert.equal((await new PortalBrowser(service).askForLink(mailbox)).status, 202);
      service.clock.advance(MINUTE_MS);
    }
    const mails = service.mails.length;
    const refused = await new PortalBrowser(service).askForLink(mailbox.toUpperCase());
    checkProblem(refused, DOCS_URL, LIMITED);
    assert.equal(service.mails.length, mails, 'nothing was sent');
    assert.equal((await new PortalBrowser(service).askForLink(newEmail())).status, 202);
    const seconds = Number(refused.headers['retry-after']);
    assert.equal(seconds, (60 - 5) * 60);
    service.clock.advance((seconds - 1) * 1_000);
    checkProblem(await new PortalBrowser(service).askForLink(mailbox), DOCS_URL, LIMITED);
    service.clock.advance(1_000);
    assert.equal((await new PortalBrowser(service).askForLink(mailbox)).status, 202);
  }
});

test('what changes something comes from our own pages only, signing in too [SEC-12]', async () => {
  const { browser, token } = await linkFor();
  const foreign = [
    'https://evil.example',
    'null',
    `${ORIGIN}.evil.example`,
    'http://portal.example',
  ];
  const ways = [
    ['POST', '/v1/portal/sign-in', { email: newEmail() }],
    ['POST', '/v1/portal/sign-in/look', { token }],
    ['POST', '/v1/portal/session', { token }],
    ['POST', '/v1/portal/claim', { token, email: newEmail() }],
  ] as const;
  for (const [method, path, body] of ways) {
    for (const origin of foreign) {
      const answer = await browser.request(method, path, body, { headers: { origin } });
      checkProblem(answer, DOCS_URL, FORBIDDEN);
    }
    const { address } = browser;
    const headers = { 'sec-fetch-site': 'same-origin' };
    checkProblem(
      await service.request(method, path, { body, address, headers }),
      DOCS_URL,
      FORBIDDEN,
    );
    checkProblem(await service.request(method, path, { body, address }), DOCS_URL, FORBIDDEN);
  }
  assert.equal((await browser.useLink(token)).status, 200);
});
