/** Days held in memory beside reads that know nothing of each other, over a tape that grows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { linesOf } from '../../../../simulation/history/settled-world.ts';
import {
  BY_ID,
  CONTRACT,
  DAY,
  HOUR_NS,
  paramsOf,
  SESSIONS,
} from '../../../../simulation/stream/engine-run.ts';
import { MarketTape } from '../../../../simulation/tape/market-tape.ts';
import { MemoryTape, type MemoryTrade } from '../../../../simulation/tape/memory-tape.ts';
import { HeldDays } from './held-days.ts';
import type { DayResult, SettledDaysRequest } from './settled-days.ts';
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
    /** Where the tape grows to, if it does, in half hours, and how many trades come. */
    grows: fc.option(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.nat({ max: 12 }))),
    topic: fc.nat({ max: 1 }),
    firstDay: fc.nat({ max: 1 }),
    /** How far before the end of the tape it ends; mostly not at all. */
    before: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 * HOUR_NS })),
    hasTail: fc.boolean(),
    /** After which line of what it gives, of all. */
    after: fc.option(fc.nat({ max: 60 })),
    /** How many results are taken; the rest is left. */
    taken: fc.option(fc.nat({ max: 3 })),
    isTwice: fc.boolean(),
  }),
  { minLength: 3, maxLength: 25, size: 'max' },
);
const limits = fc.constantFrom(
  { days: 2, bytes: 3_000, bytesPerDay: 500 },
  { days: 1, bytes: 1_000_000, bytesPerDay: 1_000 },
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

  reader(pieceBytes: number, held?: HeldDays): SettledDaysReader {
    return new SettledDaysReader({
      tape: this.tape,
      indicators: BY_ID,
      sessionsOf: () => SESSIONS,
      yieldTurn: async () => {},
      cache: null,
      pieceBytes,
      ...(held && { held }),
    });
  }
}

async function taken(reader: SettledDaysReader, request: SettledDaysRequest, count: number) {
  const results: DayResult[] = [];
  await using read = await reader.read(request);
  while (results.length < count) {
    const next = await read.next();
    if (next === null) break;
    results.push(next);
  }
  return results;
}

/** What results say, however they were cut into pieces. */
function said(results: readonly DayResult[], after: Cursor | null) {
  const days: Record<string, { trades: number; isWarm: boolean; lines: string[] }> = {};
  for (const { day, settled, trades, isWarm } of results) {
    days[day] ??= { trades: 0, isWarm: true, lines: [] };
    const one = days[day];
    one.trades += trades;
    one.isWarm &&= isWarm;
    const wanted = linesOf(settled).filter((_, line) => {
      const cursor = { day, rank: settled.ranks[line]! as Rank, k: settled.ks[line]! };
      return after === null || compareCursors(cursor, after) > 0;
    });
    one.lines.push(...wanted);
  }
  const places = results.flatMap(({ day, settled }) =>
    [...settled.fromNs].map((ns) => epochNs(day, ns)),
  );
  const isAscending = places.every((at, index) => index === 0 || places[index - 1]! <= at);
  return { days, isAscending, tail: linesOf(results.at(-1)!.tail) };
}

