/**
 * Replays against an engine that was never disturbed, over random tapes that cross sessions and midnight:
 * what a replay tells is what the stream told, message by message.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { StudyRun } from '@tapeloom/core/studies/run';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import {
  BY_ID,
  CONTRACT,
  DAY,
  decodeFrames,
  EngineRun,
  HOUR_NS,
  paramsOf,
  SESSIONS,
  settle,
} from '../../../../simulation/engine-run.ts';
import { MemoryTape, type MemoryTrade } from '../../../../simulation/memory-tape.ts';
import type { ReplayPage, ReplayRequest } from './replay.ts';
import { StudyReplays } from './study-replays.ts';

const MS_NS = 1_000_000;
const SECOND = 1_000_000_000n;
const START = epochNs(DAY, 10 * HOUR_NS - 3_000 * MS_NS);

interface ScriptedCommit {
  readonly trades: readonly MemoryTrade[];
  readonly promise: EpochNs;
}

const commits = fc.array(
  fc.record({
    gapNs: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(0, 1, 20 * MS_NS, 1_000 * MS_NS, 60_000 * MS_NS) },
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 90 * MS_NS }) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 20 * 60_000 * MS_NS }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 11 * 3_600_000 * MS_NS }) },
    ),
    trades: fc.array(
      fc.record({
        gapNs: fc.oneof(
          fc.constant(0),
          fc.integer({ min: 0, max: 30 * MS_NS }),
          fc.integer({ min: 0, max: 2_000 * MS_NS }),
        ),
        // Far prices make profiles large enough for the byte budget to stretch the flush step.
        price: fc.oneof(fc.integer({ min: 100, max: 112 }), fc.integer({ min: 1, max: 900 })),
        size: fc.integer({ min: 1, max: 40 }),
        side: fc.constantFrom(-1 as const, 0 as const, 1 as const),
      }),
      { maxLength: 12, size: 'max' },
    ),
    promiseNs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 * MS_NS })),
  }),
  { minLength: 4, maxLength: 40, size: 'max' },
);

/**
 * Clusters of trades, gaps of all lengths (also across sessions), promises at and beyond the last trade;
 * with trades outside of sessions, as regular hours have them, or without.
 */
const scripts = fc.tuple(commits, fc.boolean()).map(([steps, isAlwaysOpen]) => {
  let at = START as bigint;
  const script = steps.map(({ gapNs, trades, promiseNs }): ScriptedCommit => {
    at += BigInt(gapNs);
    const stamped = trades.map(({ gapNs: apartNs, ...trade }) => {
      at += BigInt(apartNs);
      return { at: at as EpochNs, ...trade };
    });
    at += BigInt(promiseNs);
    const kept = stamped.filter((trade) => isAlwaysOpen || isInSession(trade.at));
    return { trades: kept, promise: at as EpochNs };
  });
  return [...script, { trades: [], promise: (at + 2n * SECOND) as EpochNs }];
});

function isInSession(at: EpochNs): boolean {
  return (SESSIONS.atOrBefore(at)?.close ?? START) > at;
}

type Topic = readonly [string, Record<string, unknown>];

const topics = fc.constantFrom<Topic>(
  ['bars', {}],
  ['bars', { bar: 'tick', size: 5 }],
  ['bars', { bar: 'volume', size: 30 }],
  ['footprint', { bar: 'time', size: 30 }],
  ['footprint', { bar: 'range', size: 3 }],
  ['delta', {}],
  ['vwap', {}],
  ['volume-profile', {}],
  ['tpo', {}],
  ['tape-speed', {}],
  ['session-levels', {}],
  ['large-trades', { minSize: 30 }],
  ['large-trades', { minSize: 0, perSession: 3, gapMs: 10 }],
  ['sweeps', { levels: 2, minSize: 1 }],
  ['absorption', { minSize: 20 }],
  ['imbalances', { bar: 'tick', size: 3, stack: 1, zero: 'count' }],
  ['imbalances', { bar: 'tick', size: 3, stack: 1, zero: 'count', lookback: 1 }],
  ['unfinished-auctions', { size: 30 }],
  ['unfinished-auctions', { size: 5, lookback: 1 }],
  ['naked-levels', { lookback: 1 }],
  ['naked-levels', { lookback: 3 }],
);

