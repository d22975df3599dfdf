import { test } from 'node:test';
import fc from 'fast-check';
import { assertSurvives, type Trouble } from '../simulation/crash-run.ts';
import type { Fault } from '../simulation/sim-disk.ts';

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
  [70, 90, 110].map((later): [number, Trouble[], number] => [
    1_578_864_090,
    [
      { operation: sealed, fault: 'halt', end: 'kill' },
      { operation: later, fault: 'halt', end: 'power' },
      { operation: 1, fault: 'halt', end: 'kill' },
    ],
    1,
  ]),
);

test('whatever was acknowledged is on the tape once, with the ranks and stamps of an undisturbed run, however the machine dies [DET-03] [DET-05] [SEC-31] [SEC-32] [SEC-33]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), troubles, fc.integer({ min: 1, max: 9 }), (seed, plan, window) =>
      assertSurvives({
        seed,
        pace: { batchRowsMax: 12, offersPerDay: 8 },
        offers: 36,
        troubles: plan,
        window,
      }),
    ),
    { numRuns: 60, examples: SEALED_BY_THE_DEAD },
  );
});
