import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PortalBrowser } from '../../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';
import { DueDeletions } from '../../../process/customers/due-deletions.ts';
import { newLink } from '../sessions/link-token.ts';

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' } as const;
const CONFLICT = { status: 409, code: 'CONFLICT' } as const;
const INVALID = { status: 400, code: 'INVALID_PARAMETERS' } as const;
const LIMITED = { status: 429, code: 'RATE_LIMITED' } as const;
const DAY_MS = 86_400_000;
const NS = 0.000_001;

interface Account {
  readonly id: string;
  readonly email: string;
  readonly deletion: { readonly askedAt: string; readonly dueAt: string } | null;
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;
const newEmail = () => `owner${++people}@example.com`;
async function signedIn(email = newEmail()) {
  const browser = new PortalBrowser(service);
  await browser.signIn(email);
  const { id } = (await browser.get<Account>('/v1/portal/account')).body;
  return { browser, email, id };
}
const emailOf = async (browser: PortalBrowser) =>
  (await browser.get<Account>('/v1/portal/account')).body.email;
const confirm = (browser: PortalBrowser, token: string) =>
  browser.post<{ email: string }>('/v1/portal/email/confirm', { token });
const approve = (browser: PortalBrowser, token: string) =>
  browser.post<{ email: string }>('/v1/portal/email/approve', { token });
const confirmDeletion = (browser: PortalBrowser, token: string) =>
  browser.post<{ dueAt: string }>('/v1/portal/deletion/confirm', { token });
/** The token in the newest mail to an address. */
function tokenTo(email: string): string {
  const mail = service.mails.findLast(({ to }) => to === email)!;
  return /#(\S+)/.exec(mail.text)![1]!;
}

test('a session alone changes no address: first the old one approves it, then the new one confirms it, and both are told', async () => {
  const { browser, email, id } = await signedIn();
  const wanted = newEmail();
  const asked = await browser.post('/v1/portal/email', { email: wanted });
  assert.deepEqual({ status: asked.status, body: asked.body }, { status: 202, body: {} });
  const request = service.mails.at(-1)!;
  assert.equal(request.to, email, 'nothing is sent to the new address');
  assert.ok(request.text.includes(wanted));
  const approval = tokenTo(email);
  const look = await browser.post<object>('/v1/portal/sign-in/look', { token: approval });
  const looked = { email: 'o…@example.com', account: id, needsPasskey: false, expiresAt: '' };
  const expected = { purpose: 'email-approval', newEmail: wanted, ...looked };
  assert.deepEqual({ ...look.body, expiresAt: '' }, expected);
  // It neither signs in nor changes the address by itself.
  checkProblem(await browser.useLink(approval), DOCS_URL, UNAUTHORIZED);
  checkProblem(await confirm(browser, approval), DOCS_URL, UNAUTHORIZED);
  const approved = await approve(browser, approval);
  assert.deepEqual([approved.status, approved.body], [202, { email: wanted }]);
  checkProblem(await approve(browser, approval), DOCS_URL, UNAUTHORIZED);
  const token = tokenTo(wanted);
  assert.equal(await emailOf(browser), email);
  const looksNew = await browser.post<object>('/v1/portal/sign-in/look', { token });
  const change = { purpose: 'email-change', newEmail: null, ...looked };
  assert.deepEqual({ ...looksNew.body, expiresAt: '' }, change);
  checkProblem(await approve(browser, token), DOCS_URL, UNAUTHORIZED);
  const confirmed = await confirm(browser, token);
  assert.deepEqual(confirmed.body, { email: wanted });
  assert.equal(await emailOf(browser), wanted);
  checkProblem(await confirm(browser, token), DOCS_URL, UNAUTHORIZED);
  await service.deliverMails();
  const told = service.mails.slice(-2);
  assert.deepEqual(told.map(({ to }) => to).toSorted(), [email, wanted].toSorted());
  assert.ok(told.find(({ to }) => to === email)!.text.includes(wanted));
  assert.ok(!told.find(({ to }) => to === wanted)!.text.includes(email));
  // The old address owns no account now; the new one opens the same account.
  const again = new PortalBrowser(service);
  await again.signIn(wanted);
  assert.equal((await again.get<Account>('/v1/portal/account')).body.id, id);
  const stranger = new PortalBrowser(service);
  await stranger.signIn(email);
  assert.notEqual((await stranger.get<Account>('/v1/portal/account')).body.id, id);
});

test('whoever has stolen a session and reads another mailbox gets neither the account nor its deletion', async () => {
  const { browser, email, id } = await signedIn();
  const thief = new PortalBrowser(service);
  thief.cookie = browser.cookie;
  const mailbox = newEmail();
  await thief.post('/v1/portal/email', { email: mailbox });
  await thief.post('/v1/portal/deletion');
  const readable = () => service.mails.filter(({ to }) => to === mailbox);
  assert.deepEqual(readable(), []);
  // A link of the thief's own account does not help.
  const { browser: own } = await signedIn(mailbox);
  await own.post('/v1/portal/email', { email: newEmail() });
  checkProblem(await approve(thief, tokenTo(mailbox)), DOCS_URL, UNAUTHORIZED);
  await own.post('/v1/portal/deletion');
  checkProblem(await confirmDeletion(thief, tokenTo(mailbox)), DOCS_URL, UNAUTHORIZED);
  assert.equal(await service.store.people.deletionOf(id), null);
  assert.equal((await service.store.people.ownerOf(id))?.email, email);
  // The owner ends the thief's session, with or without having one.
  const back = new PortalBrowser(service);
  await back.signIn(email);
  assert.equal((await back.delete('/v1/portal/sessions')).status, 200);
  checkProblem(await thief.get('/v1/portal/account'), DOCS_URL, UNAUTHORIZED);
});

test('an approval that was sent to an address which the account no longer has is worth nothing', async () => {
  const { browser, email } = await signedIn();
  const [first, second] = [newEmail(), newEmail()];
  await browser.post('/v1/portal/email', { email: second });
  const old = tokenTo(email);
  await browser.post('/v1/portal/deletion');
  const oldDeletion = tokenTo(email);
  assert.equal((await confirm(browser, await browser.askForEmail(first))).status, 200);
  checkProblem(await approve(browser, old), DOCS_URL, UNAUTHORIZED);
  checkProblem(await confirmDeletion(browser, oldDeletion), DOCS_URL, UNAUTHORIZED);
  assert.equal(await emailOf(browser), first);
});

test('the link of another account changes nothing, nor does one that is late', async () => {
  const { browser, email } = await signedIn();
  const { browser: other } = await signedIn();
  const wanted = newEmail();
  const token = await browser.askForEmail(wanted);
  checkProblem(await confirm(other, token), DOCS_URL, UNAUTHORIZED);
  service.clock.advance(15 * 60_000 - NS);
  assert.equal((await confirm(browser, token)).status, 200);
  const later = newEmail();
  const late = await browser.askForEmail(later);
  service.clock.advance(15 * 60_000);
  checkProblem(await confirm(browser, late), DOCS_URL, UNAUTHORIZED);
  await browser.post('/v1/portal/email', { email: later });
  service.clock.advance(15 * 60_000);
  checkProblem(await approve(browser, tokenTo(wanted)), DOCS_URL, UNAUTHORIZED);
  assert.equal(await emailOf(browser), wanted);
  assert.notEqual(email, wanted);
});

test('an address that owns an account is asked for like any other, and refused to who can read it', async () => {
  const { browser, email } = await signedIn();
  const { browser: other, email: taken } = await signedIn();
  const token = await browser.askForEmail(taken);
  checkProblem(await confirm(browser, token), DOCS_URL, CONFLICT);
  assert.equal(await emailOf(browser), email);
  assert.equal(await emailOf(other), taken);
  const own = await browser.post('/v1/portal/email', { email: email.toUpperCase() });
  assert.equal(checkProblem(own, DOCS_URL, INVALID).errors![0]!.path, '/email');
});

test('an account made by its operator is claimed by a link, once, and owned by who can read the mail', async () => {
  const id = await service.account('live');
  const name = (await service.store.findAccount(id))!.name;
  const { link, token } = await claimLink(id);
  assert.ok(link.startsWith(`${ORIGIN}/sign-in#`));
  const browser = new PortalBrowser(service);
  const look = await browser.post<object>('/v1/portal/sign-in/look', { token });
  assert.deepEqual(
    { ...look.body, expiresAt: '' },
    {
      purpose: 'claim',
      email: null,
      newEmail: null,
      account: name,
      needsPasskey: false,
      expiresAt: '',
    },
  );
  checkProblem(await browser.useLink(token), DOCS_URL, UNAUTHORIZED);
  const email = newEmail();
  const broken = await browser.post('/v1/portal/claim', { token, email: 'no address' });
  assert.equal(checkProblem(broken, DOCS_URL, INVALID).errors![0]!.path, '/email');
  const claimed = await browser.post('/v1/portal/claim', { token, email });
  assert.deepEqual({ status: claimed.status, body: claimed.body }, { status: 202, body: {} });
  checkProblem(await browser.post('/v1/portal/claim', { token, email }), DOCS_URL, UNAUTHORIZED);
  assert.equal(await service.store.people.ownerOf(id), null, 'until the mail is read');
  const { body } = await browser.useLink(tokenTo(email));
  assert.deepEqual(body, { email, isNew: false });
  assert.equal((await browser.get<Account>('/v1/portal/account')).body.id, id);
  const { body: account } = await browser.get<{ plan: string }>('/v1/portal/account');
  assert.equal(account.plan, 'live');
  // It has expired, even with a second claim that was made before.
  const kinds = (await service.store.audit({ accountId: id, limit: 10 })).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['account.created', 'account.owned', 'session.begun']);
});

