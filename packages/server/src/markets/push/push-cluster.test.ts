import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import {
  FeedCluster,
  type MachineFault,
  machineFault,
} from '../../../testing/live/feed-cluster.ts';
import { names } from '../../../testing/live/feed-run.ts';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';
import { PushSource } from './push-source.ts';

const SYMBOLS = ['ESZ6', 'NQZ6'];
const SECOND_NS = 1_000_000_000n;
const GAP_AFTER_MS = 20_000;
const ANSWER_MS_MAX = 3_000;
const SETTLE_MS = 40_000;

const contracts = SYMBOLS.map(
  (symbol) =>
    ({
      symbol,
      dataset: 'SIM',
      tickSizeNanos: 250_000_000,
      lotSizeNanos: 1_000_000_000,
    }) as Contract,
);

/**
 * A writer beside a cluster. Its venue trades twice a second on each contract; the number of a trade is the half second
 * since the start. It sends each batch to whoever leads until it is acknowledged, and then asks where to resume.
 */
class WriterCluster {
  readonly cluster: FeedCluster<PushSource>;
  /** The venue has trades from this number on. */
  #venueFrom = 1;
  #batches = 0;
  #inFlight: PushRequest | null = null;
  #isAsking = false;
  isSilent = false;
  acknowledged = 0;

  constructor(seed: number) {
    this.cluster = new FeedCluster<PushSource>(
      seed,
      ({ clock }, { intake }) =>
        new PushSource({
          market: {
            dataset: 'SIM',
            listing: () => ({
              book: {} as InstrumentBook,
              contracts,
              streamedOn: () => contracts,
            }),
          },
          intake,
          clock,
          monotonicNs: () => clock.now(),
          feed: { graceMs: 250, gapAfterMs: GAP_AFTER_MS },
          hoursOf: () => null,
          onOffTick: () => undefined,
        }),
      () => this.#step(),
    );
  }

  timeOf(id: number): EpochNs {
    return (this.cluster.start + (BigInt(id) * SECOND_NS) / 2n) as EpochNs;
  }

  get #nowId(): number {
    return Math.floor(Number(this.cluster.now - this.cluster.start) / 5e8);
  }

  /** What it has not sent yet is gone, and it says so. */
  lose(): void {
    this.#venueFrom = this.#nowId;
  }

  #step(): void {
    if (this.cluster.nowMs % 500 !== 0 || this.isSilent || this.#isAsking) return;
    this.#isAsking = true;
    void this.#ask().finally(() => {
      this.#isAsking = false;
    });
  }

  async #ask(): Promise<void> {
    for (const source of this.cluster.sources) {
      this.#inFlight ??= this.#next(source);
      const answer = await this.#answered(source.push(this.#inFlight));
      if (answer?.t !== 'acknowledged') continue;
      this.acknowledged += 1;
      this.#inFlight = null;
      return;
    }
  }

  /** Null: the answer is lost. */
  #answered(answer: Promise<PushAnswer>): Promise<PushAnswer | null> {
    return new Promise((resolve) => {
      this.cluster.world.time.after(ANSWER_MS_MAX, () => resolve(null));
      answer.then(resolve, () => resolve(null));
    });
  }

  #next(source: PushSource): PushRequest {
    const { contracts: known, watermark } = source.position();
    const rows: string[] = [];
    for (const contract of SYMBOLS) {
      const { lastId = 0 } = known.find((one) => one.contract === contract) ?? {};
      for (let id = Math.max(lastId + 1, this.#venueFrom); id <= this.#nowId; id += 1) {
        const trade = { contract, id, ts: `${this.timeOf(id)}`, price: '100.25', size: id };
        rows.push(JSON.stringify({ ...trade, side: id % 2 === 0 ? 'buy' : 'sell' }));
      }
    }
    this.#batches += 1;
    const from = this.timeOf(this.#venueFrom);
    const isLost = watermark !== null && from > BigInt(watermark);
    return {
      batchId: `batch-${this.#batches}`,
      contentType: 'application/x-ndjson',
      upTo: (this.timeOf(this.#nowId) + 1n) as EpochNs,
      missingBefore: isLost ? from : null,
      firstId: null,
      body: new TextEncoder().encode(rows.join('\n')),
    };
  }

  async judge(): Promise<{ readonly present: number; readonly missing: number }> {
    const last = this.#nowId;
    const counts = { present: 0, missing: 0 };
    for (const symbol of SYMBOLS) {
      const rows = await this.cluster.rows(symbol);
      const onTape = rows.map(([day, , ns, , size]) => [epochNs(day, ns), size] as const);
      const gaps = [...this.cluster.gaps.values()].filter((gap) => gap.symbol === symbol);
      const expected: (readonly [EpochNs, number])[] = [];
      for (let id = 1; id <= last; id += 1) {
        const ts = this.timeOf(id);
        if (gaps.some((gap) => names(gap, id, ts))) counts.missing += 1;
        else expected.push([ts, id]);
      }
      assert.deepEqual(onTape, expected.slice(0, onTape.length));
      assert.ok(expected.length - onTape.length <= 2, 'the newest are still on their way');
      counts.present += onTape.length;
    }
    return counts;
  }
}

type Step =
  | MachineFault
  | { readonly writer: 'silent' | 'loses' | 'works'; readonly forMs: number };

const writerStep: fc.Arbitrary<Step> = fc.record({
  writer: fc.constantFrom('silent', 'loses', 'works'),
  forMs: fc.constantFrom(700, 5_000, 30_000),
});

async function play(seed: number, steps: readonly Step[]): Promise<WriterCluster> {
  const run = new WriterCluster(seed);
  const { cluster } = run;
  await cluster.begin();
  await cluster.pass(10_000);
  for (const step of steps) {
    if ('kind' in step) {
      await cluster.suffer(step);
      continue;
    }
    run.isSilent = step.writer !== 'works';
    await cluster.pass(step.forMs);
    if (step.writer === 'loses') run.lose();
    run.isSilent = false;
  }
  await cluster.pass(SETTLE_MS);
  assert.equal(cluster.sources.length, 1, 'one machine leads');
  await run.judge();
  await cluster.stop();
  return run;
}

test('a leader that sleeps while another takes over acknowledges nothing that is lost', async () => {
  const sleep = { machine: -1, kind: 'pause', waitMs: 700, forMs: 25_000 } as const;
  const run = await play(5, [sleep, { writer: 'works', forMs: 5_000 }, sleep]);
  assert.ok(run.acknowledged > 50);
});

test('whatever writer and machines do, the tape of a cluster has every trade once and in order, or a gap that names it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1_000),
      fc.array(fc.oneof({ weight: 2, arbitrary: machineFault }, writerStep), { maxLength: 5 }),
      async (seed, steps) => {
        await play(seed, steps as readonly Step[]);
      },
    ),
    { numRuns: 6 },
  );
});
