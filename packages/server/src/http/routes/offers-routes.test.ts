import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PLAN_LIMITS, planAt } from '@tapeloom/core/entitlement/plan';
import { Check } from 'typebox/value';
import { RestService } from '../../../testing/rest/rest-service.ts';
import { offerBook, type Pricing } from '../../billing/offers.ts';
import { DEFAULT_PRICING } from '../../billing/offers-default.ts';

interface Offers {
  readonly offers: readonly { id: string; name: string; billing: string; grants: string[] }[];
  readonly plans: readonly { id: keyof typeof PLAN_LIMITS; offers: string[]; limits: unknown }[];
}

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

async function get<T>(url: string, headers: Record<string, string> = {}): Promise<T> {
  const { status, body, text } = await service.get<T>(url, { headers });
  assert.equal(status, 200, text);
  const route = service.routes.find(({ path }) => path === url)!;
  assert.ok(Check(route.answer, body), `the answer of ${url} fits its schema`);
  return body;
}

test('offers and the limits of each combination are public, and equal the plan table [BILL-05]', async () => {
  const { offers, plans } = await get<Offers>('/v1/offers');
  assert.deepEqual(offers, [
    { id: 'live', name: 'Live', billing: 'monthly', grants: ['live'] },
    { id: 'history', name: 'Historical', billing: 'once', grants: ['history'] },
  ]);
  assert.deepEqual(Object.fromEntries(plans.map(({ id, limits }) => [id, limits])), PLAN_LIMITS);
  for (const { id, offers: needed } of plans) {
    const granted: Offers['offers'] = offers.filter((offer) => needed.includes(offer.id));
    const grants = granted.map((offer) => ({ plan: offer.grants[0] as 'live', until: null }));
    assert.equal(planAt(grants, service.clock.now()), id);
  }
});

test('the sandbox needs no offer, live is charged monthly, history once, both make live_history [BILL-01, BILL-02, BILL-03, BILL-04]', async () => {
  const { offers, plans } = await get<Offers>('/v1/offers');
  const { prices } = await get<Pricing>('/v1/pricing');
  const needed = Object.fromEntries(plans.map((plan) => [plan.id, plan.offers]));
  assert.deepEqual(needed, {
    sandbox: [],
    live: ['live'],
    history: ['history'],
    live_history: ['live', 'history'],
  });
  const charged = prices.map(({ offer, interval }) => [offer, interval]);
  assert.deepEqual(charged, [
    ['live', 'month'],
    ['history', null],
  ]);
  assert.deepEqual(
    offers.map(({ billing }) => billing),
    ['monthly', 'once'],
  );
});

test('pricing is public: prices with their tax, countries with their provider, the waiver with its version [BILL-06]', async () => {
  const pricing = await get<Pricing>('/v1/pricing');
  assert.deepEqual(pricing, DEFAULT_PRICING);
  const { currency, taxIncluded, prices, countries, waiver } = pricing;
  assert.deepEqual([currency, taxIncluded], ['EUR', true]);
  assert.deepEqual(
    prices.map(({ amountMinor }) => amountMinor),
    [7_900, 49_000],
  );
  const codes = countries.map(({ code }) => code);
  for (const code of ['DE', 'FR', 'GB', 'CH', 'US', 'CA']) assert.ok(codes.includes(code), code);
  assert.equal(waiver.version, '2026-11-2');
  assert.match(waiver.text, /I expressly ask that the service begins at once/);
  assert.match(waiver.text, /I lose my right of withdrawal/);
});

test('what the operator sells is what is shown, with another tag', async () => {
  const { headers } = await service.get('/v1/pricing');
  const { offers } = service;
  service.offers = offerBook({ ...DEFAULT_PRICING, taxIncluded: false });
  const answer = await service.get<Pricing>('/v1/pricing', {
    headers: { 'if-none-match': headers.etag! },
  });
  service.offers = offers;
  assert.equal(answer.status, 200);
  assert.equal(answer.body.taxIncluded, false);
});

test('indicators, offers and pricing need no key, look at none, and carry no rate headers with or without one [AUTH-24, RATE-06]', async () => {
  const key = await service.customer('live');
  const credentials = [undefined, `Bearer ${key}`, 'Bearer svc_live_nonsense', 'nonsense'];
  for (const path of ['/v1/indicators', '/v1/offers', '/v1/pricing']) {
    for (const authorization of credentials) {
      const { status, headers } = await service.get(path, {
        headers: authorization === undefined ? {} : { authorization },
      });
      assert.equal(status, 200, `${path} ${authorization}`);
      assert.equal(headers['cache-control'], 'public, max-age=60');
      const rates = Object.keys(headers).filter((name) => name.startsWith('ratelimit'));
      assert.deepEqual(rates, [], path);
    }
  }
});
