/** Settled days beside an engine, with a cache and without, cancelled, and over damaged tapes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import {
  daysOf,
  entriesOf,
  noLogs,
  pagesOf,
  type ReadDay,
  SettledWorld,
  textOf,
} from '../../../../simulation/history/settled-world.ts';
import {
  BY_ID,
  CONTRACT,
  DAY,
  EngineRun,
  HOUR_NS,
  paramsOf,
  SESSIONS,
  settle,
} from '../../../../simulation/stream/engine-run.ts';
import { MemoryTape, type MemoryTrade } from '../../../../simulation/tape/memory-tape.ts';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS } from '../../../core/testing/twins/study-subjects.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import { NO_LIVE_DAYS, TapeReader } from '../tape/read/tape-reader.ts';
import { sealDay } from '../tape/write/seal.ts';
import { DayLogs } from './day-logs.ts';
import { ResultCache } from './result-cache.ts';
import type { DaysPage, SettledDaysRequest } from './settled-days.ts';
import { type CacheUse, SettledDaysReader } from './settled-days-reader.ts';

const MINUTE_NS = 60_000_000_000;
const START = epochNs(DAY, 9 * HOUR_NS);
const TAPE_ROOT = '/data/tape';
const DATASET = 'SIM';

type Topic = readonly [string, Record<string, unknown>];

const topics = fc.constantFrom<Topic>(
  ['bars', { bar: 'tick', size: 5 }],
  ['bars', {}],
  ['footprint', { bar: 'range', size: 3 }],
  ['large-trades', { minSize: 0, perSession: 3, gapMs: 10 }],
  ['session-levels', {}],
  ['absorption', { minSize: 20 }],
  ['imbalances', { bar: 'tick', size: 3, stack: 1, zero: 'count', lookback: 1 }],
  ['unfinished-auctions', { size: 5, lookback: 1 }],
  ['naked-levels', { lookback: 1 }],
);

/** Trades from nine in the morning on, over the three sessions and the midnight between them. */
const trades = fc
  .array(
    fc.record({
      gapNs: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 0, max: 2 * MINUTE_NS }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 * HOUR_NS }) },
      ),
      price: fc.integer({ min: 100, max: 112 }),
      size: fc.integer({ min: 1, max: 40 }),
      side: fc.constantFrom(-1 as const, 0 as const, 1 as const),
    }),
    { minLength: 10, maxLength: 120, size: 'max' },
  )
  .map((steps) => {
    let at = START as bigint;
    return steps.map(({ gapNs, ...trade }): MemoryTrade => {
      at += BigInt(gapNs);
      return { at: at as EpochNs, ...trade };
    });
  });

function readerOver(
  tape: MemoryTape | TapeReader,
  cache: CacheUse | null = null,
  indicators: ReadonlyMap<string, Indicator> = BY_ID,
  logs: DayLogs = noLogs(),
): SettledDaysReader {
  return new SettledDaysReader({
    tape,
    indicators,
    sessionsOf: () => SESSIONS,
    yieldTurn: async () => {},
    cache,
    logs,
  });
}

function requestOf(
  [indicator, input]: Topic,
  until: EpochNs,
  more: Partial<SettledDaysRequest> = {},
): SettledDaysRequest {
  return {
    account: 'a',
    contract: CONTRACT,
    indicator,
    params: paramsOf(BY_ID.get(indicator)!, input),
    from: epochNs(DAY, 0),
    until,
    hasTail: false,
    form: 'blocks',
    ...more,
  };
}

async function resultsOf(
  reader: SettledDaysReader,
  request: SettledDaysRequest,
): Promise<readonly ReadDay[]> {
  await using read = await reader.read(request);
  return daysOf(await pagesOf(read));
}