/** Somewhere in a script: anywhere, or around a trade, where steps are in the middle of something. */
type Where = { readonly share: number } | { readonly trade: number; readonly offNs: number };

const instants = fc.oneof<fc.Arbitrary<Where>[]>(
  fc.record({ share: fc.integer({ min: 0, max: 1_000 }).map((share) => share / 1_000) }),
  fc.record({
    trade: fc.nat(),
    offNs: fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: 0, max: 25 * MS_NS })),
  }),
);

const limits = fc.record({
  bytes: fc.constantFrom(1, 600, 65_536),
  trades: fc.constantFrom(1, 5, 200_000),
});

/** An engine that saw all of a tape as it came, and what it said. */
class Undisturbed {
  readonly tape: MemoryTape;
  readonly run: EngineRun;
  /** Positions told with pulses: what a client's `hb` would say. */
  readonly positions: string[] = [];
  readonly #script: readonly ScriptedCommit[];

  private constructor(script: readonly ScriptedCommit[], batchRows: number) {
    this.tape = new MemoryTape(CONTRACT, batchRows);
    this.run = new EngineRun(this.tape);
    this.#script = script;
  }

  static async over(script: readonly ScriptedCommit[], topic: Topic, batchRows: number) {
    const whole = new Undisturbed(script, batchRows);
    whole.tape.commit([], START);
    whole.run.open(topic);
    await settle();
    for (const { trades, promise } of script) {
      whole.tape.commit(trades, promise);
      await settle();
      const position = whole.run.pulse().topics[0]?.position;
      if (typeof position === 'string') whole.positions.push(position);
    }
    assert.deepEqual(whole.run.faults, []);
    return whole;
  }

  get trades(): readonly MemoryTrade[] {
    return this.#script.flatMap(({ trades }) => trades);
  }

  get end(): EpochNs {
    return this.#script.at(-1)!.promise;
  }

  /** Everything a client might hold as its last cursor. */
  get cursors(): readonly string[] {
    const published = this.run
      .flushes()
      .flatMap(({ entries, position }) => [...entries.map(({ cursor }) => cursor), position]);
    return [...published, ...this.positions];
  }

  /** What was published after a cursor at edges up to an instant. */
  between(after: string, until: EpochNs): readonly ServerMessage[] {
    return this.run
      .flushes()
      .filter(({ edge }) => edge <= until)
      .flatMap((flush) => decodeFrames(flush))
      .filter((message) => 'cursor' in message && compare(message.cursor, after) > 0);
  }

  /** The instant meant, not after the end. */
  instant(where: Where, isWholeSecond = false): EpochNs {
    const { end, trades } = this;
    let at = START + (end - START) / 2n;
    if ('share' in where) at = START + BigInt(Math.floor(where.share * Number(end - START)));
    else if (trades.length > 0) at = pick(trades, where.trade).at + BigInt(where.offNs);
    if (isWholeSecond) at -= at % SECOND;
    return (at < START ? START : at > end ? end : at) as EpochNs;
  }

  replays(pageLimits?: { readonly bytes: number; readonly trades: number }): StudyReplays {
    return new StudyReplays({
      tape: this.tape,
      indicators: BY_ID,
      sessionsOf: () => SESSIONS,
      yieldTurn: async () => {},
      ...(pageLimits === undefined ? {} : { limits: pageLimits }),
    });
  }
}

function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}