test('held or not, whatever was asked before, the same lines, trades and tail come out [DET-17]', async () => {
  const topics = fc.shuffledSubarray([...TOPICS], { minLength: 2, maxLength: 2 });
  const pieces = fc.constantFrom(150, 600, 1_000_000);
  const property = fc.asyncProperty(
    topics,
    steps,
    limits,
    pieces,
    async (pair, all, heldLimits, pieceBytes) => {
      const world = new GrowingWorld();
      world.grow(4, 3);
      const held = new HeldDays(heldLimits);
      const reader = world.reader(pieceBytes, held);
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
          firstDay,
          until,
          hasTail: step.hasTail,
          form: 'lines',
        };
        const fresh = await taken(world.reader(pieceBytes), request, Number.POSITIVE_INFINITY);
        const first = linesOf(fresh[0]!.settled);
        const line = step.after === null ? undefined : first[step.after % (first.length || 1)];
        const after = line === undefined ? null : parseCursor(JSON.parse(line).cursor);
        const asked = after === null ? request : { ...request, after };
        const count = step.taken ?? Number.POSITIVE_INFINITY;
        const reads = Array.from({ length: step.isTwice ? 2 : 1 }, () =>
          taken(reader, asked, count),
        );
        const both = await Promise.all(reads);
        const { days, bytes } = held.counts;
        assert.ok(days <= (heldLimits.days ?? 32) && bytes <= (heldLimits.bytes ?? 2 ** 26));
        for (const results of step.taken === null ? both : []) {
          assert.deepEqual(said(results, after), said(fresh, after));
        }
        // Whoever gets lines may change them.
        for (const { settled, tail } of both.flat()) {
          for (const bytes of [settled.bytes, tail.bytes]) bytes.fill(0);
        }
      }
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

test('a long day is read once, by pages and by who comes back every minute', async () => {
  const world = new GrowingWorld();
  // Into the session that opens at ten.
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
    held: new HeldDays(),
  });
  const request = (hasTail: boolean, after?: Cursor): SettledDaysRequest => ({
    account: 'a',
    contract: CONTRACT,
    indicator: 'bars',
    params: paramsOf(BY_ID.get('bars')!, { bar: 'tick', size: 4 }),
    firstDay: DAY,
    until: world.now,
    hasTail,
    form: 'lines',
    ...(after && { after }),
  });
  const whole = await taken(reader, request(true), 9);
  assert.equal(whole[0]!.settled.ends.length, 250);
  assert.equal(rows, 1_000);
  for (const hasTail of [true, false]) await taken(reader, request(hasTail), 9);
  assert.equal(rows, 1_000, 'what was asked before is there');
  world.grow(1, 12);
  const after = { day: DAY, rank: 1_000 as Rank, k: 1 };
  const rest = await taken(reader, request(true, after), 9);
  assert.equal(rows, 1_012, 'only what is new is read');
  assert.deepEqual(
    rest.flatMap(({ settled }) => [...settled.ranks]),
    [1_004, 1_008, 1_012],
  );
  assert.equal(
    rest.reduce((sum, { trades }) => sum + trades, 0),
    1_012,
  );
});

test('a held day does not serve once a day of its look-back came to the tape or left it [DET-18]', async () => {
  const tape = new MarketTape();
  const [before, today] = [DAY, addDays(DAY, 1)];
  const trade = (day: UtcDay, hour: number) => {
    return { at: epochNs(day, hour * HOUR_NS), price: 100 + hour, size: 1, side: 1 as const };
  };
  tape.commit(CONTRACT, [trade(before, 11), trade(before, 23)], epochNs(before, 23.5 * HOUR_NS));
  tape.commit(CONTRACT, [trade(today, 1), trade(today, 11)], epochNs(today, 13 * HOUR_NS));
  const shared = { tape, indicators: BY_ID, sessionsOf: () => SESSIONS, cache: null };
  const held = new HeldDays();
  const holding = new SettledDaysReader({ ...shared, held, yieldTurn: async () => {} });
  const fresh = () => new SettledDaysReader({ ...shared, yieldTurn: async () => {} });
  const params = paramsOf(BY_ID.get('naked-levels')!, { lookback: 2 });
  const asked = { account: 'a', contract: CONTRACT, indicator: 'naked-levels', params };
  const range = { firstDay: today, from: epochNs(today, 5 * HOUR_NS), until: tape.promise! };
  const request = { ...asked, ...range, hasTail: true, form: 'lines' as const };
  const seen: string[] = [];
  for (const hidden of [[], [before], []]) {
    tape.hide(CONTRACT, ...hidden);
    const lines = said(await taken(holding, request, 9), null);
    assert.deepEqual(lines, said(await taken(fresh(), request, 9), null));
    seen.push(JSON.stringify(lines));
  }
  assert.ok(seen[0] !== seen[1] && seen[0] === seen[2]);
});