test('what a stream settled is what is read afterwards, message by message [DET-17]', async () => {
  const property = fc.asyncProperty(topics, trades, async (topic, all) => {
    const tape = new MemoryTape(CONTRACT, 9);
    const run = new EngineRun(tape);
    tape.commit([], START);
    run.open(topic);
    await settle();
    const end = (all.at(-1)!.at + 2_000_000_000n) as EpochNs;
    tape.commit(all, end);
    await settle();
    assert.deepEqual(run.faults, []);
    const published = run
      .published()
      .filter((it) => it.t === 'remove' || (it.t === 'upsert' && it.final))
      .map(({ sub: _, ...rest }: ServerMessage & { sub?: string }) => rest as { cursor: string });
    const settled = entriesOf(await resultsOf(readerOver(tape), requestOf(topic, end)));
    const cursors = new Set(published.map(({ cursor }) => cursor));
    assert.deepEqual(
      settled.filter(({ cursor }) => cursors.has(cursor)),
      published,
    );
    // Of an object that came and went in one flush, a stream tells only that it went.
    for (const { t, cursor, id } of settled.filter((it) => !cursors.has(it.cursor))) {
      const gone = settled.find((it) => it.t === 'remove' && it.id === id);
      assert.equal(t, 'upsert');
      assert.ok(gone !== undefined && cursors.has(gone.cursor), `${cursor} is missing`);
    }
  });
  await fc.assert(property, { numRuns: 60 });
});

function cacheOn(disk: SimDisk): CacheUse {
  const results = new ResultCache({
    disk: disk.boot(),
    root: '/cache',
    bytesMax: 2 ** 30,
    now: () => 1_000,
    writer: 'w',
  });
  return { results, datasetOf: () => DATASET };
}

