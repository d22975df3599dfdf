/** The promise of every venue in a cluster: whatever machines and venue do, all tapes have each trade or its gap. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Dialect } from './dialect.ts';
import { BinanceDialect } from './dialects/binance-dialect.ts';
import { bybitDialect } from './dialects/bybit-dialect.ts';
import { databentoDialect } from './dialects/databento-dialect.ts';
import { krakenFuturesDialect } from './dialects/kraken-futures-dialect.ts';
import { okxDialect } from './dialects/okx-dialect.ts';
import { type LastingFault, noticeableFault, provenFault } from './fault-schedule.ts';
import { type MachineFault, machineFault } from './feed-cluster.ts';
import { VenueCluster } from './venue-cluster.ts';

/** One venue for each way to prove that nothing is missing. */
export const CLUSTER_DIALECTS: Readonly<Record<string, () => Dialect>> = {
  'binance-usdm, numbers': () => new BinanceDialect('binance-usdm'),
  'okx, numbers in pages by number': () => okxDialect,
  'kraken-futures, numbers in the stream only': () => krakenFuturesDialect,
  'databento, a stream that is repeated': () => databentoDialect(),
  'bybit-linear, the newest trades only': () => bybitDialect,
};

interface VenueFault extends LastingFault {
  readonly isCut: boolean;
  readonly forMs: number;
}

function venueFault(lasting: fc.Arbitrary<LastingFault>): fc.Arbitrary<VenueFault> {
  return fc
    .record({ lasting, isCut: fc.boolean(), forMs: fc.constantFrom(1_000, 8_000, 30_000) })
    .map(({ lasting: fault, ...rest }) => ({ ...fault, ...rest }));
}

/** Runs so many random schedules; a machine dies, sleeps or is cut off in most of them. */
export async function assertClusterSurvives(dialect: Dialect, schedules: number): Promise<void> {
  const all = dialect.proves === 'everything' ? provenFault : noticeableFault;
  // A byte stream repeats nothing in its middle, and trades without numbers and texts cannot be told apart.
  const lasting = dialect.isTcp === true ? all.filter(({ name }) => name !== 'repeats') : all;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1_000),
      fc.array(fc.oneof({ weight: 2, arbitrary: machineFault }, venueFault(lasting)), {
        maxLength: 5,
      }),
      async (seed, schedule) => {
        const run = await VenueCluster.begun(seed, dialect);
        for (const fault of schedule) await suffer(run, fault);
        await run.settle();
        const { present } = await run.judge();
        assert.ok(present > 0);
        await run.cluster.stop();
      },
    ),
    { numRuns: schedules },
  );
}

async function suffer(run: VenueCluster, fault: MachineFault | VenueFault): Promise<void> {
  if ('kind' in fault) {
    await run.cluster.suffer(fault);
    return;
  }
  run.set(fault.faults);
  if (fault.isCut) run.cut();
  await run.cluster.pass(fault.forMs);
  if (fault.endsWithCut !== true) return;
  run.cut();
  run.set({});
}
