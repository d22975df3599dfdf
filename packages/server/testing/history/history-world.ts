/**
 * A random tape that a stream followed from its start, and the same tape as history: settled days, replays and pages
 * over it, in this thread. One settled run over everything gives the expected log.
 */

import assert from 'node:assert/strict';
import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { StudyRun } from '@tapeloom/core/studies/run';
import { epochNs } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { type CoverMoment, coverQuery } from '../../src/history/covered-query.ts';
import { type HistoryPageLimits, HistoryPages } from '../../src/history/history-pages.ts';
import type { HistoryQuery } from '../../src/history/history-query.ts';
import { SettledDaysReader } from '../../src/results/settled-days-reader.ts';
import { placeBefore } from '../../src/runs/place-before.ts';
import { StudyReplays } from '../../src/runs/study-replays.ts';
import { edgeOf, updatesOf } from '../stream/block-updates.ts';
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
} from '../stream/engine-run.ts';
import { MemoryTape, type MemoryTrade } from '../tape/memory-tape.ts';
import { noLogs } from './settled-world.ts';

const MS_NS = 1_000_000;
const SECOND = 1_000_000_000n;
const TAPE_START = epochNs(DAY, 10 * HOUR_NS - 3_000 * MS_NS);

export interface ScriptedCommit {
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
        price: fc.integer({ min: 100, max: 112 }),
        size: fc.integer({ min: 1, max: 40 }),
        side: fc.constantFrom(-1 as const, 0 as const, 1 as const),
      }),
      { maxLength: 12, size: 'max' },
    ),
    promiseNs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 * MS_NS })),
  }),
  { minLength: 4, maxLength: 40, size: 'max' },
);

/** Clusters of trades, gaps of all lengths (also across sessions and midnight), watermarks beyond trades. */
export const scripts: fc.Arbitrary<readonly ScriptedCommit[]> = commits.map((steps) => {
  let at = TAPE_START as bigint;
  const script = steps.map(({ gapNs, trades, promiseNs }): ScriptedCommit => {
    at += BigInt(gapNs);
    const stamped = trades.map(({ gapNs: apartNs, ...trade }) => {
      at += BigInt(apartNs);
      return { at: at as EpochNs, ...trade };
    });
    at += BigInt(promiseNs);
    return { trades: stamped, promise: at as EpochNs };
  });
  return [...script, { trades: [], promise: (at + 2n * SECOND) as EpochNs }];
});

export type Topic = readonly [string, Record<string, unknown>];

/** Indicators of every kind that are warm from the start. */
export const topics = fc.constantFrom<Topic>(
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
  ['large-trades', { minSize: 30 }],
  ['sweeps', { levels: 2, minSize: 1 }],
  ['absorption', { minSize: 20 }],
  ['imbalances', { bar: 'tick', size: 3, stack: 1, zero: 'count', lookback: 1 }],
  ['unfinished-auctions', { size: 5, lookback: 1 }],
  ['naked-levels', { lookback: 1 }],
);

export type Item = {
  readonly t: 'snapshot' | 'upsert' | 'remove';
  readonly cursor: string;
  readonly id?: string;
  readonly final?: boolean;
  readonly items?: unknown;
};

export interface SettledLog {
  readonly log: readonly Item[];
  readonly tail: readonly Item[];
}

export interface WalkedPage {
  readonly items: readonly Item[];
  /** The exact text in the page, between the brackets. */
  readonly text: string;
  readonly trades: number;
  readonly next: string | null;
}

export class HistoryWorld implements Disposable {
  readonly tape: MemoryTape;
  readonly run: EngineRun;
  /** Taken after every commit: the snapshot for a client that arrives then, and how far it sees the tape. */
  readonly snapshots: (Extract<ServerMessage, { t: 'snapshot' }> & { readonly seen: EpochNs })[] =
    [];
  readonly #script: readonly ScriptedCommit[];
  readonly #topic: Topic;
  readonly #delayNs: bigint;
  readonly #replays: StudyReplays;
  readonly #days: SettledDaysReader;

