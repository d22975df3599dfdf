import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, nsOfDay, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { blockOfLines } from '../../testing/block-of-lines.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import type { HistoryQuery } from '../history/history-query.ts';
import { compressFrame } from '../results/frames.ts';
import type { DaysPage, DaysRead } from '../results/settled-days.ts';
import { exportFrames, NoSuchLineError } from './export-frames.ts';

const DAY = utcDay(20261109);
const HOUR_NS = 3_600_000_000_000;

/** A day's results as a page, one an hour from one o'clock on. */
async function pageOf(at: number, count: number, tailCount: number, isWarm = true) {
  const day = addDays(DAY, at);
  const texts = Array.from({ length: count }, (_, line) => `{"day":${at},"line":${line}}`);
  const tails = Array.from({ length: tailCount }, (_, line) => `{"tail":${line}}`);
  const block = blockOfLines(day, texts, (line) => (line + 1) * HOUR_NS);
  return { day, isWarm, block, tail: blockOfLines(day, tails), texts, tails };
}

type Made = Awaited<ReturnType<typeof pageOf>>;

function queryOf(rest: Partial<HistoryQuery>): HistoryQuery {
  return {
    instrument: 'ESZ6',
    contract: 'ESZ6',
    tickSizeNanos: 250_000_000,
    indicator: 'bars',
    params: {},
    depth: 500,
    computeUnitsPerTrade: 1,
    mode: 'live',
    hasSnapshot: false,
    format: 'ndjson',
    from: epochNs(DAY, 0),
    to: epochNs(addDays(DAY, 9), 0),
    untilCursor: null,
    cursor: null,
    limit: 1,
    ...rest,
  };
}

/** A read of these days, as a reader gives them, that knows whether it was closed, and how many were taken. */
class ListedRead implements DaysRead {
  isClosed = false;
  taken = 0;
  readonly #days: readonly Made[];
  readonly #from: EpochNs;
  #skip = 0;

  constructor(days: readonly Made[], { from }: HistoryQuery = queryOf({})) {
    this.#days = days;
    this.#from = from;
  }

  from(skip: number): this {
    this.#skip = skip;
    return this;
  }

  async next(): Promise<DaysPage | null> {
    const made = this.#days[this.taken];
    if (made === undefined) return null;
    this.taken += 1;
    const { day, isWarm, block, tail } = made;
    const first = day === dayOf(this.#from) ? block.countKnownAt(nsOfDay(this.#from)) : 0;
    const skipped = Math.min(this.#skip, block.count - first);
    this.#skip -= skipped;
    const frames = await compressFrame(block.slice(first + skipped).text);
    const counts = { rank: block.count, skipped, updates: block.count - first - skipped };
    const rest = { isDayOver: true, isWarm, blocks: [], tail: tail.copy().parts };
    const position = { day: addDays(day, 1), rank: 0 as Rank, k: 0 };
    return { parts: [{ day, ...counts, ...rest }], frames, position, isLast: false };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
  }
}

function framesOf(read: ListedRead, query: HistoryQuery, line = 0) {
  return exportFrames({
    studies: [{ query, lookBackFrom: null, open: async (skip) => read.from(skip) }],
    engineFingerprint: 'f',
    line,
  });
}

async function linesOf(frames: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const all: Uint8Array[] = [];
  // Each is a frame of its own.
  for await (const frame of frames) all.push(zstdDecompressSync(frame));
  return Buffer.concat(all).toString().match(/.*\n/g) ?? [];
}

test('whatever line it begins at, the lines are those of the whole from there on [EXP-06]', async () => {
  const counts = fc.array(fc.nat({ max: 12 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      counts,
      fc.nat({ max: 3 }),
      fc.nat({ max: 13 * HOUR_NS }),
      async (days, tail, fromNs) => {
        const made = await Promise.all(
          days.map((count, at) => pageOf(at, count, at === days.length - 1 ? tail : 0)),
        );
        const query = queryOf({ from: epochNs(DAY, fromNs) as EpochNs });
        const whole = await linesOf(framesOf(new ListedRead(made, query), query));
        const wanted = made.flatMap(({ texts, tails }, at) => [
          ...texts.filter((_, line) => at > 0 || (line + 1) * HOUR_NS > fromNs),
          ...tails,
        ]);
        const expected = wanted.map((text) => `${text}\n`);
        assert.deepEqual(whole.slice(1, -1), expected);
        assert.equal(JSON.parse(whole[0]!).t, 'header');
        assert.deepEqual(JSON.parse(whole.at(-1)!), { t: 'end', items: expected.length });
        for (let line = 0; line <= whole.length; line += 1) {
          const read = new ListedRead(made, query);
          assert.deepEqual(await linesOf(framesOf(read, query, line)), whole.slice(line));
          assert.ok(read.isClosed);
        }
        await assert.rejects(
          linesOf(framesOf(new ListedRead(made, query), query, whole.length + 1)),
          NoSuchLineError,
        );
      },
    ),
    { numRuns: 30 },
  );
});

test('a page goes out as the frames it came in, and the next is not read before', async () => {
  const made = await Promise.all([pageOf(0, 5, 0), pageOf(1, 7, 0), pageOf(2, 2, 0)]);
  const read = new ListedRead(made);
  const frames = framesOf(read, queryOf({}));
  await frames.next();
  for (const [at, { block }] of made.entries()) {
    assert.deepEqual((await frames.next()).value, await compressFrame(block.text));
    assert.equal(read.taken, at + 1);
  }
  await frames.return(undefined);
  assert.ok(read.isClosed);
});

test('an indicator without its look-back is told before anything is sent', async () => {
  const read = new ListedRead([await pageOf(0, 0, 0, false)]);
  await assert.rejects(framesOf(read, queryOf({})).next(), refusedAs('not-warm'));
  assert.ok(read.isClosed);
});
