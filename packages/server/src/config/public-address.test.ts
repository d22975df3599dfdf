import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type IpRange, parseIpRange } from '@tapeloom/core/entitlement/ip-range';
import { isOrigin, PublicAddress } from './public-address.ts';

test('an origin is what a browser would write, and nothing more', () => {
  for (const text of [
    'http://127.0.0.1:8080',
    'https://tapeloom.example.com',
    'https://tapeloom.example.com:8443',
    'http://[::1]:8080',
    'http://localhost',
  ]) {
    assert.equal(isOrigin(text), true, text);
  }
  for (const text of [
    '',
    'tapeloom.example.com',
    'https://',
    'https://tapeloom.example.com/',
    'https://tapeloom.example.com/portal',
    'https://tapeloom.example.com?x',
    'https://tapeloom.example.com#x',
    'https://user:secret@tapeloom.example.com',
    'https://TAPELOOM.example.com',
    'https://tapeloom.example.com:443',
    'ftp://tapeloom.example.com',
    'javascript:alert(1)',
    'ws://tapeloom.example.com',
    'https://tapeloom.example.com\n',
    ' https://tapeloom.example.com',
  ]) {
    assert.equal(isOrigin(text), false, text);
  }
});

test('without a setting it is the port that was opened, on this machine', () => {
  const address = new PublicAddress(null, 8080);
  assert.equal(address.origin, 'http://127.0.0.1:8080');
  for (const [opened, origin] of [
    ['http://127.0.0.1:41234', 'http://127.0.0.1:41234'],
    ['http://0.0.0.0:8081', 'http://127.0.0.1:8081'],
    ['http://[::]:8082', 'http://127.0.0.1:8082'],
    ['http://192.0.2.7:80', 'http://192.0.2.7'],
  ] as const) {
    address.opened(opened);
    assert.equal(address.origin, origin);
  }
});

test('a setting stays, whatever was opened', () => {
  const address = new PublicAddress('https://tapeloom.example.com', 8080);
  address.opened('http://127.0.0.1:8080');
  assert.equal(address.origin, 'https://tapeloom.example.com');
  assert.equal(address.streamOrigin, 'wss://tapeloom.example.com');
  assert.deepEqual([address.isSecure, address.isLoopback], [true, false]);
});

test('only addresses of this machine are loopback', () => {
  for (const origin of [
    'http://127.0.0.1:8080',
    'http://127.1.2.3',
    'http://localhost:3000',
    'https://tapeloom.localhost',
    'http://[::1]:8080',
  ]) {
    assert.equal(new PublicAddress(origin, 1).isLoopback, true, origin);
  }
  for (const origin of [
    'http://192.168.1.4:8080',
    'https://localhost.example.com',
    'https://127.0.0.1.example.com',
    'http://[::ffff:7f00:1]',
    'https://notlocalhost',
  ]) {
    assert.equal(new PublicAddress(origin, 1).isLoopback, false, origin);
  }
});

test('an operator hears of sign-ins without TLS, and of a proxy that nobody named', () => {
  const concerns = (url: string, trustsProxies: boolean) =>
    new PublicAddress(url, 8080).concerns(trustsProxies ? ranges('10.0.0.1') : []).join();
  assert.match(concerns('http://tapeloom.example.com', true), /without TLS/);
  const proxied = 'https://tapeloom.example.com';
  assert.match(concerns(proxied, false), /share one address.* TAPELOOM_TRUSTED_PROXIES/);
  assert.equal(concerns(proxied, true), '');
  assert.equal(concerns('http://127.0.0.1:8080', false), '');
});

test('proxies that are the whole internet, or a large part of it, are a concern at any address', () => {
  const concerns = (...proxies: string[]) =>
    new PublicAddress('http://127.0.0.1:8080', 8080).concerns(ranges(...proxies));
  for (const wide of ['0.0.0.0/0', '::/0', '128.0.0.0/1', '8.0.0.0/8', '2000::/3']) {
    const [concern, ...others] = concerns('192.0.2.1', wide);
    assert.match(
      concern!,
      new RegExp(`^TAPELOOM_TRUSTED_PROXIES contains ${wide}, .*claim any address`),
    );
    assert.deepEqual(others, []);
  }
  // Private networks, and the published ranges of CDNs.
  assert.deepEqual(
    concerns(
      '10.0.0.0/8',
      '172.16.0.0/12',
      'fd00::/8',
      'fc00::/7',
      '104.16.0.0/13',
      '2a06:98c0::/29',
    ),
    [],
  );
});

function ranges(...texts: string[]): readonly IpRange[] {
  return texts.map((text) => parseIpRange(text)!);
}
