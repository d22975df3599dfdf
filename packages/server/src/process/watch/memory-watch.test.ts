import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { watchMemory } from './memory-watch.ts';

const MIB = 1_048_576;

test('above the calm level idle topics end, and what they held is given back once the thread has time', () => {
  const clock = new ManualClock(0n);
  let [resident, busy, idle, givenBack] = [300, 0.1, 0, 0];
  using _ = watchMemory(
    {
      freeIdle: () => {
        const ended = idle;
        idle = 0;
        return ended;
      },
    },
    clock,
    {
      residentBytes: () => resident * MIB,
      busyShare: () => busy,
      giveBack: () => {
        givenBack += 1;
      },
    },
  );
  idle = 500;
  clock.advance(30_000);
  assert.deepEqual([idle, givenBack], [500, 0]);
  [resident, busy] = [800, 0.9];
  clock.advance(5_000);
  assert.deepEqual([idle, givenBack], [0, 0]);
  busy = 0.1;
  clock.advance(5_000);
  assert.equal(givenBack, 1);
  idle = 3;
  clock.advance(5_000);
  assert.deepEqual([idle, givenBack], [0, 1]);
  clock.advance(15_000);
  assert.equal(givenBack, 2);
});

test('what others than topics left is given back too, ever more seldom while that changes nothing', () => {
  const clock = new ManualClock(0n);
  let [resident, givenBack] = [300, 0];
  using _ = watchMemory({ freeIdle: () => 0 }, clock, {
    residentBytes: () => resident * MIB,
    busyShare: () => 0.1,
    giveBack: () => {
      givenBack += 1;
    },
  });
  clock.advance(60_000);
  assert.equal(givenBack, 0);
  resident = 450;
  clock.advance(5_000);
  assert.equal(givenBack, 1);
  clock.advance(30_000);
  assert.equal(givenBack, 1);
  clock.advance(5_000);
  assert.equal(givenBack, 2);
  clock.advance(20 * 60_000);
  assert.ok(givenBack <= 8, `${givenBack} collections in 20 minutes`);
  resident = 300;
  clock.advance(5_000);
  const before = givenBack;
  resident = 450;
  clock.advance(5_000);
  assert.equal(givenBack, before + 1);
});