test('of two who claim an account the first to read the mail owns it', async () => {
  const id = await service.account();
  const [first, second] = [await claimLink(id), await claimLink(id)];
  const [one, two] = [newEmail(), newEmail()];
  const browser = new PortalBrowser(service);
  await browser.post('/v1/portal/claim', { token: first.token, email: one });
  await browser.post('/v1/portal/claim', { token: second.token, email: two });
  assert.equal((await browser.useLink(tokenTo(one))).status, 200);
  checkProblem(await new PortalBrowser(service).useLink(tokenTo(two)), DOCS_URL, CONFLICT);
  const third = await claimLink(id);
  const late = await browser.post('/v1/portal/claim', { token: third.token, email: newEmail() });
  checkProblem(late, DOCS_URL, CONFLICT);
  // An owner of an account cannot own another one by the same address.
  const fourth = await claimLink(await service.account());
  await browser.post('/v1/portal/claim', { token: fourth.token, email: one });
  checkProblem(await new PortalBrowser(service).useLink(tokenTo(one)), DOCS_URL, CONFLICT);
});

test('another owner by the operator ends the sessions of the one before', async () => {
  const { browser, id } = await signedIn();
  const call = { now: service.clock.now(), actor: { kind: 'operator' } } as const;
  const email = newEmail();
  const set = await service.store.people.setOwner(call, id, { email, key: email });
  assert.ok(!('refused' in set));
  checkProblem(await browser.get('/v1/portal/account'), DOCS_URL, UNAUTHORIZED);
  const { id: other } = await signedIn();
  const taken = await service.store.people.setOwner(call, other, { email, key: email });
  assert.deepEqual(taken, { refused: 'email-taken' });
});

