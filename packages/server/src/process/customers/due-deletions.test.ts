import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortalBrowser } from '../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import { DueDeletions } from './due-deletions.ts';

const DAY_MS = 86_400_000;

interface Started {
  readonly order: { readonly id: string };
}

/** An owner with a running subscription who asked for deletion 14 days ago. */
async function leaving(service: RestService) {
  const browser = new PortalBrowser(service);
  const email = 'Subscriber@example.com';
  await browser.signIn(email);
  const checkout = () =>
    browser.post<Started>('/v1/portal/checkout', {
      offer: 'live',
      country: 'DE',
      waiver: { accepted: true, version: service.billing.offers.waiver.version },
    });
  const ordered = await checkout();
  assert.equal(ordered.status, 201, ordered.text);
  const ref = `test_${ordered.body.order.id}`;
  const paid = service.provider.pay(ref, service.clock.now(), 30);
  const { headers, body } = paid;
  await service.post('/v1/webhooks/test', { headers, body: Buffer.from(body) });
  await service.payments.idle();
  const { id, plan } = (await browser.get<{ id: string; plan: string }>('/v1/portal/account')).body;
  assert.equal(plan, 'live');
  await browser.askForDeletion();
  checkProblem(await checkout(), DOCS_URL, { status: 409, code: 'CONFLICT' });
  return { browser, email, id, ref, orderId: ordered.body.order.id };
}

test('an account with a running subscription is deleted after it ended at the provider, and what stays names nobody', async () => {
  await using service = await RestService.start();
  const { browser, email, id, ref, orderId } = await leaving(service);
  const faults: unknown[] = [];
  const { store, clock, mails, billing } = service;
  clock.advance(14 * DAY_MS);
  await using deletions = new DueDeletions({
    inTurn: (work) => work(),
    store,
    clock,
    beforeDeletion: (accountId) => billing.beforeDeletion(accountId),
    onFault: (error) => faults.push(error),
  });
  service.provider.trouble = 'down';
  await deletions.look();
  assert.equal(faults.length, 1);
  assert.ok(await store.people.ownerOf(id), 'it stays while the provider cannot be asked');
  assert.equal((await browser.get('/v1/portal/account')).status, 200);
  service.provider.trouble = 'none';
  // The timer looks again by itself.
  clock.advance(60_000);
  await deletions.look();
  assert.equal(faults.length, 1);
  assert.equal(service.provider.object(ref).state, 'ended');
  assert.equal(await store.people.ownerOf(id), null);
  await service.deliverMails();
  assert.equal(mails.at(-1)!.to, email);
  const [consent] = await store.orders.consentsOf(id);
  assert.deepEqual([consent?.accountId, consent?.orderId], [id, orderId]);
  const kept = [
    await store.findAccount(id),
    await store.orders.ordersOf(id),
    await store.orders.consentsOf(id),
    await store.audit({ accountId: id, limit: 100 }),
  ];
  const text = JSON.stringify(kept, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  assert.ok(!/subscriber/i.test(text) && text.includes('account.deleted'));
  // Later reports of the provider must not restore anything usable.
  const late = service.provider.pay(ref, clock.now(), 30);
  const { headers, body } = late;
  await service.post('/v1/webhooks/test', { headers, body: Buffer.from(body) });
  await service.payments.idle();
  const left = (await store.findAccount(id))!;
  assert.notEqual(left.suspendedAt, null);
  assert.deepEqual(left.grants, []);
  assert.equal(service.provider.object(ref).state, 'ended', 'nothing more is charged');
});

test('two looks at once are one', async () => {
  await using service = await RestService.start();
  const { store, clock } = service;
  const browser = new PortalBrowser(service);
  await browser.signIn('once@example.com');
  await browser.askForDeletion();
  clock.advance(14 * DAY_MS);
  const asked: string[] = [];
  await using deletions = new DueDeletions({
    inTurn: (work) => work(),
    store,
    clock,
    beforeDeletion: async (accountId) => {
      asked.push(accountId);
    },
    onFault: assert.ifError,
  });
  await Promise.all([deletions.look(), deletions.look()]);
  assert.equal(asked.length, 1);
});
