import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIpRange } from '@tapeloom/core/entitlement/ip-range';
import fc from 'fast-check';
import { clientAddress } from './client-address.ts';

const ranges = (...texts: string[]) =>
  texts.map((text) => {
    const range = parseIpRange(text);
    assert.ok(range, text);
    return range;
  });
const PROXIES = ranges('10.0.0.0/8', '2001:db8:aaaa::/48', '127.0.0.1');

test('a peer that is no listed proxy is the client, whatever it forwards [SEC-08]', () => {
  assert.equal(clientAddress('203.0.113.9', '10.0.0.1', PROXIES), '203.0.113.9');
  assert.equal(clientAddress('203.0.113.9', '1.2.3.4, 10.0.0.1', PROXIES), '203.0.113.9');
  assert.equal(clientAddress('203.0.113.9', undefined, PROXIES), '203.0.113.9');
  assert.equal(clientAddress('127.0.0.1', '1.2.3.4', []), '127.0.0.1');
});

test('a listed proxy is believed, and what stands left of its word is not [SEC-08]', () => {
  assert.equal(clientAddress('10.0.0.1', '203.0.113.9', PROXIES), '203.0.113.9');
  assert.equal(clientAddress('10.0.0.1', '1.2.3.4, 203.0.113.9', PROXIES), '203.0.113.9');
  assert.equal(clientAddress('10.0.0.1', '10.9.9.9, 203.0.113.9', PROXIES), '203.0.113.9');
  assert.equal(clientAddress('10.0.0.1', 'garbage, 203.0.113.9', PROXIES), '203.0.113.9');
});

test('a chain of listed proxies is followed to the first address that is none [SEC-08]', () => {
  const chain = '1.2.3.4, 203.0.113.9, 2001:db8:aaaa::7 ,10.1.1.1';
  assert.equal(clientAddress('10.0.0.1', chain, PROXIES), '203.0.113.9');
  assert.equal(clientAddress('10.0.0.1', '10.3.3.3, 10.2.2.2', PROXIES), '10.3.3.3');
  assert.equal(clientAddress('10.0.0.1', undefined, PROXIES), '10.0.0.1');
  assert.equal(clientAddress('10.0.0.1', '', PROXIES), '10.0.0.1');
  assert.equal(clientAddress('10.0.0.1', ' , ,', PROXIES), '10.0.0.1');
  assert.equal(clientAddress('10.0.0.1', ',203.0.113.9, ,', PROXIES), '203.0.113.9');
});

test('an address in the other family of writing is the same address [SEC-08]', () => {
  assert.equal(clientAddress('::ffff:127.0.0.1', undefined, []), '127.0.0.1');
  assert.equal(clientAddress('::ffff:10.0.0.1', '203.0.113.9', PROXIES), '203.0.113.9');
  assert.equal(clientAddress('10.0.0.1', '::ffff:203.0.113.9', PROXIES), '203.0.113.9');
  assert.equal(clientAddress('10.0.0.1', '1.2.3.4, ::ffff:10.0.0.2', PROXIES), '1.2.3.4');
  assert.equal(clientAddress('2001:DB8:0:0::1', undefined, PROXIES), '2001:db8::1');
  assert.equal(clientAddress('fe80::1%eth0', undefined, PROXIES), 'fe80::1');
});

test('what a listed proxy forwards may carry a port', () => {
  assert.equal(clientAddress('10.0.0.1', '203.0.113.9:4711', PROXIES), '203.0.113.9');
  assert.equal(clientAddress('10.0.0.1', '[2001:db8::9]:4711', PROXIES), '2001:db8::9');
  assert.equal(clientAddress('10.0.0.1', '[2001:db8::9]', PROXIES), '2001:db8::9');
});

test('a listed proxy that forwards what is no address leaves the client unknown [SEC-08]', () => {
  const malformed = [
    'unknown',
    '_hidden',
    '203.0.113',
    '203.0.113.09',
    '203.0.113.9.1',
    '0x7f.0.0.1',
    '203.0.113.9:',
    '203.0.113.9:123456',
    '[203.0.113.9',
    'fe80::1%eth0',
    '"203.0.113.9"',
    '203.0.113.9;10.0.0.1',
    '203.0.113.9 10.0.0.1',
  ];
  for (const claim of malformed) {
    assert.equal(clientAddress('10.0.0.1', claim, PROXIES), 'unknown', claim);
    assert.equal(clientAddress('10.0.0.1', `10.0.0.1, ${claim}`, PROXIES), 'unknown', claim);
  }
});

test('a socket without an address is nobody known, and is not asked whom it forwards', () => {
  assert.equal(clientAddress(undefined, '10.0.0.1', PROXIES), 'unknown');
  assert.equal(clientAddress('', '10.0.0.1', PROXIES), 'unknown');
  assert.equal(clientAddress('not an address', '10.0.0.1', PROXIES), 'unknown');
});

test('nothing a client writes changes the address a listed proxy saw [SEC-08]', () => {
  const scraps = fc.constantFrom('10.0.0.1', '1.2.3.4', ',', ' ', '::ffff:10.0.0.1', '[', ':', 'x');
  const written = fc.oneof(
    fc.array(scraps).map((parts) => parts.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(written, (text) => {
      assert.equal(clientAddress('10.0.0.1', `${text}, 203.0.113.9`, PROXIES), '203.0.113.9');
      assert.equal(clientAddress('203.0.113.9', text, PROXIES), '203.0.113.9');
    }),
    { numRuns: 1000 },
  );
});
