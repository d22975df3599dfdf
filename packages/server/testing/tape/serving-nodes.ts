/**
 * Nodes of a simulated cluster that also serve streams: the process's handling of floors, days and cursors around a
 * shared tape, with an engine that only knows which days it computes with. A cursor from any node may be resumed at any
 * other at any time: no client may resume from a result computed with other days.
 */

import assert from 'node:assert/strict';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { Cursor } from '@tapeloom/core/cursor';
import { type Rank, rank, type UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { Clock } from '../../src/platform/clock.ts';
import { type Disk, readFileWhole, replaceFile } from '../../src/platform/disk/disk.ts';
import { sleep } from '../../src/platform/waiting/sleep.ts';
import { SharedFloors } from '../../src/process/cluster/shared-floors.ts';
import { tapeSpread } from '../../src/process/cluster/tape-spread.ts';
import { CursorEpochs, type CursorEpochsOptions } from '../../src/process/days/cursor-epochs.ts';
import { TapeDamage } from '../../src/process/days/tape-damage.ts';
import type { FromIngest } from '../../src/process/ingest/ingest-wire.ts';
import type { SharedTape } from '../../src/tape/shared/shared-tape.ts';
import type { LeadTerm } from '../../src/tape/shared/shared-tape-options.ts';
import type { TapeObjects } from '../../src/tape/stream/tape-stream.ts';
import { sealedPath } from '../../src/tape/tape-paths.ts';
import { sealDay } from '../../src/tape/write/seal/seal.ts';
import type { TopicSpec } from '../../src/topics/engine-link.ts';
import { SCRIPT_SYMBOLS } from './feed-script.ts';
import { type SharedNode, SharedWorld } from './shared-nodes.ts';
import { DATASET, TAPE_ROOT } from './tape-on-sim-disk.ts';

const CONTRACT = 'ESZ6';
const FIRST_DAY = 20_260_105 as UtcDay;
/** A day for look-backs, which arrives behind the tape. */
export const PAST_DAY = addDays(FIRST_DAY, -2);
/** A topic with look-back on other sessions, and one without. */
export const DEEP: TopicSpec = spec('session-levels');
export const SHALLOW: TopicSpec = spec('bars');
/** How long an engine takes to read the tape again. */
const COMPUTE_MS = 40;
/** When the state of a silent node expires. */
const ALIVE_MS = 90_000;
const BEAT_MS = 1_000;
/** How many of a node's shown cursors are tried. */
const KEPT_MAX = 24;
const SESSIONS = createSessionTable(
  Array.from({ length: 60 }, (_, index) => {
    const date = addDays(FIRST_DAY, index - 30);
    return { date, open: epochNs(date, 0), close: epochNs(date, DAY_NS) };
  }),
);

interface Shown {
  readonly by: string;
  readonly cursor: Cursor;
  /** Whether it was computed with the day that arrived behind the tape. */
  readonly withDay: boolean;
}

/** The progress of the appending node with the day to make. */
export type Making = 'named' | 'read' | 'made' | null;

export class ServingWorld extends SharedWorld {
  readonly nodes: ServingNode[] = [];
  /** While false, no node makes the day. */
  mayMake = true;
  /** Whether a node announces the day before it makes it. */
  isNamed = true;
  readonly #shown: Shown[] = [];

  constructor(seed: number, offers = 9_000) {
    super(seed, { batchRowsMax: 2, offersPerDay: 4_000 }, offers);
    this.time.every(BEAT_MS, () => this.#beat());
  }

  async serving(name: string): Promise<ServingNode> {
    const node = new ServingNode(this, name);
    this.nodes.push(node);
    await node.start();
    return node;
  }

  /** Advances time until the condition holds, while clients move from every node to every other. */
  async hopUntil(what: string, isSo: () => boolean, msMax = 400_000): Promise<void> {
    await this.until(
      what,
      () => {
        this.#hop();
        return isSo();
      },
      msMax,
    );
  }

  async hopFor(ms: number): Promise<void> {
    const end = this.time.ms + ms;
    await this.hopUntil('time passes', () => this.time.ms >= end);
  }

  #hop(): void {
    const showing = this.nodes.flatMap((node) => {
      const here = node.isUp ? node.show(DEEP) : null;
      return here === null ? [] : [{ node, here }];
    });
    this.#shown.push(...showing.map(({ here }) => here));
    this.#shown.splice(0, this.#shown.length - KEPT_MAX);
    for (const shown of this.#shown) {
      for (const { node, here } of showing) node.tryToResume(shown, here);
    }
  }

  #beat(): void {
    const known = this.nodes.filter(({ heardAt }) => heardAt > this.time.ms - ALIVE_MS);
    for (const node of this.nodes) node.beat();
    const spread = tapeSpread(
      known.map(({ report }) => ({ isAlive: true, roles: ['serve'], report })),
      DATASET,
    );
    for (const node of this.nodes) node.hear(spread);
  }
}

