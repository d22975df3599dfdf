import assert from 'node:assert/strict';
import { test } from 'node:test';
import { supportAddress } from './support-address.ts';

test('support is an e-mail address or a page over https, and nothing that a browser could run', () => {
  assert.deepEqual(supportAddress('help@example.com'), {
    text: 'help@example.com',
    href: 'mailto:help@example.com',
  });
  const page = 'https://example.com/help';
  assert.deepEqual(supportAddress(page), { text: page, href: page });
  for (const wrong of [
    '',
    'help',
    'javascript:alert(1)',
    'http://example.com',
    'https://a:b@c.de',
  ]) {
    assert.equal(supportAddress(wrong), null, wrong);
  }
});