  private constructor(script: readonly ScriptedCommit[], topic: Topic, delaySeconds: number) {
    this.tape = new MemoryTape(CONTRACT, 7);
    this.run = new EngineRun(this.tape);
    this.#script = script;
    this.#topic = topic;
    this.#delayNs = BigInt(delaySeconds) * SECOND;
    const shared = {
      tape: this.tape,
      indicators: BY_ID,
      sessionsOf: () => SESSIONS,
      yieldTurn: async () => {},
    };
    this.#replays = new StudyReplays({ ...shared, limits: { bytes: 900, trades: 20 } });
    this.#days = new SettledDaysReader({
      ...shared,
      cache: null,
      logs: noLogs(20),
      pageBytes: 2_000,
    });
  }

  /** With a delay, stream and history both see the tape later. */
  static async over(
    script: readonly ScriptedCommit[],
    topic: Topic,
    delaySeconds = 0,
  ): Promise<HistoryWorld> {
    const world = new HistoryWorld(script, topic, delaySeconds);
    world.tape.commit([], TAPE_START);
    world.run.open(topic, 1, delaySeconds);
    await settle();
    for (const { trades, promise } of script) {
      world.tape.commit(trades, promise);
      await settle();
      const seen = (promise - world.#delayNs) as EpochNs;
      if (seen >= TAPE_START) world.snapshots.push({ ...world.run.snapshot(), seen });
    }
    assert.deepEqual(world.run.faults, []);
    return world;
  }

  get trades(): readonly MemoryTrade[] {
    return this.#script.flatMap(({ trades }) => trades);
  }

  /** How far the tape is visible. */
  get end(): EpochNs {
    const end = (this.#script.at(-1)!.promise - this.#delayNs) as EpochNs;
    return end > TAPE_START ? end : TAPE_START;
  }

  /** An instant of the tape by share; rounded to a whole second if wanted. */
  at(share: number, isSecond = false): EpochNs {
    const at = TAPE_START + BigInt(Math.floor(share * Number(this.end - TAPE_START)));
    return (isSecond ? at - (at % SECOND) : at) as EpochNs;
  }

  query(rest: Partial<HistoryQuery> & Pick<HistoryQuery, 'from'>): HistoryQuery {
    const [indicator, input] = this.#topic;
    return {
      instrument: 'ES.c.0',
      contract: CONTRACT,
      tickSizeNanos: 250_000_000,
      indicator,
      params: paramsOf(BY_ID.get(indicator)!, input),
      depth: 5_000,
      computeUnitsPerTrade: 1,
      mode: 'live',
      hasSnapshot: false,
      format: 'ndjson',
      to: this.end,
      untilCursor: null,
      cursor: null,
      limit: 1_000,
      ...rest,
    };
  }

  async cover(query: HistoryQuery, visible = this.end, moment: Partial<CoverMoment> = {}) {
    return await coverQuery(
      query,
      { days: this.#days },
      {
        visible: () => visible,
        arrived: visible,
        isReady: () => true,
        contractOn: () => query.contract,
        enterWait: () => new DisposableStack(),
        requestWatermark: () => {},
        isTapeAhead: () => false,
        pause: async () => {},
        ...moment,
      },
    );
  }

  async walk(
    query: HistoryQuery,
    limits: Partial<HistoryPageLimits> = {},
    visible = this.end,
    moment: Partial<CoverMoment> = {},
  ): Promise<readonly WalkedPage[]> {
    const pages = new HistoryPages({
      days: this.#days,
      replays: this.#replays,
      engineFingerprint: 'test',
      limits,
    });
    const walked: WalkedPage[] = [];
    let cursor = query.cursor;
    do {
      const covered = await this.cover({ ...query, cursor }, visible, moment);
      const page = await pages.page(covered, 'account');
      const document = JSON.parse(page.bytes.toString());
      assert.equal(document.items.length, page.items);
      assert.equal(document.next, page.next);
      assert.equal(document.computeUnits, page.computeUnits);
      assert.ok(page.trades >= 0 && page.trades <= covered.trades);
      if (page.next !== null && cursor !== null) {
        assert.ok(compare(page.next, cursor) > 0, `${page.next} is not after ${cursor}`);
      }
      const [, text] = /"items":\[([\s\S]*)\],"next":/.exec(page.bytes.toString())!;
      walked.push({ items: document.items, text: text!, trades: page.trades, next: page.next });
      cursor = page.next;
    } while (cursor !== null);
    return walked;
  }

  /** The settled part of the log in (position(from), position(to)], and the objects that form there. */
  async settled(from: EpochNs, to: EpochNs): Promise<SettledLog> {
    const log: Item[] = [];
    let isHeard = false;
    const { study, run } = this.#settledRun((item) => isHeard && log.push(item));
    await this.#readTo(run, from);
    isHeard = true;
    await this.#readTo(run, to);
    const tail: Item[] = [];
    study.forming(null, ({ id, final, ts, data }, mark) => {
      tail.push({ t: 'upsert', cursor: formatCursor(mark), id, final, ts, data } as Item);
    });
    return { log, tail: tail.toSorted((a, b) => compare(a.cursor, b.cursor)) };
  }

  /** position(time) and the objects there. */
  async stateAt(
    time: EpochNs,
    mode: 'live' | 'confirmed',
  ): Promise<Pick<Item, 'cursor' | 'items'>> {
    const [id] = this.#topic;
    const objects = new PublishedObjects(BY_ID.get(id)!.objectsOutliveSession);
    const { study, run } = this.#settledRun(() => {}, objects);
    await this.#readTo(run, time);
    study.forming(null, (version) => void objects.upsert(version));
    const { cursor, items } = objects.snapshot(run.position, 5_000, mode);
    return { cursor, items: JSON.parse(items) };
  }

  /** What the stream published after a cursor, at edges up to an instant, without the subscription's name. */
  published(after: string, until: EpochNs): readonly Item[] {
    return this.run
      .flushes()
      .filter((flush) => edgeOf(flush) <= until)
      .flatMap((flush) => decodeFrames(flush))
      .map(withoutSub)
      .filter(({ cursor }) => compare(cursor, after) > 0);
  }

  /** Every position that the stream published, and when. */
  places(): readonly { readonly cursor: string; readonly at: EpochNs }[] {
    return this.run.flushes().flatMap((flush) => {
      const at = edgeOf(flush);
      return updatesOf(flush.block).map(({ cursor }) => ({ cursor, at }));
    });
  }

  /** The same as the exact texts that were sent, without the subscription's name. */
  publishedTexts(after: string, until: EpochNs, isWanted: (final: boolean) => boolean): string[] {
    return this.run
      .flushes()
      .filter((flush) => edgeOf(flush) <= until)
      .flatMap(({ block }) => updatesOf(block))
      .filter(({ cursor, final }) => compare(cursor, after) > 0 && isWanted(final))
      .map(({ line }) => line);
  }

  /** Of several changes of an object in one flush, only the last is published. */
  publishedOf(log: readonly Item[]): readonly Item[] {
    const ends = this.run.flushes().map(({ position }) => position);
    const flushOf = (item: Item) => ends.findIndex((end) => compare(item.cursor, end) <= 0);
    return log.filter((item, at) => {
      const later = log.slice(at + 1).filter(({ id }) => id === item.id);
      return !later.some((other) => flushOf(other) === flushOf(item));
    });
  }

  [Symbol.dispose](): void {
    this.#replays[Symbol.dispose]();
  }

  #settledRun(hear: (item: Item) => void, objects = new PublishedObjects(true)) {
    const [id, input] = this.#topic;
    const indicator = BY_ID.get(id)!;
    const study = indicator.create(paramsOf(indicator, input));
    const output = {
      upsert: (version: Parameters<PublishedObjects['upsert']>[0], at: Cursor) => {
        objects.upsert(version);
        const { ts, final, data } = version;
        hear({ t: 'upsert', cursor: formatCursor(at), id: version.id, final, ts, data } as Item);
      },
      remove: (gone: string, final: boolean, ts: string, at: Cursor) => {
        objects.remove(gone, final, ts);
        hear({ t: 'remove', cursor: formatCursor(at), id: gone, final, ts } as Item);
      },
      openSession: () => objects.openSession(),
      flushed: () => {},
    };
    const run = new StudyRun(study, SESSIONS, { at: TAPE_START, rank: 0 as Rank }, { output });
    return { study, run };
  }

  async #readTo(run: StudyRun, to: EpochNs): Promise<void> {
    const place = await placeBefore(this.tape, CONTRACT, to);
    for await (const batch of this.tape.read(CONTRACT, run.position, place)) run.apply(batch);
    run.advance(to);
  }
}

function withoutSub(message: ServerMessage): Item {
  const { sub: _sub, ...item } = message as ServerMessage & { readonly sub?: string };
  return item as Item;
}

export function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}

/** Trades with a time in [from, to). */
export function tradesIn(world: HistoryWorld, from: EpochNs, to: EpochNs): number {
  return world.trades.filter(({ at }) => at >= from && at < to).length;
}
