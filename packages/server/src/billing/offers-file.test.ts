import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../config/config.ts';
import { loadOffers } from './load-offers.ts';
import { waiverOf, withdrawalTermsOf } from './offer-book.ts';
import { pricingOf } from './offers.ts';
import { DEFAULT_PRICING } from './offers-default.ts';
import { readPricing } from './offers-file.ts';

type Change = (book: Record<string, unknown>) => void;

function changed(change: Change): string {
  const book = JSON.parse(JSON.stringify(DEFAULT_PRICING));
  change(book);
  return JSON.stringify(book);
}

function faultsOf(change: Change): readonly string[] {
  const reading = readPricing(changed(change));
  return 'faults' in reading ? reading.faults : [];
}

function start(readFile: () => string) {
  return loadOffers('offers.json', readFile);
}

test('what is built in is a file that would be accepted', () => {
  assert.deepEqual(readPricing(JSON.stringify(DEFAULT_PRICING)), { pricing: DEFAULT_PRICING });
});

test('the file decides prices, countries and the waiver, whatever their order', () => {
  const offers = start(() =>
    changed((book) => {
      book.currency = 'JPY';
      book.taxIncluded = false;
      book.prices = [
        { offer: 'history', amountMinor: 80_000, interval: null },
        { offer: 'live', amountMinor: 12_000, interval: 'month' },
      ];
      book.countries = [
        { code: 'JP', provider: 'test' },
        { code: 'AT', provider: 'test' },
      ];
      book.waiver = { version: '2027.1', text: 'One.\n\nTwo.' };
    }),
  );
  assert.equal(offers.currency, 'JPY');
  assert.equal(offers.taxIncluded, false);
  assert.deepEqual(
    offers.prices.map(({ offer, amountMinor }) => [offer, amountMinor]),
    [
      ['live', 12_000],
      ['history', 80_000],
    ],
  );
  assert.deepEqual(
    offers.countries.map(({ code }) => code),
    ['AT', 'JP'],
  );
  assert.deepEqual(offers.waiver, { version: '2027.1', text: 'One.\n\nTwo.' });
});

test('a price may have a waiver and terms of withdrawal of its own; what is left out is as built in [BILL-06]', () => {
  const own = { version: 'live-3', text: 'Of Live alone.' };
  const offers = start(() =>
    changed((book) => {
      price({ waiver: own, withdrawal: undefined })(book);
      delete (book.prices as { waiver?: object }[])[1]!.waiver;
    }),
  );
  const [live, history] = offers.prices;
  assert.deepEqual(waiverOf(offers, live!), own);
  assert.deepEqual(waiverOf(offers, history!), offers.waiver);
  assert.deepEqual(withdrawalTermsOf(live!), { days: 14, lostAt: 'never', refund: 'rest' });
  assert.deepEqual(withdrawalTermsOf(history!), { days: 14, lostAt: 'access', refund: 'all' });
  assert.equal(pricingOf(offers).prices[0]?.waiver?.text, 'Of Live alone.');
  const kind = start(() => changed(terms({ days: 30, refund: 'all' })));
  assert.deepEqual(kind.prices[0]?.withdrawal, { days: 30, lostAt: 'never', refund: 'all' });
});

test('the waiver that is built in names the offer that is bought, and no other', () => {
  const textOf = (offer: string) =>
    waiverOf(DEFAULT_PRICING, DEFAULT_PRICING.prices.find((one) => one.offer === offer)!).text;
  assert.match(textOf('live'), /Live is a digital service/);
  assert.doesNotMatch(textOf('live'), /Historical/);
  assert.match(textOf('history'), /Historical is digital content/);
  assert.doesNotMatch(textOf('history'), /Live/);
});

