/** Days held in memory and in files compared with independent reads, over a tape that grows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS } from '../../../core/testing/twins/study-subjects.ts';
import {
  daysOf,
  linesOf,
  noLogs,
  type ReadDay,
  SettledWorld,
  textOf,
} from '../../testing/history/settled-world.ts';
import {
  BY_ID,
  CONTRACT,
  DAY,
  HOUR_NS,
  paramsOf,
  SESSIONS,
} from '../../testing/stream/engine-run.ts';
import { MarketTape } from '../../testing/tape/market-tape.ts';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { listCache } from './cache-entries.ts';
import { DayLogs } from './day-logs.ts';
import { ResultCache } from './result-cache.ts';
import type { DaysPage, SettledDaysRequest } from './settled-days.ts';
import { SettledDaysReader } from './settled-days-reader.ts';

type Topic = readonly [string, Record<string, unknown>];

const TOPICS: readonly Topic[] = [
  ['bars', { bar: 'tick', size: 2 }],
  ['bars', {}],
  ['footprint', { bar: 'range', size: 3 }],
  ['large-trades', { minSize: 0, perSession: 3, gapMs: 10 }],
  ['session-levels', {}],
  ['imbalances', { bar: 'tick', size: 3, stack: 1, zero: 'count', lookback: 1 }],
  ['unfinished-auctions', { size: 5, lookback: 1 }],
  ['naked-levels', { lookback: 1 }],
];

const steps = fc.array(
  fc.record({
    /** How far the tape grows, in half hours, and by how many trades; null: it does not grow. */
    grows: fc.option(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.nat({ max: 12 }))),
    topic: fc.nat({ max: 1 }),
    firstDay: fc.nat({ max: 1 }),
    /** How far before the end of the tape the read ends; mostly 0. */
    before: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 * HOUR_NS })),
    hasTail: fc.boolean(),
    /** After which line of all the results the read starts. */
    after: fc.option(fc.nat({ max: 60 })),
    /** How many pages are taken before the read is closed. */
    taken: fc.option(fc.nat({ max: 3 })),
    isTwice: fc.boolean(),
  }),
  { minLength: 3, maxLength: 25, size: 'max' },
);
const limits = fc.constantFrom(
  { runs: 2, bytes: 6_000, bytesPerDay: 1_500, packedBytesPerDay: 1_500 },
  { runs: 1, bytes: 1_000_000, bytesPerDay: 2_000, packedBytesPerDay: 3_000 },
  {},
);

class GrowingWorld {
  readonly tape = new MemoryTape(CONTRACT, 5);
  #halfHours = 16;
  #count = 0;

  get now(): EpochNs {
    return this.tape.promise!;
  }

