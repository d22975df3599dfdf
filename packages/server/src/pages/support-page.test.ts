import assert from 'node:assert/strict';
import { test } from 'node:test';
import { supportAddress } from '../config/support-address.ts';
import { supportPage } from './support-page.ts';

const REQUEST = {
  method: 'GET',
  path: '/support',
  query: new URLSearchParams(),
  form: new URLSearchParams(),
  styles: [],
  theme: null,
  icon: null,
} as const;

test('the support page names the configured address, and without one the imprint', async () => {
  const htmlOf = async (configured: string | null) => {
    const support = configured === null ? null : supportAddress(configured);
    const answer = await supportPage(support).handle(REQUEST);
    return 'html' in answer ? answer.html : assert.fail('it is a page');
  };
  const written = await htmlOf("o'help@example.com");
  assert.match(written, /href="mailto:o&#39;help@example\.com">o&#39;help@example\.com</);
  assert.doesNotMatch(written, /named in the/);
  assert.match(await htmlOf('https://example.com/help'), /href="https:\/\/example\.com\/help"/);
  assert.match(await htmlOf(null), /named in the <a href="\/imprint">/);
});