test('each fault is told by its field, with what was read and what is accepted', () => {
  const faults: readonly [Change, RegExp][] = [
    [(book) => delete book.currency, /^\/currency is missing; it must be a currency/],
    [(book) => (book.currency = 'Euro'), /^\/currency must be .*such as "EUR"; got "Euro"\.$/],
    // Browsers show whole forints and crowns, but providers charge hundredths of them.
    [
      (book) => (book.currency = 'HUF'),
      /^\/currency must be .* the same in browsers and at .*; got "HUF"\.$/,
    ],
    [(book) => (book.currency = 'ISK'), /^\/currency must be .*; got "ISK"/],
    [(book) => (book.taxIncluded = 'yes'), /^\/taxIncluded must be true .*; got "yes"/],
    [(book) => (book.price = 1), /^\/price is not a field here\. Did you mean "prices"\?$/],
    [(book) => (book.prices = []), /^\/prices: the offer "live" has no price; both/],
    [(book) => (book.prices = 79), /^\/prices must be a list .*; got 79/],
    [
      price({ amountMinor: 79.5 }),
      /^\/prices\/0\/amountMinor must be .*7900 is 79\.00\); got 79\.5\.$/,
    ],
    [price({ amountMinor: 0 }), /^\/prices\/0\/amountMinor must be .*; got 0\./],
    [price({ amountMinor: '7900' }), /^\/prices\/0\/amountMinor must be .*; got "7900"/],
    [price({ interval: null }), /interval must be "month", as "live" is paid every .*; got null/],
    [price({ offer: 'both' }), /^\/prices\/0\/offer must be "live" or "history"; got "both"\.$/],
    [
      price({ offer: 'history', interval: null, withdrawal: undefined }),
      /^\/prices: the offer "live" has no price/,
    ],
    [terms({ days: 61 }), /^\/prices\/0\/withdrawal\/days must be .* 0 .* to 60; got 61\.$/],
    [terms({ lostAt: 'use' }), /\/withdrawal\/lostAt must be "access" or .*; got "use"/],
    [terms({ refund: 'half' }), /\/withdrawal\/refund must be "rest" or "all"; got "half"\.$/],
    [price({ withdrawal: 14 }), /^\/prices\/0\/withdrawal must be an object .*; got 14/],
    [
      price({ offer: 'history', interval: null }),
      /^\/prices\/0\/withdrawal\/refund must be "all"; got "rest"\.$/,
    ],
    [price({ waiver: { version: '1' } }), /^\/prices\/0\/waiver\/text is missing/],
    [(book) => (book.countries = []), /^\/countries must be a list .*; got \[\]/],
    [
      country({ code: 'UK' }),
      /^\/countries\/0\/code must be .*the United Kingdom is GB\); got "UK"\.$/,
    ],
    [
      country({ code: 'EU' }),
      /enter the countries of the European Union one by one\); got "EU"\.$/,
    ],
    [country({ code: 'de' }), /^\/countries\/0\/code must be .*two capital letters.*; got "de"/],
    [country({ code: 'XX' }), /^\/countries\/0\/code must be .*; got "XX"/],
    [country({ code: 'US' }), /^\/countries\/\d+\/code: US is already at \/countries\/0\.$/],
    [country({ provider: 'paypal' }), /^\/countries\/0\/provider must be "test" .*; got "paypal"/],
    [(book) => (book.countries = ['DE']), /^\/countries\/0 must be an object .*; got "DE"/],
    [(book) => delete book.waiver, /^\/waiver is missing; .* with version, text\.$/],
    [waiver({ version: 'new text' }), /^\/waiver\/version must be .*; got "new text"/],
    [waiver({ text: '  ' }), /^\/waiver\/text must be .*; got " {2}"/],
    [waiver({ text: 'a\u202eb' }), /^\/waiver\/text must be .*; got/],
    [waiver({ text: 'x'.repeat(10_001) }), /^\/waiver\/text must be .*; got "x+…/],
  ];
  for (const [change, expected] of faults) assert.match(faultsOf(change)[0] ?? '', expected);
  assert.equal(faultsOf((book) => delete book.waiver).length, 1, 'its fields are not told too');
});

test('a file that cannot be read, or is no JSON, or has several faults stops the start by name', () => {
  const told = (readFile: () => string): readonly string[] => {
    try {
      start(readFile);
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error));
      return error.faults;
    }
    return assert.fail('it was accepted');
  };
  const missing = () => {
    throw new Error('ENOENT: no such file');
  };
  assert.deepEqual(told(missing), [
    'TAPELOOM_OFFERS: cannot read offers.json: ENOENT: no such file',
  ]);
  assert.deepEqual(
    told(() => '{ "currency": EUR }'),
    ['TAPELOOM_OFFERS: offers.json: no JSON: it breaks at line 1, column 15'],
  );
  assert.match(
    told(() => '[]')[0]!,
    /^TAPELOOM_OFFERS: offers\.json: the file must be an .*; got \[\]/,
  );
  assert.equal(told(() => '{}').length, 5);
});

function terms(fields: object): Change {
  return price({ withdrawal: { days: 14, lostAt: 'never', refund: 'rest', ...fields } });
}

function price(part: Record<string, unknown>): Change {
  return (book) => Object.assign((book.prices as object[])[0]!, part);
}

function country(part: Record<string, unknown>): Change {
  return (book) => Object.assign((book.countries as object[])[0]!, part);
}

function waiver(part: Record<string, unknown>): Change {
  return (book) => Object.assign(book.waiver as object, part);
}