  grow(halfHours: number, count: number): void {
    const from = epochNs(DAY, (this.#halfHours * HOUR_NS) / 2);
    this.#halfHours += halfHours;
    const to = epochNs(DAY, (this.#halfHours * HOUR_NS) / 2);
    const trades: MemoryTrade[] = [];
    for (let at = 0; at < count && to > from; at += 1) {
      this.#count += 1;
      trades.push({
        at: (from + ((to - from) * BigInt(at)) / BigInt(count)) as EpochNs,
        price: 100 + ((this.#count * 7) % 11),
        size: 1 + ((this.#count * 13) % 40),
        side: ((this.#count % 3) - 1) as -1 | 0 | 1,
      });
    }
    this.tape.commit(trades, to);
  }

  reader(logs: DayLogs, pageBytes = 400): SettledDaysReader {
    return new SettledDaysReader({
      tape: this.tape,
      indicators: BY_ID,
      sessionsOf: () => SESSIONS,
      yieldTurn: async () => {},
      cache: null,
      logs,
      pageBytes,
    });
  }
}

async function taken(reader: SettledDaysReader, request: SettledDaysRequest, count = 1_000) {
  const pages: DaysPage[] = [];
  await using read = await reader.read(request);
  while (pages.length < count) {
    const next = await read.next();
    if (next === null) break;
    pages.push(next);
  }
  return pages;
}

/** The content of days after a cursor. */
function said(pages: readonly DaysPage[], after: Cursor | null) {
  return daysOf(pages).map(({ day, trades, isWarm, settled, tail }: ReadDay) => ({
    day,
    trades,
    isWarm,
    lines: linesOf(settled).filter((_, line) => {
      return after === null || compareCursors(settled.cursor(line), after) > 0;
    }),
    tail: linesOf(tail),
  }));
}

test('held or not, whatever was asked before, the same lines, trades and tail come out [DET-17]', async () => {
  const topics = fc.shuffledSubarray([...TOPICS], { minLength: 2, maxLength: 2 });
  const cuts = fc.constantFrom(2, 9, 65_536);
  const property = fc.asyncProperty(
    topics,
    steps,
    limits,
    cuts,
    async (pair, all, heldLimits, blockRanks) => {
      const world = new GrowingWorld();
      world.grow(4, 3);
      const logs = new DayLogs({ ...heldLimits, blockRanks });
      const reader = world.reader(logs);
      for (const step of all) {
        if (step.grows !== null) world.grow(...step.grows);
        const [indicator, input] = pair[step.topic]!;
        const until = (world.now - BigInt(step.before)) as EpochNs;
        const firstDay = addDays(DAY, step.firstDay);
        if (until <= epochNs(firstDay, 0)) continue;
        const request: SettledDaysRequest = {
          account: 'a',
          contract: CONTRACT,
          indicator,
          params: paramsOf(BY_ID.get(indicator)!, input),
          from: epochNs(firstDay, 0),
          until,
          hasTail: step.hasTail,
          form: 'blocks',
        };
        const fresh = await taken(world.reader(noLogs()), request);
        const first = linesOf(daysOf(fresh)[0]!.settled);
        const line = step.after === null ? undefined : first[step.after % (first.length || 1)];
        const after = line === undefined ? null : parseCursor(JSON.parse(line).cursor);
        const reads = Array.from({ length: step.isTwice ? 2 : 1 }, () =>
          taken(reader, { ...request, after }, step.taken ?? 1_000),
        );
        const both = await Promise.all(reads);
        const { runs, bytes } = logs.counts;
        assert.ok(runs <= logs.limits.runs && bytes <= logs.limits.bytes);
        for (const pages of step.taken === null ? both : []) {
          assert.deepEqual(said(pages, null), said(fresh, after));
        }
        // A caller may change the blocks it gets.
        for (const { parts } of both.flat()) {
          for (const { blocks, tail } of parts) {
            for (const { memory } of tail === null ? blocks : [...blocks, tail]) {
              new Uint8Array(memory).fill(0);
            }
          }
        }
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test('a long day is read once, by pages and by who comes back every minute', async () => {
  const world = new GrowingWorld();
  // Trades in the session that opens at ten.
  world.grow(5, 0);
  world.grow(1, 1_000);
  let rows = 0;
  const counted = new Proxy(world.tape, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (name !== 'read') return typeof value === 'function' ? value.bind(target) : value;
      return async function* (...args: Parameters<MemoryTape['read']>) {
        for await (const batch of target.read(...args)) {
          rows += batch.count;
          yield batch;
        }
      };
    },
  });
  const reader = new SettledDaysReader({
    tape: counted,
    indicators: BY_ID,
    sessionsOf: () => SESSIONS,
    yieldTurn: async () => {},
    cache: null,
  });
  const request = (hasTail: boolean, after: Cursor | null = null): SettledDaysRequest => ({
    account: 'a',
    contract: CONTRACT,
    indicator: 'bars',
    params: paramsOf(BY_ID.get('bars')!, { bar: 'tick', size: 4 }),
    from: epochNs(DAY, 0),
    until: world.now,
    hasTail,
    form: 'blocks',
    after,
  });
  const [whole] = daysOf(await taken(reader, request(true)));
  assert.equal(whole!.settled.count, 250);
  assert.equal(rows, 1_000);
  for (const hasTail of [true, false]) await taken(reader, request(hasTail));
  assert.equal(rows, 1_000, 'what was asked before is there');
  world.grow(1, 12);
  const after = { day: DAY, rank: 1_000 as Rank, k: 1 };
  const [rest] = daysOf(await taken(reader, request(true, after)));
  assert.equal(rows, 1_012, 'only what is new is read');
  assert.deepEqual([...rest!.settled.ranks], [1_004, 1_008, 1_012]);
  assert.equal(rest!.trades, 1_012);
});

test('a held day does not serve once a day of its look-back came to the tape or left it [DET-18]', async () => {
  const tape = new MarketTape();
  const [before, today] = [DAY, addDays(DAY, 1)];
  const trade = (day: UtcDay, hour: number, price = 100 + hour) => {
    return { at: epochNs(day, hour * HOUR_NS), price, size: 1, side: 1 as const };
  };
  tape.commit(CONTRACT, [trade(before, 11), trade(before, 23)], epochNs(before, 23.5 * HOUR_NS));
  tape.commit(CONTRACT, [trade(today, 1, 123), trade(today, 11)], epochNs(today, 13 * HOUR_NS));
  const shared = { tape, indicators: BY_ID, sessionsOf: () => SESSIONS, cache: null };
  const holding = new SettledDaysReader({ ...shared, yieldTurn: async () => {} });
  const fresh = () => new SettledDaysReader({ ...shared, yieldTurn: async () => {} });
  const params = paramsOf(BY_ID.get('naked-levels')!, { lookback: 2 });
  const asked = { account: 'a', contract: CONTRACT, indicator: 'naked-levels', params };
  const range = { from: epochNs(today, 5 * HOUR_NS), until: tape.promise! };
  const request = { ...asked, ...range, hasTail: true, form: 'blocks' as const };
  const seen: string[] = [];
  for (const hidden of [[], [before], []]) {
    tape.hide(CONTRACT, ...hidden);
    const lines = said(await taken(holding, request), null);
    assert.deepEqual(lines, said(await taken(fresh(), request), null));
    seen.push(JSON.stringify(lines));
  }
  assert.ok(seen[0] !== seen[1] && seen[0] === seen[2]);
});

const reads = fc.array(
  fc.record({
    from: fc.nat(),
    share: fc.integer({ min: 1, max: 1_000 }),
    isWhole: fc.boolean(),
    hasTail: fc.boolean(),
    form: fc.constantFrom('blocks' as const, 'frames' as const),
    /** Which reader, and which files vanish afterwards. */
    reader: fc.constantFrom(0, 1),
    gone: fc.integer({ min: 0, max: 255 }),
  }),
  { minLength: 2, maxLength: 8 },
);

const ROOT = '/cache';

function cacheOn(disk: ReturnType<SimDisk['boot']>) {
  const options = { disk, root: ROOT, bytesMax: 2 ** 30, now: () => 1_000, writer: 'w' };
  return { results: new ResultCache(options), datasetOf: () => 'SIM' };
}

test('files of one reader serve another, some of them gone, and give what a fresh reading gives [DET-18]', async () => {
  const subjects = fc.constantFrom(...Object.values(SUBJECTS)).chain((subject) => subject);
  let blocks = 0;
  const property = fc.asyncProperty(subjects, randomTape, reads, async (subject, tape, asked) => {
    const plain = new SettledWorld(tape, subject, { blockRanks: 4 });
    if (plain.days.length === 0) return;
    const disk = new SimDisk().boot();
    const cache = cacheOn(disk);
    const worlds = [noLogs(4), new DayLogs({ blockRanks: 4 })].map((logs) => {
      return new SettledWorld(tape, subject, { cache, logs, pageBytes: 500 });
    });
    const start = epochNs(plain.firstDay, 0);
    const length = Number(plain.until - start);
    for (const { from, share, isWhole, hasTail, form, reader, gone } of asked) {
      const firstDay = plain.days[from % plain.days.length]!;
      const part = (start + BigInt(Math.ceil((share / 1_000) * length))) as EpochNs;
      const request = { firstDay, until: isWhole ? plain.until : part, hasTail, form };
      const pages = await worlds[reader]!.pages(request);
      const expected = await plain.pages({ ...request, form: 'blocks' });
      assert.equal(textOf(pages), textOf(expected));
      if (form === 'blocks') assert.deepEqual(daysOf(pages), daysOf(expected));
      blocks += pages.length;
      await cache.results.settled();
      const kept = await Array.fromAsync(listCache(disk, ROOT));
      for (const [at, { path }] of kept.entries()) {
        if (((gone >> (at % 8)) & 1) === 1) await disk.remove(path);
      }
    }
    const { damaged, stale, failed } = cache.results.counters;
    assert.deepEqual({ damaged, stale, failed }, { damaged: 0, stale: 0, failed: 0 });
  });
  await fc.assert(property, { numRuns: 50 });
  assert.ok(blocks > 200, `${blocks} pages were read`);
});

test('a kept day is read without computing anything, from its file and from memory [DET-18]', async () => {
  const [subject] = fc.sample(Object.values(SUBJECTS)[0]!, { numRuns: 1, seed: 5 });
  const [tape] = fc.sample(randomTape, { numRuns: 1, seed: 5 });
  const plain = new SettledWorld(tape!, subject!);
  const until = epochNs(plain.days.at(-1)!, 0);
  const cache = cacheOn(new SimDisk().boot());
  for (const logs of [noLogs(3), new DayLogs({ blockRanks: 3 })]) {
    const world = new SettledWorld(tape!, subject!, { cache, logs });
    const first = await world.read({ until });
    await cache.results.settled();
    const before = { ...cache.results.counters };
    assert.deepEqual(await world.read({ until }), first);
    const { hits, misses } = cache.results.counters;
    assert.equal(misses, before.misses, 'everything was found');
    assert.ok(hits > before.hits);
  }
});