test('the export has everything that is kept of an account, and no secret', async () => {
  const { browser, email, id } = await signedIn();
  const { secret, record } = await service.key(id);
  await service.get('/v1/usage', { key: secret });
  await service.meter.flush();
  const answer = await browser.get<Record<string, unknown>>('/v1/portal/export');
  assert.equal(answer.status, 200);
  assert.match(
    answer.headers['content-disposition']!,
    /^attachment; filename="tapeloom-acc_[0-9a-f]+-\d{4}-\d\d-\d\d\.json"$/,
  );
  assert.equal(answer.headers['cache-control'], 'no-store');
  const { body } = answer;
  assert.deepEqual(Object.keys(body), [
    'exportedAt',
    'account',
    'owner',
    'deletion',
    'marks',
    'keys',
    'usage',
    'sessions',
    'passkeys',
    'recovery',
    'orders',
    'consents',
    'withdrawals',
    'audit',
    'isAuditWhole',
    'layouts',
  ]);
  assert.equal((body.owner as { email: string }).email, email);
  assert.deepEqual(
    (body.keys as { id: string }[]).map((key) => key.id),
    [record.id],
  );
  assert.equal((body.usage as unknown[]).length, 1);
  assert.equal((body.sessions as unknown[]).length, 1);
  assert.deepEqual(
    (body.audit as { kind: string }[]).map(({ kind }) => kind),
    ['account.created', 'account.owned', 'session.begun', 'key.created'],
  );
  assert.ok(!answer.text.includes(secret) && !/[0-9a-f]{64}/.test(answer.text));
  const head = await browser.request('HEAD', '/v1/portal/export');
  assert.deepEqual([head.status, head.text], [200, '']);
  let refused = answer as { status: number };
  for (let tries = 0; tries < 6; tries += 1) refused = await browser.get('/v1/portal/export');
  checkProblem(refused as never, DOCS_URL, LIMITED);
});

