import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PortalBrowser } from '../../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../../testing/rest/rest-service.ts';
import type { Receipt } from '../../../billing/payment-provider.ts';

const CONFLICT = { status: 409, code: 'CONFLICT' } as const;
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' } as const;
const UPSTREAM = { status: 502, code: 'UPSTREAM_ERROR' } as const;

interface Order {
  readonly id: string;
  readonly state: string;
  readonly withdrawn: { readonly state: string } | null;
}
type Listed = Readonly<Record<keyof Receipt, unknown>>;

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;

class Buyer {
  readonly browser: PortalBrowser;
  readonly id: string;

  private constructor(browser: PortalBrowser, id: string) {
    this.browser = browser;
    this.id = id;
  }

  static async ordered(): Promise<Buyer> {
    people += 1;
    const browser = new PortalBrowser(service);
    await browser.signIn(`receipts${people}@example.com`);
    const started = await browser.post<{ order: Order }>('/v1/portal/checkout', {
      offer: 'live',
      country: 'DE',
      waiver: { accepted: true, version: service.billing.offers.waiver.version },
    });
    assert.equal(started.status, 201, started.text);
    return new Buyer(browser, started.body.order.id);
  }

  static async paid(): Promise<Buyer> {
    const buyer = await Buyer.ordered();
    await buyer.pay();
    return buyer;
  }

  async pay(): Promise<void> {
    const { headers, body } = service.provider.pay(this.ref, service.clock.now(), 30);
    await service.post('/v1/webhooks/test', { headers, body: Buffer.from(body) });
    await service.payments.idle();
  }

  get ref(): string {
    return `test_${this.id}`;
  }

  path(what: string): string {
    return `/v1/portal/orders/${this.id}/${what}`;
  }

  post<Body>(what: string, body: object = {}) {
    return this.browser.post<Body>(this.path(what), body);
  }

  receipts() {
    return this.browser.get<{ receipts: Listed[] }>(this.path('receipts'));
  }

  async suspend(): Promise<void> {
    const order = await service.store.orders.findOrder(null, this.id);
    const call = { now: service.clock.now(), actor: { kind: 'operator' } } as const;
    await service.store.setSuspended(call, order!.accountId, true);
  }
}

test('receipts of an order are listed as its provider says, and nothing of one that was never paid', async () => {
  const ada = await Buyer.ordered();
  assert.deepEqual((await ada.receipts()).body, { receipts: [] });
  await ada.pay();
  const charge: Receipt = {
    id: 'in_1',
    at: service.clock.now(),
    totalMinor: 7_900,
    taxMinor: 1_261,
    refundedMinor: 100,
    currency: 'EUR',
    state: 'paid',
    url: 'https://pay.example/in_1.pdf',
  };
  const failed: Receipt = { ...charge, id: 'in_0', taxMinor: null, state: 'failed', url: null };
  service.provider.receiptsOf.set(ada.ref, [charge, failed]);
  const { status, body } = await ada.receipts();
  assert.equal(status, 200);
  const at = service.clock.now().toString();
  assert.deepEqual(body.receipts, [
    { ...charge, at },
    { ...failed, at },
  ]);
});

test('the page for the card leads to the provider; where there is none, that is said', async () => {
  const ada = await Buyer.paid();
  const none = checkProblem(await ada.post('provider-portal'), DOCS_URL, CONFLICT);
  assert.match(none.detail, /has no such page/);
  service.provider.portal = 'https://pay.example/portal/1';
  const opened = await ada.post('provider-portal');
  assert.deepEqual([opened.status, opened.body], [200, { url: 'https://pay.example/portal/1' }]);
  const unpaid = await Buyer.ordered();
  checkProblem(await unpaid.post('provider-portal'), DOCS_URL, CONFLICT);
  service.provider.portal = null;
});

test('an unpaid order is given up once and for all; one that is paid, or waits for the bank, is not', async () => {
  const ada = await Buyer.ordered();
  const dropped = await ada.post<Order>('drop');
  assert.deepEqual([dropped.status, dropped.body.state], [200, 'failed']);
  assert.equal(service.provider.object(ada.ref).state, 'failed', 'nobody can pay it any more');
  assert.deepEqual((await ada.post<Order>('drop')).body, dropped.body);
  const bob = await Buyer.paid();
  const paid = checkProblem(await bob.post('drop'), DOCS_URL, CONFLICT);
  assert.match(paid.detail, /is paid/);
  const eve = await Buyer.ordered();
  service.provider.ignoresCancels = true;
  const confirming = checkProblem(await eve.post('drop'), DOCS_URL, CONFLICT);
  service.provider.ignoresCancels = false;
  assert.match(confirming.detail, /waiting for the bank.*withdraw/i);
  const withdrawn = await eve.post<{ order: Order }>('withdrawal', { confirm: true });
  assert.equal(withdrawn.status, 200, 'as it says');
});

