import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { SCOPES } from '@tapeloom/core/entitlement/key-rights';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Leases } from '../../accounts/limits/leases.ts';
import { MemoryLeases } from '../../accounts/limits/memory-leases.ts';
import { ConnectionLeases } from './connection-leases.ts';

const RIGHTS = { environment: 'live', instruments: null, allowedIps: null } as const;
const CALLER: Caller = {
  accountId: 'a',
  keyId: 'k',
  isSuspended: false,
  entitlements: Entitlements.of({ ...RIGHTS, scopes: SCOPES, expiresAt: null }, 'sandbox'),
};
const LIMITS = CALLER.entitlements;

/** Leases that take their time, as a shared store does, and fail on demand. */
class SlowLeases implements Leases {
  readonly memory = new MemoryLeases();
  isFailing = false;

  async take(...args: Parameters<Leases['take']>): Promise<boolean> {
    await turn();
    if (this.isFailing) throw new Error('the store is away');
    return this.memory.take(...args);
  }

  async release(...args: Parameters<Leases['release']>): Promise<void> {
    await turn();
    return this.memory.release(...args);
  }

  renew(...args: Parameters<Leases['renew']>): Promise<void> {
    return this.memory.renew(...args);
  }

  count(...args: Parameters<Leases['count']>): Promise<number> {
    return this.memory.count(...args);
  }

  onLost(): Disposable {
    return this.memory.onLost();
  }

  get size(): number {
    return this.memory.size;
  }
}

function desk() {
  const leases = new SlowLeases();
  const clock = new ManualClock(0n);
  const faults: unknown[] = [];
  const connection = (id: string) =>
    new ConnectionLeases(leases, clock, id, (error) => faults.push(error));
  const held = async () => [
    await leases.count(clock.now(), 'a', 'connection'),
    await leases.count(clock.now(), 'a', 'subscription'),
    await leases.count(clock.now(), 'a', 'configuration'),
  ];
  return { leases, faults, connection, held };
}

test('what is asked for in one breath is done in that order', async () => {
  const { connection, held } = desk();
  const one = connection('c1');
  const asked = [one.connect(CALLER), one.take(1, 'x', LIMITS), one.take(2, null, LIMITS)];
  assert.deepEqual(await Promise.all(asked), [true, null, null]);
  one.release(1, 'all');
  assert.equal(await one.take(3, 'y', LIMITS), null);
  one.release(3, 'configuration');
  assert.equal(await one.take(3, 'z', LIMITS), null);
  assert.deepEqual(await held(), [1, 2, 1]);
});

test('a subscription gets all it counts as, or nothing', async () => {
  const { connection, held } = desk();
  const [one, two] = [connection('c1'), connection('c2')];
  assert.equal(await one.connect(CALLER), true);
  assert.equal(await two.connect(CALLER), false);
  assert.equal(await one.take(1, 'x', LIMITS), null);
  assert.equal(await one.take(2, 'y', LIMITS), 'configuration');
  assert.deepEqual(await held(), [1, 1, 1]);
  assert.equal(await one.take(3, 'x', LIMITS), null);
  assert.equal(await one.take(4, 'x', LIMITS), 'subscription');
  assert.deepEqual(await held(), [1, 2, 1]);
});

test('the end gives everything back, also what is still being taken', async () => {
  const { leases, connection, held } = desk();
  const one = connection('c1');
  const asked = [one.connect(CALLER), one.take(1, 'x', LIMITS), one.take(2, null, LIMITS)];
  await asked[0];
  one.end();
  await Promise.all(asked);
  await one.settled();
  assert.deepEqual(await held(), [0, 0, 0]);
  assert.equal(leases.memory.size, 0);
});

test('a store that fails refuses, is reported, and leaves nothing held', async () => {
  const { leases, faults, connection, held } = desk();
  const one = connection('c1');
  await one.connect(CALLER);
  leases.isFailing = true;
  assert.equal(await one.take(1, 'x', LIMITS), 'fault');
  await assert.rejects(connection('c2').connect(CALLER));
  leases.isFailing = false;
  await one.settled();
  assert.equal(faults.length, 1);
  assert.deepEqual(await held(), [1, 0, 0]);
  assert.equal(await one.take(1, 'x', LIMITS), null);
});
