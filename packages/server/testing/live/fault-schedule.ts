/** Generated schedules of what a venue, a network and a machine do to a feed. */

import fc from 'fast-check';
import type { CrashPlace, FeedRun } from './feed-run.ts';
import type { VenueFaults } from './sim-venue.ts';

export interface Fault {
  readonly name: string;
  readonly faults: Partial<VenueFaults>;
  /** What happens once, at its beginning. */
  readonly begin: 'cut' | 'garble' | 'full' | 'nothing' | CrashPlace;
  readonly waitMs: number;
  readonly forMs: number;
}

const SHARE = fc.constantFrom(0.05, 0.3, 1);

const lasting = fc.oneof(
  fc.constant({ name: 'down', faults: { isDown: true } }),
  fc.constant({ name: 'silent', faults: { isSilent: true } }),
  fc.constant({ name: 'mute', faults: { isMute: true } }),
  fc.constant({ name: 'quiet', faults: { isQuiet: true } }),
  fc.constant({ name: 'slow', faults: { delayMs: 2_500 } }),
  SHARE.map((dropped) => ({ name: 'drops', faults: { dropped } })),
  SHARE.map((repeated) => ({ name: 'repeats', faults: { repeated } })),
  SHARE.map((swapped) => ({ name: 'swaps', faults: { swapped } })),
  SHARE.map((rowsMissing) => ({ name: 'pages without rows', faults: { rowsMissing } })),
  SHARE.map((pagesEmpty) => ({ name: 'empty pages', faults: { pagesEmpty } })),
  fc
    .constantFrom(429, 418, 403, 500)
    .map((pageStatus) => ({ name: `pages ${pageStatus}`, faults: { pageStatus } })),
  fc.tuple(fc.constantFrom(0, 5, 60), fc.boolean()).map(([remembered, saysForgotten]) => ({
    name: `remembers ${remembered}`,
    faults: { remembered, saysForgotten },
  })),
);

const once = fc.constantFrom<Fault['begin']>(
  'nothing',
  'nothing',
  'cut',
  'cut',
  'garble',
  'full',
  'before',
  'half',
  'after',
);

const fault: fc.Arbitrary<Fault> = fc
  .tuple(lasting, once, fc.constantFrom(0, 100, 3_000, 20_000), fc.constantFrom(50, 5_000, 45_000))
  .map(([{ name, faults }, begin, waitMs, forMs]) => ({ name, faults, begin, waitMs, forMs }));

export const faultSchedule: fc.Arbitrary<readonly Fault[]> = fc.array(fault, { maxLength: 8 });

/** Faults overlap: one lasts until another of its kind, or the end. `heal` ends all of them. */
export function suffer(
  run: FeedRun,
  schedule: readonly Fault[],
  heal: () => void = () => run.heal(),
): void {
  for (const { faults, begin, waitMs, forMs } of schedule) {
    run.run(waitMs);
    run.set(faults);
    if (begin === 'cut') run.venue.cut(run.nowMs);
    else if (begin === 'garble') run.venue.garble(run.nowMs);
    else if (begin === 'full') run.fullSteps = 100;
    else if (begin !== 'nothing') run.crash(begin);
    run.run(forMs);
    run.judge({ isLying: true });
    if (forMs > 50) heal();
  }
}