test('what somebody paid while it was given up is told as paid', async () => {
  const ada = await Buyer.ordered();
  service.provider.pay(ada.ref, service.clock.now(), 30);
  const late = checkProblem(await ada.post('drop'), DOCS_URL, CONFLICT);
  assert.match(late.detail, /is paid/);
  const { body } = await ada.browser.get<Order>(`/v1/portal/orders/${ada.id}`);
  assert.equal(body.state, 'paid');
});

test('orders of others are unknown, whatever is wanted of them, and so are orders that are none', async () => {
  const ada = await Buyer.ordered();
  const bob = await Buyer.paid();
  for (const path of [ada.path(''), '/v1/portal/orders/ord_none/']) {
    checkProblem(await bob.browser.get(`${path}receipts`), DOCS_URL, NOT_FOUND);
    for (const what of ['provider-portal', 'drop']) {
      checkProblem(await bob.browser.post(`${path}${what}`, {}), DOCS_URL, NOT_FOUND);
    }
    const withdrawal = { confirm: true };
    checkProblem(await bob.browser.post(`${path}withdrawal`, withdrawal), DOCS_URL, NOT_FOUND);
  }
  assert.equal(service.provider.object(ada.ref).state, 'open', 'and nothing became of it');
});

test('what changes something is refused without the origin of the portal, or a session [SEC-12]', async () => {
  const ada = await Buyer.paid();
  const { cookie } = ada.browser;
  for (const what of ['provider-portal', 'drop', 'withdrawal']) {
    const body = what === 'withdrawal' ? { confirm: true } : {};
    for (const origin of [{}, { origin: 'https://evil.example' }]) {
      const headers = { cookie: cookie!, ...origin };
      const forged = await service.post(ada.path(what), { headers, body });
      assert.equal(forged.status, 403, what);
    }
    const signedOut = await new PortalBrowser(service).post(ada.path(what), body);
    assert.equal(signedOut.status, 401, what);
  }
  assert.equal((await new PortalBrowser(service).get(ada.path('receipts'))).status, 401);
  const { body } = await ada.browser.get<Order>(`/v1/portal/orders/${ada.id}`);
  assert.deepEqual([body.state, body.withdrawn], ['paid', null]);
});

test('who is suspended still sees receipts, changes the card, gives up and withdraws', async () => {
  const ada = await Buyer.paid();
  const bob = await Buyer.ordered();
  await ada.suspend();
  await bob.suspend();
  service.provider.portal = 'https://pay.example/portal/2';
  assert.equal((await ada.receipts()).status, 200);
  assert.equal((await ada.post('provider-portal')).status, 200);
  assert.equal((await bob.post('drop')).status, 200);
  assert.equal((await ada.post('withdrawal', { confirm: true })).status, 200);
  service.provider.portal = null;
});

test('a provider that is down gets 502 and changes nothing; a withdrawal is recorded all the same [ERR-36]', async () => {
  const ada = await Buyer.paid();
  const bob = await Buyer.ordered();
  service.provider.trouble = 'down';
  try {
    checkProblem(await ada.receipts(), DOCS_URL, UPSTREAM);
    checkProblem(await ada.post('provider-portal'), DOCS_URL, UPSTREAM);
    checkProblem(await bob.post('drop'), DOCS_URL, UPSTREAM);
    const { status, body } = await ada.post<{ order: Order }>('withdrawal', { confirm: true });
    assert.deepEqual([status, body.order.withdrawn?.state], [200, 'open']);
    await service.billing.withdrawals.idle();
  } finally {
    service.provider.trouble = 'none';
  }
  assert.equal((await ada.receipts()).status, 200, 'a failure is not remembered');
  const { body } = await bob.browser.get<Order>(`/v1/portal/orders/${bob.id}`);
  assert.equal(body.state, 'open');
});
