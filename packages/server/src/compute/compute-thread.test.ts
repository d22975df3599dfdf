import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import {
  linesOf,
  daysOf as mergedDays,
  pagesOf,
  type ReadDay,
  textOf,
} from '../../testing/history/settled-world.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import { decodeFrames } from '../../testing/stream/engine-run.ts';
import { intakeBatch } from '../../testing/tape/feed-rows.ts';
import { NodeDisk } from '../platform/disk/node-disk.ts';
import { isRefused } from '../platform/refusal.ts';
import { createClock } from '../platform/system-clock.ts';
import type { DaysPage, SettledDaysRequest } from '../results/settled-days.ts';
import type { Coverage } from '../runs/coverage.ts';
import type { ReplayRequest } from '../runs/replay.ts';
import { type OpenTape, openTape } from '../tape/write/open-tape.ts';
import { ComputePool } from './compute-pool.ts';
import { startComputeThread } from './compute-thread.ts';
import type { ComputeRequest } from './compute-wire.ts';

const SYMBOL = 'BTCX6';
const DAY = utcDay(20261112);
const SECOND_NS = 1_000_000_000;

/** A real tape on disk, and real threads that follow it. */
class Rig implements AsyncDisposable {
  readonly faults: { readonly error: unknown; readonly request: ComputeRequest | null }[] = [];
  readonly directory: string;
  readonly tape: OpenTape;
  readonly #ports: MessagePort[] = [];
  #pool: ComputePool | null = null;
  #id = 0;

  private constructor(directory: string, tape: OpenTape) {
    this.directory = directory;
    this.tape = tape;
  }

