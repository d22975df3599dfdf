import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { testLeases } from '../../../testing/accounts/limits/leases.contract.ts';
import { LEASE_SECONDS, type LeaseRequest } from './leases.ts';
import { MemoryLeases } from './memory-leases.ts';

const START = 1_800_000_000_000_000_000n;
const at = (seconds: number) => (START + BigInt(seconds) * 1_000_000_000n) as EpochNs;
const request = (holder: string, accountId = 'a'): LeaseRequest => ({
  accountId,
  kind: 'connection',
  holder,
  thing: holder,
  limit: 1,
  testLimit: null,
});

testLeases('memory', () => new MemoryLeases());

test('an account that holds nothing takes no memory, by release, refusal or end', async () => {
  const leases = new MemoryLeases();
  for (let index = 0; index < 1_000; index += 1) {
    await leases.take(at(0), request('1', `account ${index}`));
  }
  assert.equal(leases.size, 1_000);
  for (let index = 0; index < 500; index += 1) {
    await leases.release(`account ${index}`, 'connection', '1');
  }
  assert.equal(leases.size, 500);
  await leases.take(at(0), { ...request('1', 'none'), limit: 0 });
  await leases.count(at(0), 'nobody', 'connection');
  assert.equal(leases.size, 500);
  for (let seconds = 30; seconds <= LEASE_SECONDS; seconds += 30) {
    await leases.count(at(seconds), 'nobody', 'connection');
  }
  await leases.renew(at(LEASE_SECONDS));
  assert.equal(leases.size, 0);
});

test('a clock that jumps an hour either way ends no lease, and keeps none for ever', async () => {
  for (const jump of [3_600, -3_600]) {
    const leases = new MemoryLeases();
    await leases.take(at(0), request('1'));
    assert.equal(await leases.take(at(jump), request('2')), false);
    await leases.renew(at(jump + 30));
    assert.equal(await leases.take(at(jump + 31), request('2')), false);
    for (let seconds = 60; seconds < 120; seconds += 30) {
      await leases.count(at(jump + seconds), 'a', 'connection');
    }
    assert.equal(await leases.count(at(jump + 119), 'a', 'connection'), 1);
    assert.equal(await leases.count(at(jump + 120), 'a', 'connection'), 0);
  }
});

test('a new process holds nothing', async () => {
  const before = new MemoryLeases();
  assert.equal(await before.take(at(0), request('1')), true);
  assert.equal(await before.take(at(0), request('2')), false);
  assert.equal(await new MemoryLeases().take(at(1), request('2')), true);
});