function requestFor(
  [indicator, input]: Topic,
  rest: Pick<ReplayRequest, 'from' | 'until'> & { readonly chargedBefore?: EpochNs },
): ReplayRequest {
  const params = paramsOf(BY_ID.get(indicator)!, input);
  return { contract: CONTRACT, indicator, params, chargedBefore: START, ...rest };
}

/** All pages up to the one that reaches `until`, and further ones when it is raised. */
async function pagesOf(
  replays: StudyReplays,
  request: ReplayRequest,
  untils: readonly EpochNs[] = [],
): Promise<readonly ReplayPage[]> {
  await using replay = await replays.open(request);
  const pages: ReplayPage[] = [];
  for (const until of [undefined, ...untils]) {
    pages.push(await replay.next(until));
    while (!pages.at(-1)!.isLast) pages.push(await replay.next());
  }
  return pages;
}

function messagesOf(pages: readonly ReplayPage[]): readonly ServerMessage[] {
  return pages.flatMap((page) => decodeFrames(page));
}

function pick<T>(all: readonly T[], at: number): T {
  return all[at % all.length]!;
}

test('a replay after any cursor tells what the stream told, and the ring goes on from it [DET-14] [DET-08]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      limits,
      fc.nat(),
      fc.array(instants, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 40 }),
      async (script, topic, pageLimits, chosen, wheres, batchRows) => {
        const whole = await Undisturbed.over(script, topic, batchRows);
        if (whole.cursors.length === 0) return;
        const cursor = pick(whole.cursors, chosen);
        using replays = whole.replays(pageLimits);
        const place = await replays.locate(CONTRACT, cursor);
        assert.ok(place.t === 'on-tape');
        const untils = wheres
          .map((where) => whole.instant(where))
          .toSorted((a, b) => Number(a - b));
        const [until, ...raised] = untils;
        const from = { t: 'after', cursor } as const;
        const pages = await pagesOf(replays, requestFor(topic, { from, until: until! }), raised);
        const last = untils.at(-1)!;
        assert.deepEqual(messagesOf(pages), whole.between(cursor, last));
        // Hand-over: what a ring has after the page's position is what is missing, at every page.
        const all = whole.between(cursor, whole.end);
        let told = 0;
        for (const page of pages) {
          told += page.entries.length;
          assert.deepEqual(whole.between(page.position, whole.end), all.slice(told));
        }
      },
    ),
    { numRuns: 120 },
  );
});

test('a replay at a time begins with the state there, then tells what changed after it [DET-12] [DET-02]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      limits,
      instants,
      fc.boolean(),
      fc.constantFrom('live', 'confirmed'),
      async (script, topic, pageLimits, where, isSecond, mode) => {
        const whole = await Undisturbed.over(script, topic, 7);
        const time = whole.instant(where, isSecond);
        using replays = whole.replays(pageLimits);
        const from = { t: 'at', time, depth: 5_000, mode } as const;
        const pages = await pagesOf(replays, requestFor(topic, { from, until: whole.end }));
        const [snapshot, ...updates] = messagesOf(pages);
        assert.ok(snapshot?.t === 'snapshot');
        const expected = await stateAt(whole, topic, time, mode);
        assert.deepEqual({ cursor: snapshot.cursor, items: snapshot.items }, expected);
        assert.deepEqual(updates, whole.between(snapshot.cursor, whole.end));
        if (isSecond && mode === 'live') {
          assert.deepEqual(snapshot, await engineSnapshotAt(whole, topic, time));
        }
      },
    ),
    { numRuns: 120 },
  );
});