export class ServingNode {
  readonly node: SharedNode;
  /** Its last own report. */
  report: Readonly<Record<string, unknown>> = {};
  heardAt = Number.NEGATIVE_INFINITY;
  making: Making = null;
  /** This node cannot fetch objects. */
  isCutFromObjects = false;
  /** The node and the register are disconnected. */
  isCutFromRegister = false;
  readonly #world: ServingWorld;
  #tape: SharedTape | null = null;
  #floors: SharedFloors | null = null;
  #epochs: CursorEpochs | null = null;
  #damage: TapeDamage | null = null;
  #place: { readonly disk: Disk; readonly clock: Clock } | null = null;
  #computesWithDay = false;
  #refusalOf: (spec: TopicSpec) => string | null = () => null;
  #daysAt = 0;

  constructor(world: ServingWorld, name: string) {
    this.#world = world;
    this.node = world.node(name, true, {
      objects: this.#objects(),
      opened: (tape, place) => this.#open(tape, place),
      book: (book) => this.#floors?.tell(book),
      dayFetched: (symbol, day) => {
        this.#tell({ t: 'filled', part: 'fetched', days: 1, daysTotal: 1, item: { symbol, day } });
        this.#floors!.sendMissing();
      },
      lead: (term) => this.#lead(term),
    });
  }

  get isUp(): boolean {
    return this.#tape !== null;
  }

  get tape(): SharedTape {
    return this.#tape!;
  }

  get hasDay(): boolean {
    return !this.#tape!.manifest.isMissing(CONTRACT, PAST_DAY);
  }

  /** Flips a bit of the day's file, and makes the engine read it. */
  async meetDamage(): Promise<void> {
    const { disk } = this.#place!;
    const path = sealedPath(TAPE_ROOT, DATASET, CONTRACT, PAST_DAY);
    const bytes = (await readFileWhole(disk, path))!;
    bytes[bytes.length >> 1]! ^= 1;
    await replaceFile(disk, path, bytes);
    this.#damage!.found({ contract: CONTRACT, day: PAST_DAY, error: new Error('a bit') });
  }

  async start(): Promise<void> {
    await this.node.start();
    await this.#world.time.until(this.#epochs!.open(FIRST_DAY));
  }

  kill(): void {
    this.node.kill();
    this.#tape = null;
    this.#floors![Symbol.dispose]();
  }

