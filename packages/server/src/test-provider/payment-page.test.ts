import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RIG_URL, TestProviderRig } from '../../testing/billing/test-provider-rig.ts';
import type { PageAnswer } from '../pages/page-route.ts';
import { paymentPages } from './payment-page.ts';
import { TestProvider } from './test-provider.ts';

const TERMS = {
  orderId: 'ord_1',
  kind: 'subscription',
  offerName: 'Live',
  amountMinor: 7_900,
  currency: 'EUR',
  country: 'DE',
  returnUrl: `${RIG_URL}/orders?order=ord_1`,
  backUrl: `${RIG_URL}/plans`,
} as const;

/** The page of a checkout, and a browser's actions on it. */
class Visit {
  readonly rig: TestProviderRig;
  readonly ref: string;

  private constructor(rig: TestProviderRig, ref: string) {
    this.rig = rig;
    this.ref = ref;
  }

  static async begin(rig: TestProviderRig, terms: object = {}): Promise<Visit> {
    const { ref } = await rig.payments.start({ ...TERMS, ...terms });
    return new Visit(rig, ref);
  }

  get state(): string {
    return this.rig.payments.find(this.ref)!.state;
  }

  async ask(
    method: 'GET' | 'POST',
    form = '',
    path = `/pay/test/${this.ref}`,
  ): Promise<PageAnswer> {
    return await paymentPages(this.rig.payments).handle({
      method,
      path,
      query: new URLSearchParams(),
      form: new URLSearchParams(form),
      styles: ['/assets/portal.css'],
      theme: '/assets/theme-1.js',
      icon: null,
    });
  }

  async html(): Promise<string> {
    const answer = await this.ask('GET');
    return 'html' in answer ? answer.html : assert.fail('it leads elsewhere');
  }

  async press(action: string): Promise<string> {
    const answer = await this.ask('POST', `action=${action}`);
    return 'seeOther' in answer ? answer.seeOther : assert.fail(`status ${answer.status}`);
  }
}

test('the page says what is bought, for how much and how often, and its last button that it obliges to pay [BILL-02, BILL-03]', async () => {
  await using rig = await TestProviderRig.open();
  const live = await (await Visit.begin(rig)).html();
  assert.match(live, /<h1>Pay for <bdi>Live<\/bdi><\/h1>/);
  assert.match(live, /Order and pay €79\.00 a month</);
  assert.match(live, /€79\.00 again on \d+ \w+ \d{4} and every month after it, until you cancel/);
  assert.match(live, /Germany/);
  const once = { kind: 'purchase', offerName: 'Historical', amountMinor: 49_000, orderId: 'ord_2' };
  const history = await (await Visit.begin(rig, once)).html();
  assert.match(history, /Order and pay €490\.00</);
  assert.match(history, /Paid once, for life/);
  const yen = { currency: 'JPY', amountMinor: 12_000, orderId: 'ord_3' };
  assert.match(await (await Visit.begin(rig, yen)).html(), /¥12,000/);
});

test('a buyer who pays comes back to the order, who cancels to the plans, and pressing twice does it once', async () => {
  await using rig = await TestProviderRig.open();
  const paying = await Visit.begin(rig);
  assert.equal(await paying.press('pay'), TERMS.returnUrl);
  assert.equal(await paying.press('pay'), TERMS.returnUrl);
  assert.equal(await paying.press('cancel'), TERMS.returnUrl);
  assert.equal(rig.payments.find(paying.ref)!.revision, 1);
  assert.match(await paying.html(), /Already paid/);
  const leaving = await Visit.begin(rig, { orderId: 'ord_2' });
  assert.equal(await leaving.press('cancel'), TERMS.backUrl);
  assert.equal(await leaving.press('pay'), TERMS.backUrl);
  assert.equal(leaving.state, 'failed');
  assert.match(await leaving.html(), /Nothing was charged/);
});

test('a declined card is said on the page, which stays as it is; a slow confirmation is waited for elsewhere', async () => {
  await using rig = await TestProviderRig.open();
  const visit = await Visit.begin(rig);
  assert.equal(await visit.press('decline'), `/pay/test/${visit.ref}`);
  assert.match(await visit.html(), /role="alert".*Your card was declined/);
  assert.equal(await visit.press('slow'), TERMS.returnUrl);
  const waiting = await visit.html();
  assert.match(waiting, /Waiting for the bank/);
  assert.match(waiting, /http-equiv="refresh" content="2"/);
  await rig.pass(20_000);
  assert.equal(visit.state, 'paid');
});

