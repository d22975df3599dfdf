/**
 * Random commits for an engine over the sessions of `engine-run.ts`: clusters of trades, gaps of all lengths, also
 * across sessions and midnights, watermarks (`promise`) at and beyond the last trade, prices that stay close or move
 * far, so that objects are small or large; and topics to run over them.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { DAY, HOUR_NS } from '../stream/engine-run.ts';
import type { MemoryTrade } from './memory-tape.ts';

const MS_NS = 1_000_000;
const START_NS = 9.5 * HOUR_NS;

export interface ScriptedCommit {
  readonly trades: readonly MemoryTrade[];
  readonly promise: EpochNs;
}

function commitsWithin(priceMax: number): fc.Arbitrary<readonly ScriptedCommit[]> {
  const step = fc.record({
    gapNs: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(0, 1, 20 * MS_NS, 1_000 * MS_NS, 60_000 * MS_NS) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 90 * MS_NS }) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 * 60_000 * MS_NS }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 11 * HOUR_NS }) },
    ),
    trades: fc.array(
      fc.record({
        gapNs: fc.oneof(
          { weight: 2, arbitrary: fc.constant(0) },
          { weight: 2, arbitrary: fc.integer({ min: 0, max: 30 * MS_NS }) },
          { weight: 1, arbitrary: fc.integer({ min: 0, max: 700 * MS_NS }) },
        ),
        price: fc.integer({ min: 100, max: priceMax }),
        size: fc.integer({ min: 1, max: 40 }),
        side: fc.constantFrom(-1 as const, 0 as const, 1 as const),
      }),
      { maxLength: 12, size: 'max' },
    ),
    promiseNs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 * MS_NS })),
  });
  return fc.array(step, { minLength: 4, maxLength: 40, size: 'max' }).map((steps) => {
    let at = epochNs(DAY, START_NS) as bigint;
    return steps.map(({ gapNs, trades, promiseNs }) => {
      at += BigInt(gapNs);
      const stamped = trades.map(({ gapNs: apartNs, ...trade }) => {
        at += BigInt(apartNs);
        return { at: at as EpochNs, ...trade };
      });
      at += BigInt(promiseNs);
      return { trades: stamped, promise: at as EpochNs };
    });
  });
}

export const randomCommits: fc.Arbitrary<readonly ScriptedCommit[]> = fc.oneof(
  commitsWithin(112),
  commitsWithin(900),
);

export type Topic = readonly [indicator: string, params: Record<string, unknown>];

export const randomTopics: fc.Arbitrary<Topic> = fc.constantFrom<Topic>(
  ['bars', {}],
  ['bars', { bar: 'tick', size: 5 }],
  ['bars', { bar: 'volume', size: 30 }],
  ['footprint', { bar: 'time', size: 30 }],
  ['footprint', { bar: 'range', size: 3 }],
  ['large-trades', { minSize: 30 }],
  ['large-trades', { minSize: 0, perSession: 3, gapMs: 10 }],
  ['imbalances', { bar: 'tick', size: 3, stack: 1, zero: 'count' }],
  ['unfinished-auctions', { size: 30 }],
  ['volume-profile', {}],
  ['tpo', {}],
  ['session-levels', {}],
  ['naked-levels', {}],
  ['vwap', {}],
);
