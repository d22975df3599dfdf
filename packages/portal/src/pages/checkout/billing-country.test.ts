import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderView, PricingView } from '../../api/portal-shapes.ts';
import { countryOptions, likelyCountry } from './billing-country.ts';
import { monthAfter } from './month-after.ts';

const PRICING = {
  countries: ['AT', 'CZ', 'DE', 'US'].map((code) => ({ code, provider: 'test' })),
} as unknown as PricingView;

test('countries are listed by name', () => {
  assert.deepEqual(
    countryOptions(PRICING).map(({ label }) => label),
    ['Austria', 'Czechia', 'Germany', 'United States'],
  );
});

test('the country of the newest order is proposed, then that of the language, never one that is not served', () => {
  const orders = [{ country: 'AT' }] as OrderView[];
  assert.equal(likelyCountry(PRICING, orders, ['de-DE']), 'AT');
  assert.equal(likelyCountry(PRICING, [], ['fr-FR', 'en', 'de-DE']), 'DE');
  assert.equal(likelyCountry(PRICING, [], ['fr-FR', 'x-nonsense-', '']), '');
  assert.equal(likelyCountry(PRICING, [], []), '');
});

test('the next month has the same day, or its last', () => {
  const day = (text: string) => new Date(monthAfter(Date.parse(text))).toISOString().slice(0, 10);
  assert.equal(day('2026-11-16T10:00:00Z'), '2026-12-16');
  assert.equal(day('2026-12-31T23:00:00Z'), '2027-01-31');
  assert.equal(day('2027-01-30T00:00:00Z'), '2027-02-28');
});
