import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { PortalBrowser } from '../../../../testing/portal/portal-browser.ts';
import { checkProblem } from '../../../../testing/rest/problem-check.ts';
import { DOCS_URL, ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';
import { waiverOf } from '../../../billing/offer-book.ts';
import type { Pricing } from '../../../billing/offers.ts';
import { DEFAULT_PRICING } from '../../../billing/offers-default.ts';

const WAIVER = { status: 400, code: 'WITHDRAWAL_WAIVER_REQUIRED' } as const;
const CONFLICT = { status: 409, code: 'CONFLICT' } as const;
const INVALID = { status: 400, code: 'INVALID_PARAMETERS' } as const;
const UPSTREAM = { status: 502, code: 'UPSTREAM_ERROR' } as const;
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' } as const;
const DAY_MS = 86_400_000;

interface Order {
  readonly id: string;
  readonly state: string;
  readonly interval: string | null;
  readonly paidUntil: string | null;
  readonly endsAt: string | null;
}
interface Started {
  readonly url: string;
  readonly order: Order;
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let people = 0;

function waiverOfLive() {
  const { offers } = service.billing;
  return waiverOf(offers, offers.prices.find(({ offer }) => offer === 'live')!);
}

class Buyer {
  readonly browser = new PortalBrowser(service);
  readonly email: string;

  constructor() {
    people += 1;
    this.email = `buyer${people}@example.com`;
  }

  static async signedIn(): Promise<Buyer> {
    const buyer = new Buyer();
    await buyer.browser.signIn(buyer.email);
    return buyer;
  }

  checkout(wish: Readonly<Record<string, unknown>> = {}) {
    return this.browser.post<Started>('/v1/portal/checkout', {
      offer: 'live',
      country: 'DE',
      waiver: { accepted: true, version: service.billing.offers.waiver.version },
      ...wish,
    });
  }

  async plan(): Promise<string> {
    return (await this.browser.get<{ plan: string }>('/v1/portal/account')).body.plan;
  }

  async order(id: string): Promise<Order> {
    return (await this.browser.get<Order>(`/v1/portal/orders/${id}`)).body;
  }

  /** Buys and pays; the provider's webhook comes by the public route. */
  async buy(wish?: Readonly<Record<string, unknown>>): Promise<string> {
    const { status, text, body } = await this.checkout(wish);
    assert.equal(status, 201, text);
    await deliver(service.provider.pay(`test_${body.order.id}`, service.clock.now(), 30));
    return body.order.id;
  }
}

async function deliver({
  headers,
  body,
}: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}) {
  const answer = await service.post('/v1/webhooks/test', { headers, body: Buffer.from(body) });
  await service.payments.idle();
  return answer;
}

test('the sandbox is used without any order: a key is made and works [BILL-01]', async () => {
  const buyer = await Buyer.signedIn();
  const wanted = { name: 'first', environment: 'live', scopes: ['stream', 'history'] };
  const made = await buyer.browser.post<{ key: string }>('/v1/portal/keys', wanted);
  assert.equal(made.status, 201, made.text);
  const usage = await service.get<{ plan: string }>('/v1/usage', { key: made.body.key });
  assert.deepEqual([usage.status, usage.body.plan], [200, 'sandbox']);
  const { body } = await buyer.browser.get<{ orders: Order[] }>('/v1/portal/orders');
  assert.deepEqual(body.orders, []);
});

test('checkout shows a monthly charge for live and a single one for history, and leads to the provider [BILL-02, BILL-03]', async () => {
  const buyer = await Buyer.signedIn();
  const live = await buyer.checkout();
  assert.equal(live.status, 201, live.text);
  assert.equal(live.body.url, `https://pay.example/test_${live.body.order.id}`);
  assert.equal(live.body.order.state, 'open');
  assert.equal(live.body.order.interval, 'month');
  assert.equal((await buyer.checkout({ offer: 'history' })).body.order.interval, null);
  const start = service.provider.started.at(-2)!;
  assert.equal(start.returnUrl, `${ORIGIN}/orders?order=${live.body.order.id}`);
  assert.equal(start.email, buyer.email);
  const listed = await buyer.browser.get<{ orders: Order[] }>('/v1/portal/orders');
  assert.equal(listed.body.orders.length, 2);
  assert.equal(await buyer.plan(), 'sandbox');
});

test('rights come with the verified webhook, both offers together make live_history, and the order is confirmed by mail [BILL-04]', async () => {
  const buyer = await Buyer.signedIn();
  await service.deliverMails();
  service.mails.length = 0;
  const id = await buyer.buy();
  assert.equal(await buyer.plan(), 'live');
  assert.equal((await buyer.order(id)).state, 'paid');
  await service.deliverMails();
  const [mail] = service.mails;
  assert.equal(service.mails.length, 1);
  assert.equal(mail?.to, buyer.email);
  const { version, text } = waiverOfLive();
  assert.match(mail!.text, new RegExp(id));
  assert.ok(mail!.text.includes(`version ${version}`));
  const words = (value: string) => value.replace(/\s+/g, ' ');
  assert.ok(words(mail!.text).includes(words(text)), 'the whole text of the waiver');
  await deliver(service.provider.notify(`test_${id}`));
  await service.deliverMails();
  assert.equal(service.mails.length, 1, 'it is sent once');
  await buyer.buy({ offer: 'history' });
  assert.equal(await buyer.plan(), 'live_history');
});

test('who orders both is offered the other half once one is bought, until it is bought or declined', async () => {
  const half = async ({ browser }: Buyer) =>
    (await browser.get<{ otherHalf: string | null }>('/v1/portal/account')).body.otherHalf;
  const buyer = await Buyer.signedIn();
  const history = { offer: 'history', both: true };
  await buyer.checkout(history);
  assert.equal(service.provider.started.at(-1)!.backUrl, `${ORIGIN}/checkout?offer=both`);
  assert.equal(await half(buyer), null, 'nothing is bought yet');
  await buyer.buy(history);
  assert.equal(await half(buyer), 'live');
  await buyer.buy({ offer: 'live', both: true });
  assert.deepEqual([await half(buyer), await buyer.plan()], [null, 'live_history']);

  const other = await Buyer.signedIn();
  await other.buy({ offer: 'live', both: true });
  assert.equal(await half(other), 'history');
  assert.equal((await other.browser.delete('/v1/portal/other-half')).status, 200);
  assert.equal(await half(other), null);

  const apart = await Buyer.signedIn();
  await apart.buy(history);
  await apart.checkout({ offer: 'live' });
  assert.equal(await half(apart), 'live', 'an order for it alone is not paid yet');
  const live = await apart.buy({ offer: 'live' });
  assert.equal(await half(apart), null);
  await deliver(service.provider.change(`test_${live}`, { state: 'ended' }));
  assert.deepEqual([await half(apart), await apart.plan()], [null, 'history'], 'it was had');

  const single = await Buyer.signedIn();
  await single.buy({ offer: 'history' });
  assert.equal(await half(single), null, 'who chose one offer is asked for no other');
});

test('checkout without the waiver gets 400 [BILL-07, ERR-34]', async () => {
  const buyer = await Buyer.signedIn();
  const { version } = service.billing.offers.waiver;
  const waivers = [undefined, {}, { version }, { accepted: true }, { accepted: false, version }];
  for (const waiver of waivers) {
    checkProblem(await buyer.checkout({ waiver }), DOCS_URL, WAIVER);
  }
  const wrong = checkProblem(await buyer.checkout({ waiver: 'yes' }), DOCS_URL, INVALID);
  assert.equal(wrong.errors?.[0]?.path, '/waiver');
});

test('an older version of the waiver gets 400, the current one is accepted and recorded [BILL-08, ERR-34, SEC-30]', async () => {
  const buyer = await Buyer.signedIn();
  const older = { accepted: true, version: '2026-01' };
  checkProblem(await buyer.checkout({ waiver: older }), DOCS_URL, WAIVER);
  const { body } = await buyer.checkout();
  const consent = await service.store.orders.consentOf(body.order);
  const { version, text } = waiverOfLive();
  assert.equal(consent?.waiverVersion, version);
  assert.equal(consent?.textSha256, createHash('sha256').update(text).digest('hex'));
  assert.equal(consent?.address, buyer.browser.address);
  assert.equal(consent?.at, service.clock.now());
});

test('a price with a waiver of its own takes that version, and neither the common one nor an older own [BILL-07, BILL-08, ERR-34, SEC-30]', async () => {
  const own = { version: 'history-2', text: 'Of my own: I lose my right of withdrawal at once.' };
  const pricing: Pricing = {
    ...DEFAULT_PRICING,
    prices: DEFAULT_PRICING.prices.map(({ waiver: _, ...price }) =>
      price.offer === 'history' ? { ...price, waiver: own } : price,
    ),
  };
  await using special = await RestService.start({ pricing });
  const browser = new PortalBrowser(special);
  await browser.signIn('own-waiver@example.com');
  const { body: shown } = await special.get<{
    prices: { offer: string; waiver?: object }[];
    waiver: { version: string };
  }>('/v1/pricing');
  const shownFor = (offer: string) => shown.prices.find((one) => one.offer === offer)!.waiver;
  assert.deepEqual([shownFor('live'), shownFor('history')], [undefined, own]);
  const common = shown.waiver.version;
  const checkout = (offer: string, waiver: object | undefined) =>
    browser.post<Started>('/v1/portal/checkout', { offer, country: 'DE', waiver });
  const older = { accepted: true, version: 'history-1' };
  const refused = [undefined, {}, { accepted: false, version: own.version }, older];
  for (const waiver of [...refused, { accepted: true, version: common }]) {
    checkProblem(await checkout('history', waiver), DOCS_URL, WAIVER);
  }
  const ofOther = { accepted: true, version: own.version };
  checkProblem(await checkout('live', ofOther), DOCS_URL, WAIVER);
  const accepted = await checkout('history', ofOther);
  assert.equal(accepted.status, 201, accepted.text);
  const consent = await special.store.orders.consentOf(accepted.body.order);
  const textSha256 = createHash('sha256').update(own.text).digest('hex');
  assert.deepEqual([consent?.waiverVersion, consent?.textSha256], [own.version, textSha256]);
  assert.equal((await checkout('live', { accepted: true, version: common })).status, 201);
});

test('an offer that is held gets 409 [BILL-09, ERR-33]', async () => {
  const buyer = await Buyer.signedIn();
  const id = await buyer.buy();
  checkProblem(await buyer.checkout(), DOCS_URL, CONFLICT);
  await buyer.browser.post(`/v1/portal/orders/${id}/cancel`, {});
  checkProblem(await buyer.checkout(), DOCS_URL, CONFLICT);
});

test('a country of another provider gets 409 at the second checkout [BILL-10, ERR-33]', async () => {
  const buyer = await Buyer.signedIn();
  assert.equal((await buyer.checkout({ country: 'US' })).status, 201);
  const other = await buyer.checkout({ offer: 'history', country: 'DE' });
  checkProblem(other, DOCS_URL, CONFLICT);
  assert.equal((await buyer.checkout({ offer: 'history', country: 'US' })).status, 201);
});

test('what cannot be bought is told by its field', async () => {
  const buyer = await Buyer.signedIn();
  const faults = async (wish: Readonly<Record<string, unknown>>) =>
    checkProblem(await buyer.checkout(wish), DOCS_URL, INVALID).errors![0]!;
  assert.deepEqual((await faults({ offer: 'liv' })).path, '/offer');
  assert.match((await faults({ offer: 'liv' })).message, /live/);
  assert.equal((await faults({ country: 'KP' })).path, '/country');
  assert.equal((await faults({ country: 'de' })).path, '/country');
  assert.equal((await faults({ price: 1 })).path, '/price');
});

test('a provider that is down gets 502 and leaves nothing [ERR-36]', async () => {
  const buyer = await Buyer.signedIn();
  service.provider.trouble = 'down';
  checkProblem(await buyer.checkout(), DOCS_URL, UPSTREAM);
  service.provider.trouble = 'none';
  const { body } = await buyer.browser.get<{ orders: Order[] }>('/v1/portal/orders');
  assert.deepEqual(body.orders, []);
});

test('a subscription is cancelled to the end of its period, kept again, and ends', async () => {
  const buyer = await Buyer.signedIn();
  const id = await buyer.buy();
  const cancel = () => buyer.browser.post<Order>(`/v1/portal/orders/${id}/cancel`, {});
  const cancelled = (await cancel()).body;
  assert.equal(cancelled.state, 'cancelled');
  assert.equal(cancelled.endsAt, cancelled.paidUntil);
  const kept = await buyer.browser.post<Order>(`/v1/portal/orders/${id}/keep`, {});
  assert.deepEqual([kept.body.state, kept.body.endsAt], ['paid', null]);
  service.provider.trouble = 'down';
  checkProblem(await buyer.browser.post(`/v1/portal/orders/${id}/cancel`), DOCS_URL, UPSTREAM);
  service.provider.trouble = 'none';
  const stranger = await Buyer.signedIn();
  for (const path of [`${id}/cancel`, `${id}/keep`, 'ord_none/cancel']) {
    const refused = await stranger.browser.post(`/v1/portal/orders/${path}`, {});
    checkProblem(refused, DOCS_URL, NOT_FOUND);
  }
  checkProblem(await stranger.browser.get(`/v1/portal/orders/${id}`), DOCS_URL, NOT_FOUND);
  const once = await buyer.buy({ offer: 'history' });
  const refused = await buyer.browser.post(`/v1/portal/orders/${once}/cancel`, {});
  checkProblem(refused, DOCS_URL, CONFLICT);
});

test('a failed renewal is mailed once, and the order says when its rights end', async () => {
  const buyer = await Buyer.signedIn();
  const id = await buyer.buy();
  const { paidUntil } = await buyer.order(id);
  await service.deliverMails();
  service.mails.length = 0;
  await deliver(service.provider.change(`test_${id}`, { state: 'past_due' }));
  await deliver(service.provider.notify(`test_${id}`));
  await service.deliverMails();
  assert.deepEqual(
    service.mails.map(({ to, subject }) => [to, subject]),
    [[buyer.email, 'Your renewal was declined']],
  );
  const order = await buyer.order(id);
  assert.equal(order.state, 'past_due');
  assert.equal(BigInt(order.endsAt!) - BigInt(paidUntil!), BigInt(7 * DAY_MS) * 1_000_000n);
});

test('who has a new card after a failed renewal cancels and buys again, at once', async () => {
  const buyer = await Buyer.signedIn();
  const id = await buyer.buy();
  const ref = `test_${id}`;
  await deliver(
    service.provider.change(ref, { state: 'past_due', paidUntil: service.clock.now() }),
  );
  assert.equal(await buyer.plan(), 'live');
  const held = checkProblem(await buyer.checkout(), DOCS_URL, CONFLICT);
  assert.match(held.detail!, /renewal failed\. Cancel that order, then buy again/);
  const cancelled = await buyer.browser.post<Order>(`/v1/portal/orders/${id}/cancel`, {});
  assert.equal(cancelled.status, 200);
  assert.equal(await buyer.plan(), 'sandbox', 'nobody has paid for it');
  await buyer.buy();
  assert.equal(await buyer.plan(), 'live');
  assert.equal(service.provider.object(ref).state, 'ended', 'and pays once');
});

test('a webhook is taken with a signature over its very bytes and from no other [SEC-29]', async () => {
  const buyer = await Buyer.signedIn();
  const { body } = await buyer.checkout();
  const webhook = service.provider.pay(`test_${body.order.id}`, service.clock.now(), 30);
  const changed = { ...webhook, body: Buffer.concat([webhook.body, Buffer.from(' ')]) };
  checkProblem(await deliver(changed), DOCS_URL, INVALID);
  checkProblem(await deliver({ ...webhook, headers: {} }), DOCS_URL, INVALID);
  checkProblem(await service.post('/v1/webhooks/nobody', { body: 'x' }), DOCS_URL, NOT_FOUND);
  assert.equal(await buyer.plan(), 'sandbox');
  const plain = { ...webhook, headers: { ...webhook.headers, 'content-type': 'text/plain' } };
  const answer = await deliver(plain);
  assert.deepEqual([answer.status, answer.body], [200, {}]);
  assert.equal(await buyer.plan(), 'live');
  assert.equal((await deliver(webhook)).status, 200, 'the same again is fine');
});

test('who is not signed in, or comes from another page, buys nothing', async () => {
  const stranger = new Buyer();
  assert.equal((await stranger.checkout()).status, 401);
  const buyer = await Buyer.signedIn();
  const forged = await buyer.browser.post(
    '/v1/portal/checkout',
    {},
    { headers: { origin: 'https://evil.example' } },
  );
  assert.equal(forged.status, 403);
});

test('an order keeps whom it is billed to, in the order, at the provider and in the export', async () => {
  const buyer = await Buyer.signedIn();
  const typed = {
    name: ' Weber GmbH ',
    address: 'Spulengasse 3\n\n 10115 Berlin ',
    taxId: 'DE123456789',
  };
  const billTo = {
    name: 'Weber GmbH',
    address: 'Spulengasse 3\n10115 Berlin',
    taxId: 'DE123456789',
  };
  const id = await buyer.buy({ billTo: typed });
  const shown = (await buyer.order(id)) as Order & { readonly billTo: unknown };
  assert.deepEqual(shown.billTo, billTo);
  assert.deepEqual(service.provider.started.at(-1)?.billTo, billTo, 'the provider prints it');
  const { body } = await buyer.browser.get<{ orders: { billTo: unknown }[] }>('/v1/portal/export');
  assert.deepEqual(body.orders[0]?.billTo, billTo);
  const history = await buyer.buy({ offer: 'history' });
  assert.equal(((await buyer.order(history)) as Order & { billTo: unknown }).billTo, null);
});

test('whom an order is billed to needs a name and has a length; a corrected one is a new checkout', async () => {
  const buyer = await Buyer.signedIn();
  const billTo = { name: 'Weber GmbH', address: '', taxId: null };
  for (const wrong of [
    { ...billTo, name: ' ' },
    { ...billTo, name: 'a'.repeat(121) },
    { ...billTo, address: 'a\n'.repeat(7) },
    { ...billTo, taxId: '1'.repeat(41) },
    { name: 'Weber GmbH' },
  ]) {
    checkProblem(await buyer.checkout({ billTo: wrong }), DOCS_URL, INVALID);
  }
  const first = await buyer.checkout({ billTo });
  const same = await buyer.checkout({ billTo });
  assert.equal(same.body.order.id, first.body.order.id);
  const corrected = await buyer.checkout({ billTo: { ...billTo, taxId: 'DE1' } });
  assert.notEqual(corrected.body.order.id, first.body.order.id);
  assert.equal((await buyer.order(first.body.order.id)).state, 'failed');
});
