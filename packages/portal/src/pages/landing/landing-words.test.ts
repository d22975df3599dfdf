import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PLAN_LIMITS } from '@tapeloom/core/entitlement/plan';
import { indicatorCards, numberWord } from './indicator-cards.ts';
import { limitRows, priceWords } from './plan-words.ts';
import { selvedgeSvg } from './selvedge.ts';
import { StageChart } from './stage-chart.ts';
import { barRows } from './stage-table.ts';

const at = (path: string) => new URL(`../../../${path}`, import.meta.url);
const catalogue = JSON.parse(readFileSync(at('../../contract/catalogue.json'), 'utf8'));

test('every indicator of the catalogue has a line, a picture and its place in the docs', () => {
  const cards = indicatorCards(catalogue);
  assert.deepEqual(
    cards.map(({ name }) => name),
    catalogue.indicators.map(({ name }: { name: string }) => name),
  );
  for (const { name, text, glyph, href } of cards) {
    assert.ok(text !== '' && glyph.startsWith('<'));
    assert.ok(readFileSync(at(`../..${href}.md`), 'utf8').startsWith(`# ${name}\n`), href);
  }
});

test('a number up to twenty is a word', () => {
  assert.deepEqual([0, 14, 20, 21].map(numberWord), ['zero', 'fourteen', 'twenty', '21']);
});

test('an indicator that nobody wrote a line for stops the build', () => {
  const more = { indicators: [...catalogue.indicators, { id: 'new', name: 'New' }] };
  assert.throws(() => indicatorCards(more), /no line for "new"/);
  assert.throws(() => indicatorCards({ indicators: [] }), /no indicator "/);
});

const PRICING = {
  currency: 'EUR',
  taxIncluded: true,
  prices: [
    { offer: 'live' as const, amountMinor: 79_00, interval: 'month' as const },
    { offer: 'history' as const, amountMinor: 490_50, interval: null },
  ],
  countries: [],
  waiver: { version: '1', text: '' },
};

test('prices are what the service says, and nothing is said before', () => {
  assert.equal(priceWords('live', null), null);
  assert.equal(priceWords('sandbox', null)!.price, 'Free');
  assert.deepEqual(priceWords('live', PRICING), {
    price: '€79',
    per: 'a month, tax included',
  });
  assert.equal(priceWords('history', PRICING)!.price, '€490.50');
  assert.equal(priceWords('live_history', PRICING)!.price, '€490.50 + €79');
  const yen = { ...PRICING, currency: 'JPY' };
  assert.equal(priceWords('live', yen)!.price, '¥7,900');
});

test('the table of limits says what the plans have', () => {
  const rows = limitRows((plan) => PLAN_LIMITS[plan]);
  const values = new Map(rows.map(({ label, values: all }) => [label, all]));
  assert.deepEqual(values.get('Stream'), [
    '10-minute delay',
    'Real time',
    '10-minute delay',
    'Real time',
  ]);
  assert.deepEqual(values.get('History'), ['Last 7 days', null, 'Full depth', 'Full depth']);
  assert.deepEqual(values.get('Compute units a month'), [
    '50 million',
    null,
    '20 billion',
    '20 billion',
  ]);
  assert.deepEqual(values.get('Export volume a month'), [null, null, '20 GiB', '20 GiB']);
  assert.deepEqual(values.get('REST requests a minute'), ['60', '300', '1,200', '1,200']);
});

test('the selvedge has a thread for each minute of regular hours, up for buyers and down for sellers', () => {
  const minutes = JSON.parse(readFileSync(at('recording/minutes.json'), 'utf8'));
  assert.equal(minutes.length, 390);
  const svg = selvedgeSvg(minutes);
  assert.equal(svg.match(/M\d+ /g)?.length, 390);
  assert.ok(!/style=|NaN/.test(svg));
  assert.match(selvedgeSvg([[5, 10]]), /var\(--ask\).*d="M0 0h2v22/);
  assert.match(selvedgeSvg([[-1, 100]]), /var\(--bid\).*d="M0 0h2v7/);
  assert.match(selvedgeSvg([[0, 0]]), /var\(--ask\).*d="M0 15h2v7/);
});

test('the table of the chart says in words what is drawn', () => {
  const params = { size: 30, group: 2, minVolume: 60 };
  const requests = { s1: { indicator: 'footprint', params } };
  const chart = new StageChart({ instrument: 'ES.c.0', name: 'E-mini', requests }, 250_000_000);
  const ts = BigInt(Date.UTC(2026, 10, 10, 14, 43)) * 1_000_000n;
  const levels = [
    [10, 5, 50],
    [12, 600, 90],
    [14, 10, 200],
  ] as const;
  const data = {
    ...{ open: 10, high: 15, low: 10, close: 12, volume: 1_117, bid: 615, ask: 340, unknown: 162 },
    ...{ trades: 9, delta: -275, deltaMin: -400, deltaMax: 50, end: `${ts + 9n}`, levels },
    ...{ poc: 12, vah: 14, val: 12, imbalances: [] },
  };
  const trade = {
    side: -1 as const,
    size: 257,
    threshold: 100,
    trades: 1,
    first: 12,
    last: 12,
    high: 12,
    low: 12,
  };
  chart.restart(
    [{ id: '20261110.7', final: false, ts, data }],
    [{ id: '20261110.8', final: true, ts: ts + 1n, data: { ...trade, end: `${ts + 1n}` } }],
  );
  const [row] = barRows(chart, 8);
  assert.equal(row!.time, '14:43, forming');
  assert.deepEqual([row!.volume, row!.delta, row!.large], ['1,117', '−275', '−257']);
  assert.deepEqual([row!.open, row!.poc, row!.valueArea], ['2.50', '3.00', '3.00 to 3.00']);
  assert.equal(row!.imbalances, '1 buy, 1 sell');
});