test('a deletion is done after 14 days, and until then it can be withdrawn', async () => {
  const { browser, email, id } = await signedIn();
  const link = await browser.post('/v1/portal/deletion', {});
  assert.deepEqual([link.status, link.body], [202, {}]);
  assert.equal(await service.store.people.deletionOf(id), null, 'not before it is confirmed');
  const token = tokenTo(email);
  checkProblem(await browser.useLink(token), DOCS_URL, UNAUTHORIZED);
  const { browser: other } = await signedIn();
  checkProblem(await confirmDeletion(other, token), DOCS_URL, UNAUTHORIZED);
  const asked = await confirmDeletion(browser, token);
  checkProblem(await confirmDeletion(browser, token), DOCS_URL, UNAUTHORIZED);
  const dueAt = `${service.clock.now() + 14n * 86_400_000_000_000n}`;
  assert.deepEqual(asked.body, { dueAt });
  await service.deliverMails();
  assert.equal(service.mails.at(-1)!.to, email);
  const mails = service.mails.length;
  service.clock.advance(DAY_MS);
  assert.deepEqual((await browser.askForDeletion()).body, { dueAt });
  await service.deliverMails();
  assert.equal(service.mails.length, mails + 1, 'a link, and no second notice');
  const shown = (await browser.get<Account>('/v1/portal/account')).body.deletion;
  assert.equal(shown?.dueAt, dueAt);
  service.clock.advance(13 * DAY_MS - NS);
  assert.deepEqual(await service.store.people.deletionsDue(service.clock.now()), []);
  assert.deepEqual((await browser.delete('/v1/portal/deletion')).body, {});
  assert.equal((await browser.get<Account>('/v1/portal/account')).body.deletion, null);
  assert.deepEqual((await browser.delete('/v1/portal/deletion')).body, {});
  await using deletions = deleting();
  service.clock.advance(30 * DAY_MS);
  await deletions.look();
  assert.ok(await service.store.people.ownerOf(id));
});

