import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lastToken, PortalBrowser } from '../../../../testing/portal/portal-browser.ts';
import { SoftwarePasskey } from '../../../../testing/portal/software-passkey.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const CONFLICT = { status: 409, code: 'CONFLICT' } as const;
const LIMITED = { status: 429, code: 'RATE_LIMITED' } as const;
const HOUR_MS = 3_600_000;

type NewOptions = Parameters<SoftwarePasskey['create']>[0];
type Options = Parameters<SoftwarePasskey['sign']>[0];
interface List {
  readonly passkeys: readonly object[];
  readonly secondFactor: boolean;
  readonly recovery: { readonly askedAt: string; readonly dueAt: string } | null;
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;
const listOf = async (browser: PortalBrowser) =>
  (await browser.get<List>('/v1/portal/passkeys')).body;
const begin = (browser: PortalBrowser, token: string) =>
  browser.post<{ dueAt: string }>('/v1/portal/recovery', { token });
const sweep = () => service.store.sweep(service.clock.now());

/** An owner with a passkey, which a link needs beside it. */
async function withSecondFactor() {
  const email = `recovery${++people}@example.com`;
  const browser = new PortalBrowser(service);
  await browser.signIn(email);
  const passkey = new SoftwarePasskey(ORIGIN);
  const { body } = await browser.post<NewOptions>('/v1/portal/passkeys/new', {});
  const credential = passkey.create(body);
  await browser.post('/v1/portal/passkeys', { name: 'lost', credential });
  const act = 'second-factor';
  const asked = await browser.post<Options>('/v1/portal/passkeys/confirm', { act });
  const headers = { 'x-passkey': JSON.stringify(passkey.sign(asked.body)) };
  const on = await browser.post('/v1/portal/passkeys/second-factor', { isOn: true }, { headers });
  assert.equal(on.status, 200, on.text);
  await service.deliverMails();
  return { browser, email, passkey };
}

async function linkTo(email: string): Promise<string> {
  assert.equal((await new PortalBrowser(service).askForLink(email)).status, 202);
  return lastToken(service);
}

/** The token in the mail about a recovery. */
async function stopToken(email: string): Promise<string> {
  await service.deliverMails();
  const mail = service.mails.findLast(
    ({ to, subject }) => to === email && /will be removed/.test(subject),
  )!;
  return /#(\S+)/.exec(mail.text)![1]!;
}

test('lost passkeys are removed 24 hours after a mailed link asked for it, and not before', async () => {
  const { browser, email } = await withSecondFactor();
  const visitor = new PortalBrowser(service);
  const token = await linkTo(email);
  const begun = await begin(visitor, token);
  assert.equal(begun.status, 200, begun.text);
  assert.equal(BigInt(begun.body.dueAt), service.clock.now() + 86_400_000_000_000n);
  assert.equal((await listOf(browser)).recovery?.dueAt, begun.body.dueAt);
  const { body: account } = await browser.get<Pick<List, 'recovery'>>('/v1/portal/account');
  assert.equal(account.recovery?.dueAt, begun.body.dueAt, 'every page can say so');
  checkProblem(await visitor.useLink(token), DOCS_URL, UNAUTHORIZED);
  service.clock.advance(24 * HOUR_MS - 1);
  await sweep();
  const still = await listOf(browser);
  assert.deepEqual([still.passkeys.length, still.secondFactor], [1, true]);
  service.clock.advance(1);
  await sweep();
  const gone = await listOf(browser);
  assert.deepEqual(gone.passkeys, []);
  assert.deepEqual([gone.secondFactor, gone.recovery], [false, null]);
  await service.deliverMails();
  const told = service.mails.findLast(({ to }) => to === email)!;
  assert.equal(told.subject, 'The passkeys of your Tapeloom account are removed');
  await visitor.signIn(email);
});

test('the mail about it has a link that stops it without a sign-in, for the whole time, once', async () => {
  const { browser, email } = await withSecondFactor();
  await begin(new PortalBrowser(service), await linkTo(email));
  const token = await stopToken(email);
  const visitor = new PortalBrowser(service);
  const look = await visitor.look(token);
  assert.equal(look.body.purpose, 'recovery-stop');
  checkProblem(await visitor.useLink(token), DOCS_URL, UNAUTHORIZED);
  checkProblem(await begin(visitor, token), DOCS_URL, UNAUTHORIZED);
  service.clock.advance(24 * HOUR_MS - 1);
  // Links of an hour ago are forgotten; this one is not.
  await sweep();
  const stopped = await visitor.post('/v1/portal/recovery/stop', { token });
  assert.deepEqual([stopped.status, stopped.body], [200, { email }]);
  checkProblem(await visitor.post('/v1/portal/recovery/stop', { token }), DOCS_URL, UNAUTHORIZED);
  service.clock.advance(2 * HOUR_MS);
  await sweep();
  const kept = await listOf(browser);
  assert.deepEqual([kept.passkeys.length, kept.secondFactor, kept.recovery], [1, true, null]);
  await service.deliverMails();
  assert.equal(service.mails.at(-1)!.subject, 'Your passkeys at Tapeloom stay');
});

test('the address that the account had then can stop it, also when the account has another one by now', async () => {
  const { browser, email, passkey } = await withSecondFactor();
  await begin(new PortalBrowser(service), await linkTo(email));
  const token = await stopToken(email);
  const act = 'email';
  const asked = await browser.post<Options>('/v1/portal/passkeys/confirm', { act });
  const headers = { 'x-passkey': JSON.stringify(passkey.sign(asked.body)) };
  const wanted = `new.${email}`;
  await browser.post('/v1/portal/email', { email: wanted }, { headers });
  await browser.post('/v1/portal/email/approve', { token: lastToken(service) });
  await browser.post('/v1/portal/email/confirm', { token: lastToken(service) });
  const stopped = await new PortalBrowser(service).post('/v1/portal/recovery/stop', { token });
  assert.equal(stopped.status, 200, stopped.text);
  assert.equal((await listOf(browser)).recovery, null);
});

test('who is signed in asks for a link first: a session alone removes no passkey; and can stop it', async () => {
  const { browser, email } = await withSecondFactor();
  const asked = await browser.post('/v1/portal/recovery/link');
  assert.equal(asked.status, 202, asked.text);
  assert.equal(service.mails.at(-1)!.to, email);
  assert.equal((await listOf(browser)).recovery, null);
  const token = lastToken(service);
  assert.equal((await browser.look(token)).body.purpose, 'recovery');
  assert.equal((await begin(browser, token)).status, 200);
  const before = (await listOf(browser)).recovery!;
  service.clock.advance(HOUR_MS);
  // A second request keeps the time of the first, and sends no mail.
  await service.deliverMails();
  const { length } = service.mails;
  assert.equal((await begin(browser, await linkTo(email))).body.dueAt, before.dueAt);
  await service.deliverMails();
  assert.equal(service.mails.length, length + 1);
  assert.equal((await browser.delete('/v1/portal/recovery')).status, 200);
  assert.equal((await listOf(browser)).recovery, null);
  const kinds = (await service.store.audit({ accountId: await idOf(browser), limit: 50 })).map(
    ({ kind }) => kind,
  );
  assert.deepEqual(kinds.slice(-2), ['passkey.recovery-asked', 'passkey.recovery-stopped']);
});

async function idOf(browser: PortalBrowser): Promise<string> {
  return (await browser.get<{ id: string }>('/v1/portal/account')).body.id;
}

test('an account without passkeys has nothing to recover, and one is asked for five times a day at most', async () => {
  const browser = new PortalBrowser(service);
  await browser.signIn('nopasskeys@example.com');
  checkProblem(await browser.post('/v1/portal/recovery/link'), DOCS_URL, CONFLICT);
  const token = await linkTo('nopasskeys@example.com');
  checkProblem(await begin(browser, token), DOCS_URL, UNAUTHORIZED);
  assert.equal((await browser.useLink(token)).status, 200);
  const { browser: owner, email } = await withSecondFactor();
  for (let time = 0; time < 5; time += 1) {
    assert.equal((await begin(owner, await linkTo(email))).status, 200);
    await owner.delete('/v1/portal/recovery');
    service.clock.advance(HOUR_MS);
  }
  checkProblem(await begin(owner, await linkTo(email)), DOCS_URL, LIMITED);
});

test('another owner by the word of the operator has none of the passkeys, nor has a deleted account', async () => {
  const { browser, email, passkey } = await withSecondFactor();
  const accountId = await idOf(browser);
  await begin(new PortalBrowser(service), await linkTo(email));
  const call = { now: service.clock.now(), actor: { kind: 'operator' } } as const;
  const address = { email: `next.${email}`, key: `next.${email}` };
  await service.store.people.setOwner(call, accountId, address);
  assert.deepEqual(await service.store.passkeys.passkeysOf(accountId), []);
  assert.equal(await service.store.passkeys.recoveryOf(accountId), null);
  const next = new PortalBrowser(service);
  await next.signIn(address.email);
  const { body } = await next.post<Options>('/v1/portal/sign-in/passkey');
  const refused = await next.post('/v1/portal/session/passkey', { passkey: passkey.sign(body) });
  checkProblem(refused, DOCS_URL, UNAUTHORIZED);

  const { browser: leaving } = await withSecondFactor();
  const left = await idOf(leaving);
  await service.store.people.askDeletion(call, left, null, true);
  await service.store.people.deleteAccount(call, left);
  assert.deepEqual(await service.store.passkeys.passkeysOf(left), []);
});