test('nothing that was typed is markup, and nothing in the page is inline script or a style attribute [SEC-14]', async () => {
  await using rig = await TestProviderRig.open();
  const html = await (await Visit.begin(rig, { offerName: '<b onclick="x">&"\'' })).html();
  assert.ok(html.includes('&lt;b onclick=&quot;x&quot;&gt;&amp;&quot;&#39;'));
  const scripts = [...html.matchAll(/<script[^>]*>[^<]*/g)].map(([script]) => script);
  assert.deepEqual(scripts, ['<script src="/assets/theme-1.js">']);
  assert.doesNotMatch(html, /\sstyle=|<b onclick/);
});

test('an address of no payment is 404, another button 400, a provider that is down 503', async () => {
  await using rig = await TestProviderRig.open();
  const visit = await Visit.begin(rig);
  const statusOf = (answer: PageAnswer) => ('status' in answer ? answer.status : 303);
  for (const path of [
    '',
    'nothing',
    `${visit.ref}/`,
    '..%2fwebhook-secret',
    'pay_'.padEnd(36, '0'),
  ]) {
    assert.equal(statusOf(await visit.ask('GET', '', `/pay/test/${path}`)), 404, path);
  }
  for (const form of ['', 'action=', 'action=refund', 'action=toString', 'action=__proto__']) {
    assert.equal(statusOf(await visit.ask('POST', form)), 400, form);
  }
  rig.reach('down');
  assert.equal(statusOf(await visit.ask('GET')), 503);
  assert.equal(statusOf(await visit.ask('POST', 'action=pay')), 503);
  assert.equal(visit.state, 'open');
});

test('a receipt and the page for the card are pages of their own; a card that works pays what was declined', async () => {
  await using rig = await TestProviderRig.open();
  const provider = new TestProvider(rig.payments, () => RIG_URL);
  const visit = await Visit.begin(rig);
  const never = new AbortController().signal;
  assert.equal(await provider.customerPortal(visit.ref, RIG_URL, never), null);
  await visit.press('pay');
  const [receipt] = await provider.receipts(visit.ref, never);
  const card = await provider.customerPortal(visit.ref, RIG_URL, never);
  const pathOf = (url: string | null | undefined) => new URL(url!).pathname;
  assert.equal(pathOf(receipt!.url), `/pay/test/${visit.ref}/receipts/${receipt!.id}`);
  assert.equal(pathOf(card), `/pay/test/${visit.ref}/card`);
  const htmlOf = async (path: string) => {
    const answer = await visit.ask('GET', '', path);
    return 'html' in answer ? answer.html : assert.fail('it leads elsewhere');
  };
  const shown = await htmlOf(pathOf(receipt!.url));
  for (const part of [receipt!.id, 'ord_1', '€79.00', 'Germany', 'Receipt']) {
    assert.ok(shown.includes(part), part);
  }
  assert.doesNotMatch(shown, /Already paid/);
  assert.match(await htmlOf(pathOf(card)), /The card on file works/);

  const press = (action: string) => visit.ask('POST', `action=${action}`, pathOf(card));
  assert.deepEqual(await press('declines'), { seeOther: pathOf(card) });
  assert.match(await htmlOf(pathOf(card)), /will be declined at the next renewal/);
  await rig.pass(32 * 86_400_000);
  assert.equal(visit.state, 'past_due');
  const [declined] = await provider.receipts(visit.ref, never);
  assert.deepEqual([declined!.state, declined!.url], ['failed', null]);
  assert.match(
    await htmlOf(pathOf(card)),
    /renewal was declined\. A card that works pays €79\.00 at once/,
  );
  await press('works');
  assert.equal(visit.state, 'paid');
  const statusOf = (answer: PageAnswer) => ('status' in answer ? answer.status : 303);
  assert.equal(statusOf(await press('nothing')), 400);
  for (const path of ['receipts/none', `receipts/${declined!.id}`, 'cards', 'receipts/']) {
    assert.equal(statusOf(await visit.ask('GET', '', `/pay/test/${visit.ref}/${path}`)), 404, path);
  }
});

test('a receipt names whom the order is billed to, as text', async () => {
  await using rig = await TestProviderRig.open();
  const billTo = { name: 'Weber <b>& Söhne', address: 'Spulengasse 3\n10115 Berlin', taxId: 'DE1' };
  const visit = await Visit.begin(rig, { billTo });
  await visit.press('pay');
  const provider = new TestProvider(rig.payments, () => RIG_URL);
  const [receipt] = await provider.receipts(visit.ref, new AbortController().signal);
  const answer = await visit.ask('GET', '', new URL(receipt!.url!).pathname);
  const html = 'html' in answer ? answer.html : '';
  for (const part of ['Billed to', 'Weber &lt;b&gt;&amp; Söhne', '10115 Berlin', 'DE1']) {
    assert.ok(html.includes(part), part);
  }
});