test('with the cache or without, in any order of reads, the same bytes come out [DET-18]', async () => {
  const subjects = fc.constantFrom(...Object.values(SUBJECTS)).chain((subject) => subject);
  const reads = fc.array(
    fc.record({
      from: fc.nat(),
      share: fc.integer({ min: 1, max: 1_000 }),
      hasTail: fc.boolean(),
      form: fc.constantFrom('blocks' as const, 'frames' as const),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const cuts = fc.constantFrom(3, 65_536);
  const property = fc.asyncProperty(
    subjects,
    randomTape,
    reads,
    cuts,
    async (subject, tape, asked, blockRanks) => {
      const plain = new SettledWorld(tape, subject, { blockRanks });
      const cache = cacheOn(new SimDisk());
      const cached = new SettledWorld(tape, subject, { cache, blockRanks, pageBytes: 500 });
      const start = epochNs(plain.firstDay, 0);
      if (plain.days.length === 0) return;
      for (const { from, share, hasTail, form } of asked) {
        const firstDay = plain.days[from % plain.days.length]!;
        const length = Number(plain.until - start);
        const until = (start + BigInt(Math.ceil((share / 1_000) * length))) as EpochNs;
        const request = { firstDay, until, hasTail, form };
        const pages = await cached.pages(request);
        assert.deepEqual(daysOf(pages), daysOf(await plain.pages(request)));
        assert.equal(textOf(pages), textOf(await plain.pages({ ...request, form: 'blocks' })));
        if (share % 2 === 0) await cache.results.settled();
      }
      await cache.results.settled();
      const { damaged, stale, failed } = cache.results.counters;
      assert.deepEqual({ damaged, stale, failed }, { damaged: 0, stale: 0, failed: 0 });
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test('read on by another read after every result, the same comes out [DET-18] [SEC-38]', async () => {
  const subjects = fc.constantFrom(...Object.values(SUBJECTS)).chain((subject) => subject);
  const forms = fc.constantFrom('blocks' as const, 'frames' as const);
  const property = fc.asyncProperty(
    subjects,
    randomTape,
    fc.record({ form: forms, hasTail: fc.boolean(), isKept: fc.boolean(), isHeld: fc.boolean() }),
    async (subject, tape, { form, hasTail, isKept, isHeld }) => {
      const plain = new SettledWorld(tape, subject, { blockRanks: 4, pageBytes: 300 });
      const cache = isKept ? cacheOn(new SimDisk()) : null;
      // Pages end elsewhere than before.
      const other = new SettledWorld(tape, subject, {
        cache,
        pageBytes: 450,
        logs: isHeld ? new DayLogs({ blockRanks: 4 }) : noLogs(4),
      });
      if (plain.days.length === 0) return;
      const whole = await plain.pages({ form, hasTail });
      const pages: DaysPage[] = [];
      for (let at = 0; pages.at(-1)?.isLast !== true; at += 1) {
        const world = at % 2 === 0 ? other : plain;
        const after = pages.at(-1)?.position ?? null;
        pages.push((await world.first({ form, hasTail, after }))!);
      }
      assert.equal(textOf(pages), textOf(whole));
      assert.deepEqual(daysOf(pages), daysOf(whole));
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test('a range is cut exactly at both ends, and what is skipped is counted [DET-17] [EXP-06]', async () => {
  const subjects = fc.constantFrom(...Object.values(SUBJECTS)).chain((subject) => subject);
  const shares = fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat({ max: 2_000 }));
  const forms = fc.constantFrom('blocks' as const, 'frames' as const);
  const property = fc.asyncProperty(
    subjects,
    randomTape,
    shares,
    forms,
    fc.boolean(),
    async (subject, tape, [one, other, skips, fromShare], form, isKept) => {
      const plain = new SettledWorld(tape, subject, { blockRanks: 4 });
      const whole = await plain.read();
      const lines = entriesOf(whole);
      if (lines.length === 0) return;
      const start = epochNs(plain.firstDay, 0);
      const from = (start + ((plain.until - start) * BigInt(fromShare)) / 4_000n) as EpochNs;
      const instants = whole.flatMap(({ day, settled }) =>
        Array.from(settled.fromNs, (ns) => epochNs(day, ns)),
      );
      const [first, end] = [one % lines.length, other % lines.length].toSorted((a, b) => a - b);
      const after = parseCursor(lines[first!]!.cursor);
      const last = parseCursor(lines[end!]!.cursor);
      const wanted = lines.filter((_, at) => at > first! && at <= end! && instants[at]! > from);
      const skip = skips % (wanted.length + 2);
      const cache = isKept ? cacheOn(new SimDisk()) : null;
      const world = new SettledWorld(tape, subject, { blockRanks: 4, pageBytes: 300, cache });
      if (isKept) await world.pages();
      await cache?.results.settled();
      const pages = await world.pages({ from, after, last, skip, form });
      const text = textOf(pages).split('\n').slice(0, -1);
      assert.deepEqual(
        text.map((line) => JSON.parse(line)),
        wanted.slice(skip),
      );
      const counts = pages.flatMap(({ parts }) => parts);
      assert.equal(
        counts.reduce((sum, { skipped, updates }) => sum + skipped + updates, 0),
        wanted.length,
      );
    },
  );
  await fc.assert(property, { numRuns: 50 });
});

/** Two days of trades on a simulated disk, sealed. */
async function sealedTape(disk: SimDisk): Promise<void> {
  for (const day of [DAY, addDays(DAY, 1)]) {
    const batch = allocateBatch(day, 1 as Rank, 3_000);
    for (let row = 0; row < 3_000; row += 1) {
      batch.ts[row] = (10 * HOUR_NS * (row + 1)) / 2_000;
      batch.price[row] = 100 + (row % 7);
      batch.size[row] = 1 + (row % 5);
      batch.side[row] = row % 2 === 0 ? 1 : -1;
    }
    batch.count = 3_000;
    const request = { dataset: DATASET, symbol: CONTRACT, batch };
    await sealDay(disk.boot(), TAPE_ROOT, request);
  }
}

const BARS: Topic = ['bars', {}];
const END = epochNs(addDays(DAY, 2), 0);

function sealedReader(disk: SimDisk, hasCache = true): SettledDaysReader {
  const booted = disk.boot();
  const options = { disk: booted, root: '/cache', bytesMax: 2 ** 30, now: () => 1_000 };
  const results = new ResultCache({ ...options, writer: 'w' });
  const cache = { results, datasetOf: () => DATASET };
  const tape = new TapeReader(booted, TAPE_ROOT, DATASET, NO_LIVE_DAYS);
  return readerOver(tape, hasCache ? cache : null);
}

test('a new version of an indicator has its days computed anew, and leaves those of the others kept', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  const machine = disk.boot();
  const options = { disk: machine, root: '/cache', bytesMax: 2 ** 30, now: () => 1_000 };
  const results = new ResultCache({ ...options, writer: 'w' });
  const cache = { results, datasetOf: () => DATASET };
  const { counters } = results;
  const tape = new TapeReader(machine, TAPE_ROOT, DATASET, NO_LIVE_DAYS);
  const keptOf = async (topic: Topic, indicators = BY_ID) => {
    const { hits, kept } = counters;
    await resultsOf(readerOver(tape, cache, indicators), requestOf(topic, END));
    await results.settled();
    return { hits: counters.hits - hits, kept: counters.kept - kept };
  };
  const delta: Topic = ['delta', {}];
  for (const topic of [BARS, delta]) {
    assert.deepEqual(await keptOf(topic), { hits: 0, kept: 2 });
    assert.deepEqual(await keptOf(topic), { hits: 2, kept: 0 });
  }
  const bars = BY_ID.get('bars')!;
  const raised = new Map(BY_ID).set('bars', { ...bars, version: bars.version + 1 });
  assert.deepEqual(await keptOf(delta, raised), { hits: 2, kept: 0 });
  assert.deepEqual(await keptOf(BARS, raised), { hits: 0, kept: 2 });
  assert.deepEqual(await keptOf(BARS, raised), { hits: 2, kept: 0 });
});

const DAY_FILE = `${TAPE_ROOT}/${DATASET}/days/${CONTRACT}/${addDays(DAY, 1)}`;

test('a damaged sealed day is named, and missing from then on; the days before it are there', async () => {
  for (const damage of ['flip', 'gone'] as const) {
    const disk = new SimDisk();
    await sealedTape(disk);
    if (damage === 'flip') disk.flip(`${DAY_FILE}.arrow`, 2_000, 3);
    else await disk.boot().remove(`${DAY_FILE}.arrow`);
    const reader = sealedReader(disk, false);
    await using read = await reader.read(requestOf(BARS, END));
    const [part] = (await read.next())!.parts;
    assert.equal(part?.day, DAY);
    await assert.rejects(
      read.next(),
      refusedAs('day-damaged', { contract: CONTRACT, day: addDays(DAY, 1) }),
    );
    const { missingDays, days } = await reader.coverage(CONTRACT, epochNs(DAY, 0), END);
    assert.deepEqual(missingDays, [addDays(DAY, 1)]);
    assert.deepEqual(days, [{ day: DAY, trades: 3_000 }]);
    await assert.rejects(reader.read(requestOf(BARS, END)), refusedAs('days-missing'));
    assert.equal((await resultsOf(reader, requestOf(BARS, epochNs(addDays(DAY, 1), 0)))).length, 1);
  }
});

test('a damaged index of one day leaves the other days as they are', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  disk.flip(`${DAY_FILE}.json`, 40, 0);
  const reader = sealedReader(disk);
  const { missingDays } = await reader.coverage(CONTRACT, epochNs(DAY, 0), END);
  assert.deepEqual(missingDays, [addDays(DAY, 1)]);
  const [result] = await resultsOf(reader, requestOf(BARS, epochNs(addDays(DAY, 1), 0)));
  assert.equal(result?.trades, 3_000);
});

test('a damaged day in a look-back is missing there too: its session makes nothing', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  disk.flip(`${TAPE_ROOT}/${DATASET}/days/${CONTRACT}/${DAY}.json`, 40, 0);
  const from = epochNs(addDays(DAY, 1), 2 * HOUR_NS);
  const topic: Topic = ['naked-levels', { lookback: 3 }];
  const levels = { ...requestOf(topic, END), from };
  const reader = sealedReader(disk);
  const lines = entriesOf(await resultsOf(reader, levels));
  const told = lines.map(({ t, id }) => `${t} ${id.slice(0, 8)}`);
  assert.deepEqual(told, Array(3).fill(`upsert ${addDays(DAY, 1)}`));
  const coverage = await reader.coverage(CONTRACT, from, END, { ...levels, hasSnapshot: false });
  assert.deepEqual([coverage.missingDays, coverage.lookBackFrom], [[], from]);
});

test('a day that was sealed anew with other trades is computed anew [DET-18]', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  const first = sealedReader(disk);
  const before = await resultsOf(first, requestOf(BARS, END));
  for (const suffix of ['.json', '.arrow']) await disk.boot().remove(DAY_FILE + suffix);
  const batch = allocateBatch(addDays(DAY, 1), 1 as Rank, 1);
  Object.assign(batch, { count: 1 });
  batch.ts[0] = 11 * HOUR_NS;
  batch.price[0] = 500;
  batch.size[0] = 1;
  await sealDay(disk.boot(), TAPE_ROOT, { dataset: DATASET, symbol: CONTRACT, batch });
  const after = await resultsOf(sealedReader(disk), requestOf(BARS, END));
  assert.deepEqual(after[0], before[0]);
  assert.equal(after[1]!.trades, 1);
  assert.deepEqual(after, await resultsOf(sealedReader(disk, false), requestOf(BARS, END)));
});

test('a read that is disposed of ends at once, whoever waits, and lets go of its file', async () => {
  const disk = new SimDisk();
  await sealedTape(disk);
  const reader = sealedReader(disk, false);
  const read = await reader.read(requestOf(BARS, END));
  const waiting = read.next();
  const refused = assert.rejects(waiting, refusedAs('closed'));
  await read[Symbol.asyncDispose]();
  await refused;
  await assert.rejects(read.next(), refusedAs('closed'));
  await read[Symbol.asyncDispose]();
});

test('what is kept of a range can be had before anything is computed, and the rest follows', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (hours: number) => epochNs(DAY, hours * HOUR_NS);
  tape.commit([{ at: at(11), price: 1, size: 1, side: 1 }], at(23));
  tape.commit([{ at: at(35), price: 1, size: 1, side: 1 }], at(47));
  const reader = readerOver(tape, null, BY_ID, new DayLogs());
  await using cold = await reader.read(requestOf(BARS, at(47)));
  assert.equal(await cold.kept!(), null);
  const all = daysOf(await pagesOf(cold));
  await using warm = await reader.read(requestOf(BARS, at(47)));
  const kept = await warm.kept!();
  assert.deepEqual(daysOf([kept!, ...(await pagesOf(warm))]), all);
  const other = readerOver(tape, null, BY_ID, new DayLogs());
  await using before = await other.read(requestOf(BARS, at(24)));
  await pagesOf(before);
  await using partly = await other.read(requestOf(BARS, at(47)));
  const first = await partly.kept!();
  assert.deepEqual(
    first!.parts.map(({ day }) => day),
    [DAY],
  );
  assert.deepEqual(daysOf([first!, ...(await pagesOf(partly))]), all);
});

test('a read waits for nobody else: one result at a time, nothing is read ahead', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const reads: number[] = [];
  const counted = new Proxy(tape, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (name !== 'read') return typeof value === 'function' ? value.bind(target) : value;
      return (...args: Parameters<MemoryTape['read']>) => {
        reads.push(args[2]!.day);
        return target.read(...args);
      };
    },
  });
  const at = (hours: number) => epochNs(DAY, hours * HOUR_NS);
  tape.commit([{ at: at(11), price: 1, size: 1, side: 1 }], at(23));
  tape.commit([{ at: at(35), price: 1, size: 1, side: 1 }], at(47));
  await using read = await readerOver(counted).read(requestOf(BARS, at(47)));
  assert.deepEqual(reads, []);
  await read.next();
  const first = reads.length;
  await new Promise(setImmediate);
  assert.equal(reads.length, first);
  const second = read.next();
  await assert.rejects(read.next(), /one result at a time/);
  assert.equal((await second)?.parts.at(-1)?.day, addDays(DAY, 1));
  assert.equal(await read.next(), null);
});

test('a study without its look-back says so, and one that has it does not [DET-19]', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const at = (hours: number) => epochNs(DAY, hours * HOUR_NS);
  const trade = (hours: number): MemoryTrade => ({ at: at(hours), price: 9, size: 3, side: 1 });
  tape.commit([trade(10.5), trade(11)], at(13));
  tape.commit([trade(23), trade(25)], at(30));
  tape.commit([trade(34.5)], at(37));
  const auto: Topic = ['large-trades', { minSize: 0 }];
  const isWarm = async (topic: Topic, until: EpochNs, more = {}) =>
    (await resultsOf(readerOver(tape), requestOf(topic, until, more))).map((one) => one.isWarm);
  assert.deepEqual(await isWarm(auto, at(37)), [false, true]);
  assert.deepEqual(await isWarm(auto, at(37), { from: epochNs(addDays(DAY, 1), 0) }), [true]);
  assert.deepEqual(await isWarm(auto, at(9)), [true], 'no session, nothing is lacking');
  assert.deepEqual(await isWarm(['large-trades', { minSize: 1 }], at(37)), [true, true]);
});
