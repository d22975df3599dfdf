import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { AccountsTroubleError, type StoreTrouble } from './account-store.ts';
import { AccountsHealth } from './accounts-health.ts';

/** A store with this trouble, for every caller. */
class TroubledStore {
  trouble: StoreTrouble | null = null;
  probes = 0;
  #listener: (trouble: AccountsTroubleError) => void = () => {};

  onTrouble(listener: (trouble: AccountsTroubleError) => void): Disposable {
    this.#listener = listener;
    return { [Symbol.dispose]: () => {} };
  }

  /** A call meets the trouble. */
  meet(): void {
    if (this.trouble !== null) this.#listener(new AccountsTroubleError(this.trouble, 'met'));
  }

  async probe(): Promise<void> {
    this.probes += 1;
    if (this.trouble === null) return;
    this.meet();
    throw new AccountsTroubleError(this.trouble, 'met');
  }
}

function rig() {
  const clock = new ManualClock(0n as EpochNs);
  const store = new TroubledStore();
  const told: (StoreTrouble | null)[] = [];
  const onChange = (trouble: AccountsTroubleError | null) => told.push(trouble?.trouble ?? null);
  const health = new AccountsHealth({ store, clock, onChange });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turn();
  };
  return { store, told, health, pass };
}

test('trouble is told once, and its end when the store can be written again', async () => {
  for (const trouble of ['full', 'failing'] as const) {
    const { store, told, health, pass } = rig();
    await pass(60_000);
    assert.equal(store.probes, 0, 'nobody asks a sound store');
    store.trouble = trouble;
    store.meet();
    store.meet();
    await pass(5_000);
    await pass(5_000);
    assert.deepEqual(told, [trouble]);
    assert.equal(store.probes, 2);
    store.trouble = null;
    await pass(5_000);
    assert.deepEqual(told, [trouble, null]);
    assert.equal(health.trouble, null);
  }
});

test('damage stays, whatever follows, and is not asked about again', async () => {
  const { store, told, health, pass } = rig();
  store.trouble = 'full';
  store.meet();
  store.trouble = 'damaged';
  await pass(5_000);
  store.trouble = 'full';
  store.meet();
  store.trouble = null;
  await pass(60_000);
  assert.deepEqual(told, ['full', 'damaged']);
  assert.equal(store.probes, 1);
  assert.equal(health.trouble?.trouble, 'damaged');
});

test('a call that found the store busy says nothing about it', async () => {
  const { store, told } = rig();
  store.trouble = 'busy';
  store.meet();
  assert.deepEqual(told, []);
});
