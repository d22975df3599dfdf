import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PortalBrowser } from '../../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../../testing/rest/rest-service.ts';

const CONFLICT = { status: 409, code: 'CONFLICT' } as const;
const INVALID = { status: 400, code: 'INVALID_PARAMETERS' } as const;
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' } as const;
const DAY_MS = 86_400_000;

interface Order {
  readonly id: string;
  readonly state: string;
  readonly withdrawal: { readonly until: string; readonly amountMinor: number } | null;
  readonly withdrawn: { readonly at: string; readonly state: string } | null;
}
interface Answer {
  readonly order: Order;
  readonly statement: string;
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;

async function buyer(offer: string) {
  people += 1;
  const browser = new PortalBrowser(service);
  const email = `withdrawer${people}@example.com`;
  await browser.signIn(email);
  const started = await browser.post<{ order: Order }>('/v1/portal/checkout', {
    offer,
    country: 'DE',
    waiver: { accepted: true, version: service.billing.offers.waiver.version },
  });
  assert.equal(started.status, 201, started.text);
  const { id } = started.body.order;
  const { headers, body } = service.provider.pay(`test_${id}`, service.clock.now(), 30);
  await service.post('/v1/webhooks/test', { headers, body: Buffer.from(body) });
  await service.payments.idle();
  const path = `/v1/portal/orders/${id}/withdrawal`;
  return {
    browser,
    email,
    id,
    path,
    withdraw: (more: object = {}) => browser.post<Answer>(path, { confirm: true, ...more }),
  };
}

test('an order says until when it may be withdrawn from and what comes back, and then that it was', async () => {
  const ada = await buyer('live');
  service.clock.advance(3 * DAY_MS);
  const shown = await ada.browser.get<Answer>(ada.path);
  assert.equal(shown.status, 200, shown.text);
  assert.equal(shown.body.order.withdrawal?.amountMinor, 7_110);
  assert.ok(BigInt(shown.body.order.withdrawal.until) > service.clock.now());
  assert.ok(shown.body.statement.startsWith('I withdraw from my contract for Live.'));
  assert.ok(shown.body.statement.includes(ada.email));
  await service.deliverMails();
  const before = service.mails.length;
  const done = await ada.withdraw({ name: 'Ada Lovelace' });
  assert.equal(done.status, 200, done.text);
  assert.ok(done.body.statement.includes('Name: Ada Lovelace'));
  assert.equal(done.body.order.withdrawn?.at, String(service.clock.now()));
  assert.equal(done.body.order.withdrawal, null);
  await service.billing.withdrawals.idle();
  await service.deliverMails();
  const [mail] = service.mails.slice(before);
  assert.equal(mail?.to, ada.email);
  assert.ok(mail.text.includes('What you declared'));
  const { body } = await ada.browser.get<{ orders: Order[] }>('/v1/portal/orders');
  assert.deepEqual([body.orders[0]?.state, body.orders[0]?.withdrawn?.state], ['ended', 'done']);
  const again = await ada.withdraw({ name: 'Somebody else' });
  assert.equal(again.body.statement, done.body.statement, 'it stays as it was');
  const account = await ada.browser.get<{ plan: string }>('/v1/portal/account');
  assert.equal(account.body.plan, 'sandbox');
  const exported = await ada.browser.get<{ withdrawals: object[] }>('/v1/portal/export');
  assert.equal(exported.body.withdrawals.length, 1);
  assert.ok(exported.text.includes('Name: Ada Lovelace'), 'what is kept is theirs to have');
});

test('nobody withdraws by accident, from what is not theirs, or without the right', async () => {
  const ada = await buyer('live');
  const bob = await buyer('history');
  const wrong = checkProblem(await ada.withdraw({ confirm: false }), DOCS_URL, INVALID);
  assert.equal(wrong.errors?.[0]?.path, '/confirm');
  const missing = await ada.browser.post(ada.path, {});
  checkProblem(missing, DOCS_URL, INVALID);
  const hidden = checkProblem(await ada.withdraw({ name: 'a\u202eb' }), DOCS_URL, INVALID);
  assert.equal(hidden.errors?.[0]?.path, '/name');
  checkProblem(await bob.browser.post(ada.path, { confirm: true }), DOCS_URL, NOT_FOUND);
  checkProblem(await bob.browser.get(ada.path), DOCS_URL, NOT_FOUND);
  const lost = checkProblem(await bob.withdraw(), DOCS_URL, CONFLICT);
  assert.match(lost.detail, /ended when access was provided/);
  service.clock.advance(18 * DAY_MS);
  const late = checkProblem(await ada.withdraw(), DOCS_URL, CONFLICT);
  assert.match(late.detail, /has passed/);
  const { body } = await ada.browser.get<{ orders: Order[] }>('/v1/portal/orders');
  assert.equal(body.orders[0]?.withdrawn, null);
  const consented = await new PortalBrowser(service).post(ada.path, { confirm: true });
  assert.equal(consented.status, 401);
});

test('an account that is suspended keeps the right of withdrawal', async () => {
  const ada = await buyer('live');
  const order = await service.store.orders.findOrder(null, ada.id);
  const call = { now: service.clock.now(), actor: { kind: 'operator' } } as const;
  await service.store.setSuspended(call, order!.accountId, true);
  const done = await ada.withdraw();
  assert.equal(done.status, 200, done.text);
});