  /** Started at its first use. */
  get pool(): ComputePool {
    this.#pool ??= new ComputePool({
      threads: 1,
      timers: createClock({ kind: 'system' }),
      startThread: () => this.#startThread(),
      onFault: (error, request) => this.faults.push({ error, request }),
    });
    return this.#pool;
  }

  /** Makes the thread's code throw, as it would on a bug of ours. */
  breakThread(): void {
    this.#ports.at(-1)!.postMessage({ type: 'nonsense' });
  }

  #startThread() {
    const { port1, port2 } = new MessageChannel();
    this.#ports.push(port1);
    this.tape.publisher.addFollower(port1);
    const calendar = calendarNamed('round-the-clock');
    const from = addDays(DAY, -3);
    const book = extendSessionBook(null, calendar, from, addDays(DAY, 3), epochNs(DAY, 0));
    return startComputeThread({
      tapePorts: new Map([['SIM', port2]]),
      tapeRoot: join(this.directory, 'tape'),
      imported: [],
      sessions: {
        contracts: { [SYMBOL]: { dataset: 'SIM', calendar: calendar.name } },
        books: [{ dataset: 'SIM', book }],
      },
      cache: { root: join(this.directory, 'cache'), bytesMax: 2 ** 30 },
    });
  }

  static async start(): Promise<Rig> {
    const directory = await mkdtemp(join(tmpdir(), 'tapeloom-compute-'));
    const tape = await openTape({
      disk: new NodeDisk(),
      tapeRoot: join(directory, 'tape'),
      dataset: 'SIM',
      listed: () => [SYMBOL],
      now: () => epochNs(addDays(DAY, 1), 300 * SECOND_NS),
      onFailure: (error) => {
        throw error;
      },
    });
    return new Rig(directory, tape);
  }

  /** Trades at these seconds of the day; the watermark (`promise`) reaches half a second beyond the last. */
  async trade(...seconds: readonly number[]): Promise<void> {
    const rows = seconds.map((second) => {
      this.#id += 1;
      return [this.#id, second * SECOND_NS, 100 + (this.#id % 7)] as const;
    });
    await this.tape.intake.offer([intakeBatch(SYMBOL, DAY, rows)], at(seconds.at(-1)! + 0.5));
  }

  /** The day ends, and is sealed once the log of the next one is there. */
  async sealDay(): Promise<void> {
    const tomorrow = addDays(DAY, 1);
    await this.tape.intake.offer([], epochNs(tomorrow, 0));
    const row = [900, SECOND_NS, 100] as const;
    await this.tape.intake.offer([intakeBatch(SYMBOL, tomorrow, [row])], at(86_402));
    await this.tape.intake.sealed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.[Symbol.asyncDispose]();
    await this.tape[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }
}

function at(seconds: number): EpochNs {
  return epochNs(DAY, seconds * SECOND_NS);
}

const PARAMS = { bar: 'tick', session: 'full', size: 2 };

function replayOf(rest: Partial<ReplayRequest> = {}): ReplayRequest {
  return {
    account: 'a',
    contract: SYMBOL,
    indicator: 'bars',
    params: PARAMS,
    from: { t: 'after', cursor: `${DAY}.0.0` },
    until: at(3),
    chargedBefore: epochNs(addDays(DAY, 1), 0),
    ...rest,
  };
}

function daysOf(rest: Partial<SettledDaysRequest> = {}): SettledDaysRequest {
  return {
    account: 'a',
    contract: SYMBOL,
    indicator: 'bars',
    params: PARAMS,
    from: at(0),
    until: at(4.5),
    hasTail: true,
    form: 'blocks',
    ...rest,
  };
}

/** The coverage of the day from its start on. */
async function coverageUntil(rig: Rig, to: EpochNs, visible = to): Promise<Coverage> {
  const study = { contract: SYMBOL, indicator: 'bars', params: PARAMS, hasSnapshot: false };
  const range = { from: at(0), to, cursor: null, untilCursor: null };
  const cover = await rig.pool.cover({ ...study, ...range }, visible);
  assert.ok(cover.t === 'range');
  return cover.coverage;
}

async function allPages(rig: Rig, request: SettledDaysRequest): Promise<readonly DaysPage[]> {
  await using read = await rig.pool.read(request);
  return await pagesOf(read);
}

async function allDays(rig: Rig, request: SettledDaysRequest): Promise<readonly ReadDay[]> {
  return mergedDays(await allPages(rig, request));
}

function cursorsOf({ settled }: ReadDay): readonly string[] {
  return linesOf(settled).map((line) => JSON.parse(line).cursor as string);
}

test('settled days and replays of a real tape, in a thread of their own', async () => {
  await using rig = await Rig.start();
  await rig.trade(1, 2, 3, 4, 4.2);
  assert.deepEqual(await rig.pool.locate(SYMBOL, `${DAY}.2.1`, null), { t: 'on-tape', at: at(2) });
  const coverage = await coverageUntil(rig, at(4.125));
  assert.deepEqual([coverage.trades, coverage.missingDays], [4, []]);
  const [day, ...others] = await allDays(rig, daysOf());
  assert.deepEqual(others, []);
  assert.deepEqual([day!.trades, cursorsOf(day!)], [5, [`${DAY}.2.1`, `${DAY}.4.1`]]);
  assert.equal(day!.tail.count, 1);

  await using replay = await rig.pool.open(replayOf());
  const page = await replay.next();
  assert.deepEqual(
    decodeFrames(page).map((message) => ('cursor' in message ? message.cursor : null)),
    [`${DAY}.1.1`, `${DAY}.2.1`],
  );
  const waiting = replay.next(at(5));
  await rig.trade(6);
  let last = await waiting;
  while (!last.isLast) last = await replay.next();
  assert.equal(last.position, `${DAY}.5.1`);
  assert.deepEqual(rig.faults, []);
});

test('a range that has ended is covered though the thread is behind what callers see', async () => {
  await using rig = await Rig.start();
  await rig.trade(1, 2, 3);
  const { trades } = await coverageUntil(rig, at(2.5), at(600));
  assert.equal(trades, 2);
});

test('a part of the tape that is not known yet is waited for', async () => {
  await using rig = await Rig.start();
  await rig.trade(1, 2);
  await rig.pool.locate(SYMBOL, `${DAY}.1.1`, null);
  const coverage = coverageUntil(rig, at(5));
  const days = allDays(rig, daysOf({ until: at(5) }));
  await rig.trade(3, 4, 6);
  assert.equal((await coverage).trades, 4);
  assert.equal((await days)[0]!.trades, 4);
});

test('a sealed day comes as the same bytes however often and in which form it is asked for', async () => {
  await using rig = await Rig.start();
  await rig.trade(1, 2, 3, 4);
  await rig.sealDay();
  const until = epochNs(addDays(DAY, 1), 0);
  const [computed] = await allDays(rig, daysOf({ until }));
  const [kept] = await allDays(rig, daysOf({ until }));
  assert.deepEqual(kept, computed);
  const [framed] = await allPages(rig, daysOf({ until, form: 'frames' }));
  assert.equal(textOf([framed!]), linesOf(computed!.settled).join(''));
});

test('closing rejects what is asked for at once', async () => {
  await using rig = await Rig.start();
  await rig.trade(1);
  const replay = await rig.pool.open(replayOf({ until: at(1_000) }));
  await replay.next();
  const waiting = replay.next();
  const closing = replay[Symbol.asyncDispose]();
  await Promise.all([assert.rejects(waiting, refusedAs('closed')), closing]);
  await assert.rejects(replay.next(), refusedAs('closed'));
  await assert.rejects(
    rig.pool.open(replayOf({ from: { t: 'after', cursor: `${DAY}.9.0` } })),
    refusedAs('not-on-tape'),
  );
  assert.equal(rig.pool.counts.open, 0);
  assert.deepEqual(rig.faults, []);
});

test('a damaged day is named to the operator, hidden from who asked, and missing from then on', async () => {
  await using rig = await Rig.start();
  await rig.trade(1, 2, 3);
  await rig.sealDay();
  const file = join(rig.directory, 'tape', 'SIM', 'days', SYMBOL, `${DAY}.arrow`);
  await writeFile(file, new Uint8Array((await stat(file)).size));
  const until = epochNs(addDays(DAY, 1), 0);
  const error = await allDays(rig, daysOf({ until })).then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(isRefused(error, 'day-damaged'));
  assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /arrow/);
  assert.match(String(rig.faults[0]!.error), new RegExp(`${DAY}`));
  assert.deepEqual(rig.faults[0]!.request, daysOf({ until }));
  assert.deepEqual((await coverageUntil(rig, until)).missingDays, [DAY as UtcDay]);
  await assert.rejects(rig.pool.read(daysOf({ until })), refusedAs('days-missing'));
});

test('a thread that dies is replaced, and what it ran is rejected', async () => {
  await using rig = await Rig.start();
  await rig.trade(1);
  const replay = await rig.pool.open(replayOf({ until: at(1_000) }));
  await replay.next();
  const waiting = replay.next();
  rig.breakThread();
  await assert.rejects(waiting, refusedAs('failed'));
  await assert.rejects(replay.next(), refusedAs('failed'));
  await replay[Symbol.asyncDispose]();
  assert.equal(rig.faults.length, 1);
  assert.equal(rig.faults[0]!.request, null);
  await assert.rejects(rig.pool.locate(SYMBOL, `${DAY}.1.1`, null), refusedAs('full'));
  // A read waits for the new thread.
  await using again = await rig.pool.open(replayOf({ until: at(1) }));
  assert.equal((await again.next()).isLast, true);
});