  /** What a stream's client receives here now; null: nothing. */
  show(of: TopicSpec): Shown | null {
    const live = this.#tape?.publisher.days.at(-1);
    if (live === undefined || this.tape.report.role === 'joining') return null;
    if (this.#refusalOf(of) !== null) return null;
    const cursor: Cursor = { day: live.day, rank: this.#end, k: 0 };
    return { by: this.node.name, cursor, withDay: this.#computesWithDay };
  }

  /** Why a client cannot resume here from a cursor; null: it can. */
  resetOf(of: TopicSpec, { cursor }: Shown): string | null {
    return this.#epochs!.resetOf(of, cursor);
  }

  /** `here` is what the node shows now. */
  tryToResume(shown: Shown, here: Shown): void {
    if (compare(here.cursor, shown.cursor) < 0) return;
    if (this.resetOf(DEEP, shown) !== null) return;
    const { day, rank: at } = shown.cursor;
    const { name } = this.node;
    const what = `${day}.${at} of ${shown.by}, which goes on at ${name} at ${this.#world.time.ms}`;
    assert.equal(this.#computesWithDay, shown.withDay, what);
  }

  beat(): void {
    if (!this.isUp || this.isCutFromRegister) return;
    const tape = this.tape.report;
    if (this.#epochs!.isComputed) this.#daysAt = tape.daysAt;
    this.heardAt = this.#world.time.ms;
    this.report = { tapes: { [DATASET]: { ...tape, daysAt: this.#daysAt } } };
  }

  hear(spread: ReturnType<typeof tapeSpread>): void {
    if (this.isUp && !this.isCutFromRegister) this.#floors!.heard(spread);
  }

  #open(tape: SharedTape, place: { readonly disk: Disk; readonly clock: Clock }): void {
    this.#tape = tape;
    this.#place = place;
    this.#computesWithDay = this.hasDay;
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    this.#epochs = new CursorEpochs({
      directory: '/data',
      disk: place.disk,
      log: log as unknown as CursorEpochsOptions['log'],
      world: {
        tradingSessions: { contracts: {} },
        sessionsOf: () => SESSIONS,
        datasetOf: () => DATASET,
      } as unknown as CursorEpochsOptions['world'],
      hub: this.#hub(place.clock),
      timers: place.clock,
      replays: { locate: () => Promise.reject(new Error('nothing was changed')) },
      pastRefreshed: () => Promise.resolve(),
      tapeKnown: Promise.resolve(),
      isDisputed: () => false,
    });
    this.#damage = new TapeDamage({
      log: log as unknown as CursorEpochsOptions['log'],
      missing: [],
      tellReaders: (_contract, _day, isDamaged) => {
        if (isDamaged) this.#computesWithDay = false;
      },
      epochs: this.#epochs,
      check: (symbol, day) => place.clock.after(1, () => void this.#check(tape, symbol, day)),
    });
    this.#floors = new SharedFloors({
      ...{ tape, clock: place.clock, send: (news) => this.#tell(news) },
      listed: () => SCRIPT_SYMBOLS,
    });
  }

  get #end(): Rank {
    return (this.#tape?.publisher.days.at(-1)?.find(CONTRACT)?.count ?? 0) as Rank;
  }

  #hub(clock: Clock): CursorEpochsOptions['hub'] {
    const tapeDay = () => this.#tape?.publisher.days.at(-1)?.day ?? null;
    return {
      hasServed: () => true,
      repair: async () => {
        await sleep(clock, COMPUTE_MS);
        this.#computesWithDay = this.hasDay;
        return { day: tapeDay()!, rank: this.#end };
      },
      refuse: (refusalOf) => {
        this.#refusalOf = refusalOf;
      },
      tapeDayOf: tapeDay,
    };
  }

  /** Delivers messages to the main thread, a moment later. */
  #tell(news: FromIngest): void {
    const epochs = this.#epochs!;
    this.#place!.clock.after(1, () => {
      if (news.t === 'days-missing') epochs.noteMissing(DATASET, news.newest);
      if (news.t === 'filled') {
        const { symbol, day } = news.item!;
        this.#damage!.sound(symbol, day);
        epochs.noteFilled(symbol, day);
      }
      if (news.t === 'checked') this.#damage!.checked(news.symbol, news.day, news.isSound);
      if (news.t !== 'floors') return;
      epochs.noteShared(DATASET, news.text);
      this.#place!.clock.after(1, () => this.#floors!.hold(news.text));
    });
  }

  async #check(tape: SharedTape, symbol: string, day: UtcDay): Promise<void> {
    const isSound = await tape.check(symbol, day);
    this.#floors!.sendMissing();
    if (isSound !== null) this.#tell({ t: 'checked', symbol, day, isSound });
  }

  /** Makes the day if the cluster does not have it. */
  async #lead(term: LeadTerm): Promise<void> {
    const floors = this.#floors!;
    const { disk, clock } = this.#place!;
    const { manifest } = this.tape;
    await floors.lead(term);
    while (!this.#world.mayMake && !term.signal.aborted) await sleep(clock, 10);
    const isThere = this.tape.book.days[CONTRACT]?.[PAST_DAY] !== undefined;
    if (term.signal.aborted) return;
    if (!isThere) {
      const item = { symbol: CONTRACT, day: PAST_DAY };
      if (this.#world.isNamed) await floors.name([item]);
      this.making = 'named';
      if (this.#world.isNamed) await floors.allHaveRead();
      this.making = 'read';
      const digest = await sealDay(disk, TAPE_ROOT, {
        ...{ dataset: DATASET, symbol: CONTRACT, batch: oneTrade(PAST_DAY) },
      });
      await manifest.sealed([{ ...item, digest }]);
      this.#tell({ t: 'filled', part: 'rest', days: 1, daysTotal: 1, item });
      this.making = 'made';
    }
    floors.made();
  }

  #objects(): TapeObjects {
    const { objects } = this.#world;
    return {
      put: (...put) => objects.put(...put),
      get: (name) => {
        if (this.isCutFromObjects) return Promise.reject(new Error('nobody answers'));
        return objects.get(name);
      },
      list: (prefix) => objects.list(prefix),
      remove: (name) => objects.remove(name),
    };
  }
}

function spec(indicator: string): TopicSpec {
  return { contract: CONTRACT, indicator, params: {}, delaySeconds: 0 };
}

function oneTrade(day: UtcDay) {
  return {
    ...{ day, firstRank: rank(1), count: 1 },
    ts: Float64Array.of(1_000),
    price: Int32Array.of(5_000),
    size: Int32Array.of(1),
    side: Int8Array.of(1),
  };
}

function compare(a: Cursor, b: Cursor): number {
  return a.day - b.day || a.rank - b.rank;
}
