import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { AddressThrottle } from './address-throttle.ts';

const START = 1_800_000_000_000_000_000n;
const at = (seconds: number) => (START + BigInt(seconds * 1_000) * 1_000_000n) as EpochNs;

test('an address may fail 30 times at once, and then once every two seconds', () => {
  const throttle = new AddressThrottle();
  for (let count = 0; count < 30; count += 1) {
    assert.equal(throttle.failedAuthentication(at(0), '203.0.113.9').granted, true);
  }
  const refused = throttle.failedAuthentication(at(0), '203.0.113.9');
  assert.deepEqual([refused.granted, refused.retryAfterSeconds], [false, 2]);
  assert.equal(throttle.failedAuthentication(at(1.9), '203.0.113.9').granted, false);
  assert.equal(throttle.failedAuthentication(at(2), '203.0.113.9').granted, true);
  assert.equal(throttle.failedAuthentication(at(2), '203.0.113.9').granted, false);
  assert.equal(throttle.failedAuthentication(at(0), '203.0.113.8').granted, true);
});

test('an address may make 600 public requests a minute, failures apart', () => {
  const throttle = new AddressThrottle();
  for (let count = 0; count < 600; count += 1) {
    assert.equal(throttle.publicRequest(at(0), '203.0.113.9').granted, true);
  }
  assert.equal(throttle.publicRequest(at(0), '203.0.113.9').granted, false);
  assert.equal(throttle.failedAuthentication(at(0), '203.0.113.9').remaining, 29);
});

test('the addresses of one IPv6 /64 count as one, and IPv4 is IPv4 however it is written', () => {
  const throttle = new AddressThrottle({ failuresPerMinute: 10 });
  const remaining = (address: string) => throttle.failedAuthentication(at(0), address).remaining;
  assert.equal(remaining('2001:db8:0:1::1'), 9);
  assert.equal(remaining('2001:db8:0:1:ffff:ffff:ffff:ffff'), 8);
  assert.equal(remaining('2001:db8:0:2::1'), 9);
  assert.equal(remaining('203.0.113.9'), 9);
  assert.equal(remaining('::ffff:203.0.113.9'), 8);
  assert.equal(remaining('203.0.113.10'), 9);
  // Mapped IPv4 addresses share a /64 with these but count separately.
  assert.equal(remaining('::1'), 9);
  assert.equal(remaining('unknown'), 9);
  assert.equal(remaining('nonsense'), 8);
});

test('a flood of addresses stays within its bound, and each still has its limit', () => {
  const throttle = new AddressThrottle({ failuresPerMinute: 2, addressesMax: 50 });
  const address = (index: number) => `10.0.${index >> 8}.${index & 255}`;
  for (let index = 0; index < 10_000; index += 1) {
    const verdicts = [1, 2, 3].map(() => throttle.failedAuthentication(at(0), address(index)));
    assert.deepEqual(
      verdicts.map(({ granted }) => granted),
      [true, true, false],
    );
  }
  // The newest addresses are remembered, the oldest evicted.
  assert.equal(throttle.failedAuthentication(at(0), address(9_999)).granted, false);
  assert.equal(throttle.failedAuthentication(at(0), address(0)).granted, true);
});

test('a clock that jumps an hour either way locks no address out for longer than a minute', () => {
  for (const jumpSeconds of [-3_600, 3_600]) {
    const throttle = new AddressThrottle();
    for (let count = 0; count < 40; count += 1) throttle.failedAuthentication(at(0), '::1');
    throttle.failedAuthentication(at(jumpSeconds), '::1');
    assert.equal(throttle.failedAuthentication(at(jumpSeconds + 2), '::1').granted, true);
  }
});