test('a deleted account keeps its id and nothing of a person; its keys and sessions end', async () => {
  const { browser, email, id } = await signedIn();
  const { secret } = await service.key(id);
  await browser.askForDeletion();
  service.clock.advance(14 * DAY_MS - NS);
  const second = new PortalBrowser(service);
  await second.signIn(email);
  await second.askForLink(email);
  await second.post('/v1/portal/email', { email: newEmail() });
  await using deletions = deleting();
  await deletions.look();
  assert.equal((await second.get('/v1/portal/account')).status, 200);
  service.clock.advance(NS);
  checkProblem(await second.delete('/v1/portal/deletion'), DOCS_URL, CONFLICT);
  await deletions.look();
  await service.deliverMails();
  const told = service.mails.at(-1)!;
  assert.equal(told.to, email);
  checkProblem(await second.get('/v1/portal/account'), DOCS_URL, UNAUTHORIZED);
  checkProblem(await service.get('/v1/usage', { key: secret }), DOCS_URL, UNAUTHORIZED);
  assert.equal(await service.store.people.ownerOf(id), null);
  const kinds = (await service.store.audit({ accountId: id, limit: 50 })).map(({ kind }) => kind);
  assert.deepEqual(kinds.slice(-4), [
    'key.revoked',
    'session.ended',
    'session.ended',
    'account.deleted',
  ]);
  const account = await service.store.findAccount(id);
  assert.ok(account !== null && account.suspendedAt !== null && account.name === id);
  const mails = service.mails.length;
  await deletions.look();
  await service.deliverMails();
  assert.equal(service.mails.length, mails);
  // An owner who comes back gets a new account.
  const fresh = await signedIn(email);
  assert.notEqual(fresh.id, id);
});

test('an account stays until what it pays for is ended', async () => {
  const { browser, id } = await signedIn();
  await browser.askForDeletion();
  service.clock.advance(14 * DAY_MS);
  const faults: unknown[] = [];
  let isDown = true;
  const ended: string[] = [];
  await using deletions = deleting(
    async (accountId) => {
      if (isDown) throw new Error('the provider is down');
      ended.push(accountId);
    },
    (_error, accountId) => faults.push(accountId),
  );
  await deletions.look();
  assert.deepEqual(faults, [id]);
  assert.ok(await service.store.people.ownerOf(id));
  isDown = false;
  service.clock.advance(60_000);
  await deletions.look();
  assert.deepEqual(ended, [id]);
  assert.equal(await service.store.people.ownerOf(id), null);
});

function deleting(
  beforeDeletion: (accountId: string) => Promise<void> = async () => {},
  onFault: (error: unknown, accountId: string | null) => void = assert.ifError,
): DueDeletions {
  const { store, clock } = service;
  return new DueDeletions({
    inTurn: (work) => work(),
    store,
    clock,
    beforeDeletion,
    onFault,
  });
}

/** Like the operator's command. */
async function claimLink(accountId: string): Promise<{ link: string; token: string }> {
  const { hash, link } = newLink(ORIGIN);
  const claim = { purpose: 'claim', address: null, accountId, askedFrom: null } as const;
  const made = await service.store.people.addLink(service.clock.now(), hash, claim);
  assert.ok(!('refused' in made));
  return { link, token: link.split('#')[1]! };
}

test("mails about a month's budget are on, and their owner switches them off and on", async () => {
  const { browser, id } = await signedIn();
  const chosen = async () =>
    (await browser.get<{ mails: { usage: boolean } }>('/v1/portal/account')).body.mails;
  assert.deepEqual(await chosen(), { usage: true });
  const off = await browser.post('/v1/portal/mails', { usage: false });
  assert.deepEqual({ status: off.status, body: off.body }, { status: 200, body: { usage: false } });
  assert.deepEqual(await chosen(), { usage: false });
  assert.equal((await service.store.people.ownerOf(id))?.usageMails, false);
  await browser.post('/v1/portal/mails', { usage: true });
  assert.deepEqual(await chosen(), { usage: true });
  const wrong = await browser.post('/v1/portal/mails', { usage: 'no' });
  checkProblem(wrong, DOCS_URL, INVALID);
});
