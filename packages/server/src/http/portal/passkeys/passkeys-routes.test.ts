import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lastToken, PortalBrowser } from '../../../../testing/portal/portal-browser.ts';
import { SoftwarePasskey } from '../../../../testing/portal/software-passkey.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' } as const;
const CONFLICT = { status: 409, code: 'CONFLICT' } as const;
const FULL = { status: 409, code: 'QUOTA_EXCEEDED' } as const;
const MINUTE_MS = 60_000;

interface Options {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowCredentials: readonly { readonly id: string }[];
}
interface NewOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly excludeCredentials: readonly { readonly id: string }[];
}
interface List {
  readonly passkeys: readonly {
    readonly id: string;
    readonly name: string;
    readonly lastUsedAt: string | null;
  }[];
  readonly secondFactor: boolean;
  readonly recovery: { readonly dueAt: string } | null;
  readonly mayAdd: boolean;
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;
const newEmail = () => `passkeys${++people}@example.com`;
const listOf = async (browser: PortalBrowser) =>
  (await browser.get<List>('/v1/portal/passkeys')).body;
const emailOf = async (browser: PortalBrowser) =>
  (await browser.get<{ email: string }>('/v1/portal/account')).body.email;

async function signedIn(email = newEmail()) {
  const browser = new PortalBrowser(service);
  await browser.signIn(email);
  const { id } = (await browser.get<{ id: string }>('/v1/portal/account')).body;
  return { browser, email, id };
}

/** The passkey's signature for an act, as its header. */
async function confirmed(browser: PortalBrowser, passkey: SoftwarePasskey, act: string) {
  const asked = await browser.post<Options>('/v1/portal/passkeys/confirm', { act });
  assert.equal(asked.status, 200, asked.text);
  return { headers: { 'x-passkey': JSON.stringify(passkey.sign(asked.body)) } };
}

async function add(browser: PortalBrowser, name = 'laptop', by: SoftwarePasskey | null = null) {
  const passkey = new SoftwarePasskey(ORIGIN);
  const more = by === null ? {} : await confirmed(browser, by, 'add-passkey');
  const begun = await browser.post<NewOptions>('/v1/portal/passkeys/new', {}, more);
  assert.equal(begun.status, 200, begun.text);
  const credential = passkey.create(begun.body);
  const added = await browser.post<{ id: string }>('/v1/portal/passkeys', { name, credential });
  assert.equal(added.status, 201, added.text);
  return { passkey, id: added.body.id, options: begun.body, credential };
}

async function signInBy(passkey: SoftwarePasskey, browser = new PortalBrowser(service)) {
  const { body } = await browser.post<Options>('/v1/portal/sign-in/passkey');
  const answer = await browser.post<{ email: string }>('/v1/portal/session/passkey', {
    passkey: passkey.sign(body),
  });
  return { browser, answer, options: body };
}

async function withPasskey() {
  const owner = await signedIn();
  return { ...owner, ...(await add(owner.browser)), accountId: owner.id };
}

test('a passkey is added with a name, told by mail and in the log, and signs in by itself', async () => {
  const { browser, email, id: accountId } = await signedIn();
  const { passkey, options } = await add(browser, 'My laptop');
  assert.deepEqual(options.rp.id, new URL(ORIGIN).hostname);
  assert.deepEqual(options.excludeCredentials, []);
  const [listed] = (await listOf(browser)).passkeys;
  assert.deepEqual([listed?.name, listed?.lastUsedAt], ['My laptop', null]);
  await service.deliverMails();
  const mail = service.mails.at(-1)!;
  assert.deepEqual(
    [mail.to, mail.subject],
    [email, 'A passkey was added to your Tapeloom account'],
  );
  assert.ok(mail.text.includes('My laptop'));
  const { browser: other, answer, options: asked } = await signInBy(passkey);
  assert.deepEqual([answer.status, answer.body], [200, { email }], answer.text);
  assert.deepEqual(asked.allowCredentials, [], 'nobody says first who they are');
  assert.equal(await emailOf(other), email);
  assert.notEqual((await listOf(browser)).passkeys[0]!.lastUsedAt, null);
  const kinds = (await service.store.audit({ accountId, limit: 20 })).map(({ kind }) => kind);
  assert.deepEqual(kinds.slice(-2), ['passkey.added', 'session.begun']);
});

test('a challenge works once, for its purpose, in its session and for 5 minutes', async () => {
  const { browser, passkey, email } = await withPasskey();
  const { answer, options } = await signInBy(passkey);
  assert.equal(answer.status, 200);
  const again = await browser.post('/v1/portal/session/passkey', {
    passkey: passkey.sign(options),
  });
  checkProblem(again, DOCS_URL, UNAUTHORIZED);
  // A signature for an act signs in no session, and one for a sign-in confirms no act.
  const act = await browser.post<Options>('/v1/portal/passkeys/confirm', { act: 'email' });
  const wrong = await browser.post('/v1/portal/session/passkey', {
    passkey: passkey.sign(act.body),
  });
  checkProblem(wrong, DOCS_URL, UNAUTHORIZED);
  const asked = { email: newEmail() };
  const { body } = await browser.post<Options>('/v1/portal/sign-in/passkey');
  const more = { headers: { 'x-passkey': JSON.stringify(passkey.sign(body)) } };
  checkProblem(await browser.post('/v1/portal/email', asked, more), DOCS_URL, FORBIDDEN);
  const key = await confirmed(browser, passkey, 'key');
  checkProblem(await browser.post('/v1/portal/email', asked, key), DOCS_URL, FORBIDDEN);
  // Another session of the same owner has its own.
  const elsewhere = new PortalBrowser(service);
  await elsewhere.signIn(email);
  const own = await confirmed(elsewhere, passkey, 'email');
  checkProblem(await browser.post('/v1/portal/email', asked, own), DOCS_URL, FORBIDDEN);
  const late = await confirmed(browser, passkey, 'email');
  service.clock.advance(5 * MINUTE_MS);
  checkProblem(await browser.post('/v1/portal/email', asked, late), DOCS_URL, FORBIDDEN);
  const good = await confirmed(browser, passkey, 'email');
  assert.equal((await browser.post('/v1/portal/email', asked, good)).status, 202);
  checkProblem(await browser.post('/v1/portal/email', asked, good), DOCS_URL, FORBIDDEN);
});

test('a passkey of another site, of an unverified user, in a frame or with a counter that went back is refused', async () => {
  const { passkey } = await withPasskey();
  const refused = async () =>
    checkProblem((await signInBy(passkey)).answer, DOCS_URL, UNAUTHORIZED);
  passkey.origin = 'https://portal.example.evil';
  await refused();
  passkey.origin = ORIGIN;
  passkey.isVerified = false;
  await refused();
  passkey.isVerified = true;
  passkey.crossOrigin = true;
  await refused();
  passkey.crossOrigin = false;
  const before = passkey.counter!;
  assert.equal((await signInBy(passkey)).answer.status, 200);
  passkey.counter = before;
  await refused();
  passkey.counter = null;
  await refused();
  passkey.counter = before + 1;
  assert.equal((await signInBy(passkey)).answer.status, 200);
});

test('a passkey that never counts is taken, and one that nobody added is not', async () => {
  const { browser } = await signedIn();
  const passkey = new SoftwarePasskey(ORIGIN);
  passkey.counter = null;
  const { body } = await browser.post<NewOptions>('/v1/portal/passkeys/new', {});
  const credential = passkey.create(body);
  const added = await browser.post('/v1/portal/passkeys', { name: 'phone', credential });
  assert.equal(added.status, 201, added.text);
  for (let time = 0; time < 2; time += 1) {
    assert.equal((await signInBy(passkey)).answer.status, 200);
  }
  const stranger = new SoftwarePasskey(ORIGIN);
  checkProblem((await signInBy(stranger)).answer, DOCS_URL, UNAUTHORIZED);
});

test('failed passkeys count at the address they come from, until no more is looked at', async () => {
  const stranger = new SoftwarePasskey(ORIGIN);
  const browser = new PortalBrowser(service);
  let status = 401;
  for (let time = 0; time < 60 && status === 401; time += 1) {
    status = (await signInBy(stranger, browser)).answer.status;
  }
  assert.equal(status, 429);
});

test('the first passkey needs a sign-in of the last 15 minutes, the next one needs a passkey', async () => {
  const { browser, email } = await signedIn();
  service.clock.advance(15 * MINUTE_MS);
  assert.equal((await listOf(browser)).mayAdd, false);
  checkProblem(await browser.post('/v1/portal/passkeys/new', {}), DOCS_URL, FORBIDDEN);
  await browser.signIn(email);
  assert.equal((await listOf(browser)).mayAdd, true);
  const { passkey } = await add(browser);
  const asked = checkProblem(
    await browser.post('/v1/portal/passkeys/new', {}),
    DOCS_URL,
    FORBIDDEN,
  );
  assert.equal(asked.needsPasskey, true);
  service.clock.advance(60 * MINUTE_MS);
  const second = await add(browser, 'phone', passkey);
  assert.equal(second.options.excludeCredentials.length, 1);
  const names = (await listOf(browser)).passkeys.map(({ name }) => name);
  assert.deepEqual(names, ['laptop', 'phone']);
});

test('a new passkey is refused for a wrong challenge, origin, session or name, and a known one for good', async () => {
  const { browser } = await signedIn();
  const begin = async () => (await browser.post<NewOptions>('/v1/portal/passkeys/new', {})).body;
  const send = (credential: object, name = 'x') =>
    browser.post('/v1/portal/passkeys', { name, credential });
  const options = await begin();
  const foreign = new SoftwarePasskey('https://elsewhere.example');
  checkProblem(await send(foreign.create(options)), DOCS_URL, CONFLICT);
  const passkey = new SoftwarePasskey(ORIGIN);
  checkProblem(await send(passkey.create(options)), DOCS_URL, CONFLICT);
  const { browser: thief } = await signedIn();
  const stolen = passkey.create(await begin());
  const taken = await thief.post('/v1/portal/passkeys', { name: 'x', credential: stolen });
  checkProblem(taken, DOCS_URL, CONFLICT);
  const good = passkey.create(await begin());
  const invalid = { status: 400, code: 'INVALID_PARAMETERS' } as const;
  checkProblem(await send(good, ' '), DOCS_URL, invalid);
  assert.equal((await send(good)).status, 201);
  const { body } = await thief.post<NewOptions>('/v1/portal/passkeys/new', {});
  const again = await thief.post('/v1/portal/passkeys', {
    name: 'x',
    credential: passkey.create(body),
  });
  checkProblem(again, DOCS_URL, CONFLICT);
});

test('an account has ten passkeys at most', async () => {
  const { browser, passkey } = await withPasskey();
  for (let count = 1; count < 10; count += 1) await add(browser, `key ${count}`, passkey);
  const more = await confirmed(browser, passkey, 'add-passkey');
  checkProblem(await browser.post('/v1/portal/passkeys/new', {}, more), DOCS_URL, FULL);
});

test('with a passkey, a key, a rotation, another address and the deletion ask for it; without one, nothing changes', async () => {
  const NEW_KEY = { name: 'app', environment: 'live', scopes: ['stream'] };
  const { browser } = await signedIn();
  const first = await browser.post<{ id: string }>('/v1/portal/keys', NEW_KEY);
  assert.equal(first.status, 201, first.text);
  const { passkey } = await add(browser);
  const acts = [
    ['key', '/v1/portal/keys', NEW_KEY, 201],
    ['key', `/v1/portal/keys/${first.body.id}/rotate`, { gracePeriodSeconds: 0 }, 201],
    ['email', '/v1/portal/email', { email: newEmail() }, 202],
    ['deletion', '/v1/portal/deletion', {}, 202],
  ] as const;
  for (const [act, path, body, status] of acts) {
    const refused = checkProblem(await browser.post(path, body), DOCS_URL, FORBIDDEN);
    assert.equal(refused.needsPasskey, true, path);
    const done = await browser.post(path, body, await confirmed(browser, passkey, act));
    assert.equal(done.status, status, done.text);
  }
  // A passkey of another owner confirms nothing, nor does an invalid one.
  const { passkey: foreign } = await withPasskey();
  const wrong = await confirmed(browser, foreign, 'key');
  checkProblem(await browser.post('/v1/portal/keys', NEW_KEY, wrong), DOCS_URL, FORBIDDEN);
  for (const header of ['', 'x', '{}', '[]', '{"id":1}']) {
    const answer = await browser.post('/v1/portal/keys', NEW_KEY, {
      headers: { 'x-passkey': header },
    });
    assert.equal(answer.status, 400, header);
  }
});

test('links that were sent before the first passkey no longer change the address or delete the account', async () => {
  const { browser, email, id } = await signedIn();
  await browser.post('/v1/portal/email', { email: newEmail() });
  const approval = lastToken(service);
  await browser.post('/v1/portal/deletion');
  const deletion = lastToken(service);
  await add(browser);
  const approved = await browser.post('/v1/portal/email/approve', { token: approval });
  checkProblem(approved, DOCS_URL, UNAUTHORIZED);
  const deleted = await browser.post('/v1/portal/deletion/confirm', { token: deletion });
  checkProblem(deleted, DOCS_URL, UNAUTHORIZED);
  assert.equal(await emailOf(browser), email);
  assert.equal(await service.store.people.deletionOf(id), null);
});

test('removing a passkey asks for one, and is told by mail; it signs nobody in any more', async () => {
  const { browser, passkey, id, email } = await withPasskey();
  const { browser: other } = await withPasskey();
  const path = `/v1/portal/passkeys/${id}`;
  checkProblem(await browser.delete(path), DOCS_URL, FORBIDDEN);
  const foreign = await other.delete(path);
  checkProblem(foreign, DOCS_URL, { status: 404, code: 'NOT_FOUND' });
  const removed = await browser.delete(path, await confirmed(browser, passkey, 'remove-passkey'));
  assert.equal(removed.status, 200, removed.text);
  await service.deliverMails();
  const told = service.mails.findLast(({ to }) => to === email)!;
  assert.equal(told.subject, 'A passkey was removed from your Tapeloom account');
  checkProblem((await signInBy(passkey)).answer, DOCS_URL, UNAUTHORIZED);
  const none = await browser.post('/v1/portal/passkeys/confirm', { act: 'key' });
  checkProblem(none, DOCS_URL, CONFLICT);
});

test('with the second factor a link signs in with a passkey of its account only, and stays good until then', async () => {
  const { browser, passkey, email, id } = await withPasskey();
  const path = '/v1/portal/passkeys/second-factor';
  checkProblem(await browser.post(path, { isOn: true }), DOCS_URL, FORBIDDEN);
  const on = await confirmed(browser, passkey, 'second-factor');
  assert.deepEqual((await browser.post(path, { isOn: true }, on)).body, { isOn: true });
  assert.equal((await listOf(browser)).secondFactor, true);
  const visitor = new PortalBrowser(service);
  await visitor.askForLink(email);
  const token = lastToken(service);
  const look = await visitor.post<{ needsPasskey: boolean }>('/v1/portal/sign-in/look', { token });
  assert.equal(look.body.needsPasskey, true);
  const alone = checkProblem(await visitor.useLink(token), DOCS_URL, FORBIDDEN);
  assert.equal(alone.needsPasskey, true);
  const { passkey: foreign } = await withPasskey();
  const use = async (by: SoftwarePasskey) => {
    const { body } = await visitor.post<Options>('/v1/portal/sign-in/passkey');
    return visitor.post<{ email: string }>('/v1/portal/session', { token, passkey: by.sign(body) });
  };
  checkProblem(await use(foreign), DOCS_URL, UNAUTHORIZED);
  assert.equal(visitor.cookie, null);
  const both = await use(passkey);
  assert.equal(both.status, 200, both.text);
  assert.equal(await emailOf(visitor), email);
  checkProblem(await use(passkey), DOCS_URL, UNAUTHORIZED);
  // Without a passkey the second factor is impossible.
  const more = await confirmed(browser, passkey, 'remove-passkey');
  assert.equal((await browser.delete(`/v1/portal/passkeys/${id}`, more)).status, 200);
  assert.equal((await listOf(browser)).secondFactor, false);
  await new PortalBrowser(service).signIn(email);
  checkProblem(await browser.post(path, { isOn: true }), DOCS_URL, CONFLICT);
});

test('at an IP address there are no passkeys; on this machine they are made for localhost', async () => {
  await using plain = await RestService.start({ origin: 'http://192.0.2.7:8080' });
  const refused = await new PortalBrowser(plain).post('/v1/portal/sign-in/passkey');
  checkProblem(refused, DOCS_URL, CONFLICT);
  await using local = await RestService.start({ origin: 'http://127.0.0.1:8080' });
  const asked = await new PortalBrowser(local).post<Options>('/v1/portal/sign-in/passkey');
  assert.equal(asked.body.rpId, 'localhost');
});

test('one neighbourhood has a hundred challenges open at most, and gets the next one when the oldest is over', async () => {
  const browser = new PortalBrowser(service);
  const ask = async () => (await browser.post('/v1/portal/sign-in/passkey')).status;
  const statuses = new Set<number>();
  for (let count = 0; count < 100; count += 1) {
    statuses.add(await ask());
    // Slower than the limit of an address per minute.
    service.clock.advance(1_000);
  }
  assert.deepEqual([...statuses], [200]);
  assert.equal(await ask(), 429);
  service.clock.advance(4 * MINUTE_MS);
  assert.equal(await ask(), 200);
});
