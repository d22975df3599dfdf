import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertSurvives, type Trouble } from '../packages/server/testing/tape/crash-run.ts';
import { seededRandom } from '../simulation/clock/seeded-random.ts';
import type { Fault } from '../simulation/disk/sim-disk.ts';

const PACE = { batchRowsMax: 12, offersPerDay: 8 };

const troubles = fc.array(
  fc.record({
    operation: fc.integer({ min: 1, max: 280 }),
    fault: fc.constantFrom<Fault>('halt', 'halt', 'halt', 'fail', 'full'),
    end: fc.constantFrom<Trouble['end']>('kill', 'power', 'torn'),
  }),
  { minLength: 1, maxLength: 12 },
);

/** A day is sealed but its name not synced when the process is killed; then the power fails. */
const SEALED_BY_THE_DEAD = [132, 144, 156, 187].flatMap((sealed) =>
  [70, 90, 110].map((later): [number, Trouble[], number, number] => [
    1_578_864_090,
    [
      { operation: sealed, fault: 'halt', end: 'kill' },
      { operation: later, fault: 'halt', end: 'power' },
      { operation: 1, fault: 'halt', end: 'kill' },
    ],
    1,
    0,
  ]),
);

test('whatever was acknowledged is on the tape once, with the ranks and stamps of an undisturbed run, however the machine dies, also while it waits for a file [DET-03] [DET-05] [SEC-31] [SEC-32] [SEC-33] [SEC-41]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      troubles,
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(0, 0.3),
      (seed, plan, window, busyShare) => {
        const random = seededRandom(seed + 2);
        const busy = () => random() < busyShare;
        return assertSurvives({ seed, pace: PACE, offers: 36, troubles: plan, window, busy });
      },
    ),
    { numRuns: 60, examples: SEALED_BY_THE_DEAD },
  );
});

test('a tape whose every call finds no file to be had, twice, is the tape of an undisturbed run [DET-03] [SEC-41]', async () => {
  const tries = new Map<string, number>();
  const busy = (operation: string, path: string) => {
    const call = `${operation} ${path}`;
    const nth = (tries.get(call) ?? 0) + 1;
    tries.set(call, nth);
    return nth % 3 !== 0;
  };
  await assertSurvives({ seed: 7, pace: PACE, offers: 60, troubles: [], window: 5, busy });
  assert.ok(tries.size > 50);
});
