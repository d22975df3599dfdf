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
  /** The connections end with it: what they hid is then looked for. */
  readonly endsWithCut?: boolean;
}

export type LastingFault = Pick<Fault, 'name' | 'faults' | 'endsWithCut'>;

const SHARE = fc.constantFrom(0.05, 0.3, 1);

/** What even a feed without numbers can notice. */
const noticeable: fc.Arbitrary<LastingFault> = fc.oneof(
  fc.constant({ name: 'down', faults: { isDown: true } }),
  fc.constant({ name: 'quiet', faults: { isQuiet: true } }),
  SHARE.map((repeated) => ({ name: 'repeats', faults: { repeated } })),
  SHARE.map((pagesEmpty) => ({ name: 'empty pages', faults: { pagesEmpty } })),
  fc
    .constantFrom(429, 418, 403, 500)
    .map((pageStatus) => ({ name: `pages ${pageStatus}`, faults: { pageStatus } })),
  fc.tuple(fc.constantFrom(0, 5, 60), fc.boolean()).map(([remembered, saysForgotten]) => ({
    name: `remembers ${remembered}`,
    faults: { remembered, saysForgotten },
  })),
);

/** What only numbers, or a repeated stream, show: trades that are left out of a connection or a page. */
const hidden: fc.Arbitrary<LastingFault> = fc.oneof(
  fc.constant({ name: 'silent', faults: { isSilent: true } }),
  fc.constant({ name: 'mute', faults: { isMute: true } }),
  fc.constant({ name: 'slow', faults: { delayMs: 2_500 } }),
  SHARE.map((dropped) => ({ name: 'drops', faults: { dropped } })),
  SHARE.map((swapped) => ({ name: 'swaps', faults: { swapped } })),
  SHARE.map((rowsMissing) => ({ name: 'pages without rows', faults: { rowsMissing } })),
);

/** A silence that ends with its connection, and a delay within the grace period of the watermark. */
const endured: fc.Arbitrary<LastingFault> = fc.constantFrom(
  { name: 'silent', faults: { isSilent: true }, endsWithCut: true },
  { name: 'slow', faults: { delayMs: 200 } },
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

const faultOf = (lasting: fc.Arbitrary<LastingFault>): fc.Arbitrary<Fault> =>
  fc
    .record({
      lasting,
      begin: once,
      waitMs: fc.constantFrom(0, 100, 3_000, 20_000),
      forMs: fc.constantFrom(50, 5_000, 45_000),
    })
    .map(({ lasting: { name, faults, endsWithCut = false }, ...rest }) => ({
      name,
      faults,
      endsWithCut,
      ...rest,
    }));

const scheduleOf = (lasting: fc.Arbitrary<LastingFault>): fc.Arbitrary<readonly Fault[]> =>
  fc.array(faultOf(lasting), { maxLength: 8 });

/** What a feed endures that proves everything. */
export const provenFault: fc.Arbitrary<LastingFault> = fc.oneof(
  { arbitrary: noticeable, weight: 6 },
  { arbitrary: hidden, weight: 6 },
);

/** What a feed endures that proves reconnects only: nothing is left out of a connection that goes on, nor of a page. */
export const noticeableFault: fc.Arbitrary<LastingFault> = fc.oneof(
  { arbitrary: noticeable, weight: 6 },
  { arbitrary: endured, weight: 2 },
);

export const faultSchedule = scheduleOf(provenFault);

export const reconnectSchedule = scheduleOf(noticeableFault);

/** Faults overlap: one lasts until another of its kind, or the end. `heal` ends all of them. */
export function suffer(
  run: FeedRun,
  schedule: readonly Fault[],
  heal: () => void = () => run.heal(),
): void {
  for (const { faults, begin, waitMs, forMs, endsWithCut } of schedule) {
    run.run(waitMs);
    run.set(faults);
    if (begin === 'cut') run.venue.cut(run.nowMs);
    else if (begin === 'garble') run.venue.garble(run.nowMs);
    else if (begin === 'full') run.fullSteps = 100;
    else if (begin !== 'nothing') run.crash(begin);
    run.run(forMs);
    run.judge({ isLying: true });
    if (endsWithCut) run.venue.cut(run.nowMs);
    if (endsWithCut || forMs > 50) heal();
  }
}
