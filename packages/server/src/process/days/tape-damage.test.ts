import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { TapeDamage, type TapeDamageOptions } from './tape-damage.ts';

const DAY = utcDay(20261112);

function rig(missing: readonly string[] = []) {
  const said: string[] = [];
  const log = {
    warn: (_: unknown, what: string) => said.push(what),
    error: (_: unknown, what: string) => said.push(what),
  } as unknown as TapeDamageOptions['log'];
  const damage = new TapeDamage({
    log,
    missing,
    tellReaders: (contract, day, isDamaged) => said.push(`read ${contract} ${day} ${!isDamaged}`),
    epochs: {
      noteDamaged: (contract, day) => said.push(`without ${contract} ${day}`),
      noteSound: (contract, day) => said.push(`with ${contract} ${day}`),
    },
    check: (contract, day) => said.push(`check ${contract} ${day}`),
  });
  return { damage, said: () => said.splice(0) };
}

test('a day that a thread could not read is left out by all, counted once, checked, and tried again once it is sound', () => {
  const { damage, said } = rig();
  const found = { contract: 'ESZ6', day: DAY, error: new Error('a bit') };
  damage.found(found);
  assert.deepEqual(said(), [
    'a sealed day is damaged; see tapeloom tape verify',
    'read ESZ6 20261112 false',
    'without ESZ6 20261112',
    'check ESZ6 20261112',
  ]);
  damage.found(found);
  assert.equal(said().length, 3, 'it is logged once');
  damage.checked('ESZ6', DAY, false);
  assert.deepEqual(said(), []);
  damage.checked('ESZ6', DAY, true);
  assert.deepEqual(said().slice(1), ['read ESZ6 20261112 true', 'with ESZ6 20261112']);
  damage.sound('ESZ6', DAY);
  assert.deepEqual(said(), []);
  assert.equal(damage.count, 1);
});

test('a day that is gone is no damage; one that was missing at the start is known', () => {
  const { damage, said } = rig([`/data/tape/SIM/days/ESZ6/${DAY}.json`]);
  damage.found({ contract: 'ESZ6', day: DAY, error: null });
  assert.deepEqual(said(), []);
  damage.found({ contract: 'NQZ6', day: DAY, error: null });
  assert.deepEqual(said().slice(1), ['without NQZ6 20261112', 'check NQZ6 20261112']);
  assert.equal(damage.count, 0);
});
