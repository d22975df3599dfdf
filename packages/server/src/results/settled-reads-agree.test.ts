/**
 * Compares settled days with a live stream and with each other: with or without a cache, in one read or resumed, whole
 * or as a range, they are equal.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS } from '../../../core/testing/twins/study-subjects.ts';
import {
  daysOf,
  entriesOf,
  noLogs,
  SettledWorld,
  textOf,
} from '../../testing/history/settled-world.ts';
import {
  cacheOn,
  readerOver,
  requestOf,
  resultsOf,
  type Topic,
} from '../../testing/results/settled-reading.ts';
import { CONTRACT, DAY, EngineRun, HOUR_NS, settle } from '../../testing/stream/engine-run.ts';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { DayLogs } from './day-logs.ts';
import type { DaysPage } from './settled-days.ts';

const MINUTE_NS = 60_000_000_000;
const START = epochNs(DAY, 9 * HOUR_NS);

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

/** Trades from 9:00 on, over the three sessions and the midnight between them. */
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
    // For an object that appeared and vanished in one flush, a stream sends only the removal.
    for (const { t, cursor, id } of settled.filter((it) => !cursors.has(it.cursor))) {
      const gone = settled.find((it) => it.t === 'remove' && it.id === id);
      assert.equal(t, 'upsert');
      assert.ok(gone !== undefined && cursors.has(gone.cursor), `${cursor} is missing`);
    }
  });
  await fc.assert(property, { numRuns: 60 });
});

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
      const cache = cacheOn(new SimDisk().boot());
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
      const cache = isKept ? cacheOn(new SimDisk().boot()) : null;
      // The page limits are different from before.
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
      const cache = isKept ? cacheOn(new SimDisk().boot()) : null;
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
