import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { refusedAs } from '../../testing/refused-as.ts';
import type { HistoryQuery } from '../history/history-query.ts';
import type { DayResult, DaysRead } from '../results/settled-days.ts';
import { compressLines } from '../runs/day-lines.ts';
import { exportFrames, NoSuchLineError } from './export-frames.ts';

const DAY = utcDay(20261109);
const HOUR_NS = 3_600_000_000_000;

/** A day's results, one an hour from one o'clock on. */
async function resultOf(at: number, count: number, tail: number, isWarm = true) {
  const day = addDays(DAY, at);
  const texts = Array.from({ length: count }, (_, line) => `{"day":${at},"line":${line}}\n`);
  const tails = Array.from({ length: tail }, (_, line) => `{"tail":${line}}\n`);
  const settled = columnsOf(texts);
  const result: DayResult = {
    day,
    trades: count,
    isComplete: true,
    settled: {
      bytes: new Uint8Array(0),
      ends: settled.ends,
      ranks: Uint32Array.from(texts, (_, line) => line + 1),
      ks: new Uint32Array(count),
      fromNs: Float64Array.from(texts, (_, line) => (line + 1) * HOUR_NS),
    },
    frame: await compressLines(settled.bytes),
    tail: columnsOf(tails),
    isWarm,
  };
  return { result, texts, tails };
}

function columnsOf(texts: readonly string[]) {
  let sum = 0;
  return {
    bytes: new Uint8Array(Buffer.from(texts.join(''))),
    ends: Uint32Array.from(texts, (text) => {
      sum += text.length;
      return sum;
    }),
  };
}

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

/** A read of these results that knows whether it was closed, and how many were taken. */
class ListedRead implements DaysRead {
  isClosed = false;
  taken = 0;
  readonly #results: readonly DayResult[];

  constructor(results: readonly DayResult[]) {
    this.#results = results;
  }

  async next(): Promise<DayResult | null> {
    const kept = this.#results[this.taken] ?? null;
    // Results are given away, as by a thread; the frame stays the very same.
    const result = kept === null ? null : { ...structuredClone(kept), frame: kept.frame };
    this.taken += 1;
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
  }
}

function framesOf(read: DaysRead, query: HistoryQuery, line = 0) {
  return exportFrames({
    query,
    engineFingerprint: 'f',
    lookBackFrom: null,
    line,
    open: async () => read,
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
          days.map((count, at) => resultOf(at, count, at === days.length - 1 ? tail : 0)),
        );
        const results = made.map(({ result }) => result);
        const query = queryOf({ from: epochNs(DAY, fromNs) as EpochNs });
        const whole = await linesOf(framesOf(new ListedRead(results), query));
        const expected = made.flatMap(({ texts, tails }, at) => [
          ...texts.filter((_, line) => at > 0 || (line + 1) * HOUR_NS > fromNs),
          ...tails,
        ]);
        assert.deepEqual(whole.slice(1, -1), expected);
        assert.equal(JSON.parse(whole[0]!).t, 'header');
        assert.deepEqual(JSON.parse(whole.at(-1)!), { t: 'end', items: expected.length });
        for (let line = 0; line <= whole.length; line += 1) {
          const read = new ListedRead(results);
          assert.deepEqual(await linesOf(framesOf(read, query, line)), whole.slice(line));
          assert.ok(read.isClosed);
        }
        await assert.rejects(
          linesOf(framesOf(new ListedRead(results), query, whole.length + 1)),
          NoSuchLineError,
        );
      },
    ),
    { numRuns: 30 },
  );
});

test('a day that is exported whole goes out as the frame it is kept as, and the next is not read before', async () => {
  const made = await Promise.all([resultOf(0, 5, 0), resultOf(1, 7, 0), resultOf(2, 2, 0)]);
  const read = new ListedRead(made.map(({ result }) => result));
  const frames = framesOf(read, queryOf({}));
  await frames.next();
  for (const [at, { result }] of made.entries()) {
    assert.equal((await frames.next()).value, result.frame);
    assert.equal(read.taken, at + 1);
  }
  await frames.return(undefined);
  assert.ok(read.isClosed);
});

test('it ends at untilCursor, and reads no further', async () => {
  const made = await Promise.all([resultOf(0, 5, 0), resultOf(1, 7, 0), resultOf(2, 2, 0)]);
  const read = new ListedRead(made.map(({ result }) => result));
  const lines = await linesOf(framesOf(read, queryOf({ untilCursor: '20261110.3.0' })));
  assert.deepEqual(lines.slice(1, -1), [...made[0]!.texts, ...made[1]!.texts.slice(0, 3)]);
  assert.equal(read.taken, 2);
});

test('an indicator without its look-back is told before anything is sent', async () => {
  const { result } = await resultOf(0, 0, 0, false);
  const read = new ListedRead([result]);
  await assert.rejects(framesOf(read, queryOf({})).next(), refusedAs('not-warm'));
  assert.ok(read.isClosed);
});