test('pages charge exactly the trades between start and end that lie before midnight [COUNT-16] [COUNT-18]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      limits,
      fc.tuple(instants, instants),
      fc.boolean(),
      fc.constantFrom(0, 1, 2),
      fc.option(fc.nat()),
      async (script, pageLimits, wheres, isSecond, midnights, chosen) => {
        const topic: Topic = ['bars', { bar: 'tick', size: 5 }];
        const whole = await Undisturbed.over(script, topic, 7);
        const [time, until] = wheres
          .map((where) => whole.instant(where, isSecond))
          .toSorted((a, b) => Number(a - b)) as [EpochNs, EpochNs];
        const chargedBefore = epochNs(DAY, midnights * 24 * HOUR_NS);
        const cursor = chosen === null ? null : pick([...whole.cursors, '20261112.0.0'], chosen);
        const from =
          cursor === null
            ? ({ t: 'at', time, depth: 10, mode: 'live' } as const)
            : ({ t: 'after', cursor } as const);
        using replays = whole.replays(pageLimits);
        const pages = await pagesOf(replays, requestFor(topic, { from, until, chargedBefore }));
        const beyondStart = placedTrades(whole).filter(({ at, place }) =>
          cursor === null ? at >= time : compare(place, ofTrade(cursor)) > 0,
        );
        const charged = beyondStart.filter(({ at }) => at < chargedBefore);
        let sum = 0;
        for (const { chargedTrades, position } of pages) {
          assert.ok(chargedTrades >= 0);
          sum += chargedTrades;
          assert.equal(sum, charged.filter(({ place }) => compare(place, position) <= 0).length);
        }
        // A whole second is an edge of every stream: there nothing is left over.
        if (isSecond) assert.equal(sum, charged.filter(({ at }) => at < until).length);
      },
    ),
    { numRuns: 120 },
  );
});

/** Trades with their places, as cursors without updates. */
function placedTrades(whole: Undisturbed): readonly { at: EpochNs; place: string }[] {
  const ranks = new Map<number, number>();
  return whole.trades.map(({ at }) => {
    const day = dayOf(at);
    const rank = (ranks.get(day) ?? 0) + 1;
    ranks.set(day, rank);
    return { at, place: `${day}.${rank}.0` };
  });
}

/** The trade of a cursor, as its place. */
function ofTrade(cursor: string): string {
  const { day, rank } = parseCursor(cursor)!;
  return `${day}.${rank}.0`;
}

/** position(time) and the objects there, by a settled run over everything since the tape's start. */
async function stateAt(
  whole: Undisturbed,
  [id, input]: Topic,
  time: EpochNs,
  mode: 'live' | 'confirmed',
): Promise<{ readonly cursor: string; readonly items: unknown }> {
  const indicator = BY_ID.get(id)!;
  const study = indicator.create(paramsOf(indicator, input));
  const objects = new PublishedObjects(indicator.objectsOutliveSession);
  const output = {
    upsert: objects.upsert.bind(objects),
    remove: (...[gone, final, ts]: [string, boolean, string, Cursor]) =>
      objects.remove(gone, final, ts),
    openSession: () => objects.openSession(),
    flushed: () => {},
  };
  const run = new StudyRun(study, SESSIONS, { at: START, rank: 0 as never }, { output });
  const rank = placedTrades(whole).findLast(({ at }) => at < time)?.place;
  const to = rank === undefined ? { day: DAY, rank: 0 as never } : parseCursor(rank)!;
  for await (const batch of whole.tape.read(CONTRACT, { day: DAY, rank: 0 as never }, to)) {
    run.apply(batch);
  }
  run.advance(time);
  study.forming(null, (version) => void objects.upsert(version));
  const { cursor, items } = objects.snapshot(run.position, 5_000, mode);
  return { cursor, items: JSON.parse(items) };
}

/** What an engine that ran since the tape's start answers when the tape has come to `time`. */
async function engineSnapshotAt(
  whole: Undisturbed,
  topic: Topic,
  time: EpochNs,
): Promise<ServerMessage> {
  const tape = new MemoryTape(CONTRACT, 100);
  const run = new EngineRun(tape);
  tape.commit([], START);
  run.open(topic);
  await settle();
  tape.commit(
    whole.trades.filter(({ at }) => at < time),
    time,
  );
  await settle();
  return run.snapshot();
}
