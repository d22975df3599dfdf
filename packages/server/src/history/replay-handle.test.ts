import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { decodeFrames } from '../../../../simulation/engine-run.ts';
import { intakeBatch } from '../../../../simulation/feed-rows.ts';
import { NodeDisk } from '../platform/node-disk.ts';
import { type OpenTape, openTape } from '../tape/open-tape.ts';
import type { ReplayRequest } from './replay.ts';
import {
  NotOnTapeError,
  ReplayClosedError,
  ReplayFailedError,
  ReplaysFullError,
} from './replay-errors.ts';
import { ReplayHandle } from './replay-handle.ts';
import { REPLAYS_MAX } from './study-replays.ts';

const SYMBOL = 'BTCX6';
const DAY = utcDay(20261112);
const SECOND_NS = 1_000_000_000;

/** A real tape on disk, and replays in their thread that follow it. */
class Rig implements AsyncDisposable {
  readonly faults: { readonly error: unknown; readonly request: ReplayRequest | null }[] = [];
  readonly directory: string;
  readonly tape: OpenTape;
  readonly #channel = new MessageChannel();
  #handle: ReplayHandle | null = null;
  #id = 0;

  private constructor(directory: string, tape: OpenTape) {
    this.directory = directory;
    this.tape = tape;
  }

  /** Started when first asked for. */
  get handle(): ReplayHandle {
    this.#handle ??= this.#startHandle();
    return this.#handle;
  }

  /** Makes the worker's code throw, as it would on a bug of ours. */
  breakWorker(): void {
    this.#channel.port1.postMessage({ type: 'nonsense' });
  }

  #startHandle(): ReplayHandle {
    const { port1, port2 } = this.#channel;
    this.tape.publisher.addFollower(port1);
    const calendar = calendarNamed('round-the-clock');
    const from = addDays(DAY, -3);
    const book = extendSessionBook(null, calendar, from, addDays(DAY, 3), epochNs(DAY, 0));
    return new ReplayHandle({
      tapePort: port2,
      tapeRoot: this.directory,
      dataset: 'SIM',
      sessions: { calendars: { [SYMBOL]: calendar.name }, books: [book] },
      onFault: (error, request) => this.faults.push({ error, request }),
    });
  }

  static async start(): Promise<Rig> {
    const directory = await mkdtemp(join(tmpdir(), 'tapeloom-replay-'));
    const tape = await openTape({
      disk: new NodeDisk(),
      tapeRoot: directory,
      dataset: 'SIM',
      listed: () => [SYMBOL],
      now: () => epochNs(addDays(DAY, 1), 300 * SECOND_NS),
      onFailure: (error) => {
        throw error;
      },
    });
    return new Rig(directory, tape);
  }

  /** Trades at these seconds of the day; the promise reaches the last of them and half a second more. */
  async trade(...seconds: readonly number[]): Promise<void> {
    const rows = seconds.map((second) => {
      this.#id += 1;
      return [this.#id, second * SECOND_NS, 100 + (this.#id % 7)] as const;
    });
    await this.tape.intake.offer([intakeBatch(SYMBOL, DAY, rows)], at(seconds.at(-1)! + 0.5));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.[Symbol.asyncDispose]();
    await this.tape[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }
}

function at(seconds: number): EpochNs {
  return epochNs(DAY, seconds * SECOND_NS);
}

function request(rest: Partial<ReplayRequest> = {}): ReplayRequest {
  return {
    contract: SYMBOL,
    indicator: 'bars',
    params: { bar: 'time', session: 'full', size: 60 },
    from: { t: 'after', cursor: `${DAY}.0.0` },
    until: at(3),
    chargedBefore: epochNs(addDays(DAY, 1), 0),
    ...rest,
  };
}

test('replays in their thread read a real tape as it grows', async () => {
  await using rig = await Rig.start();
  await rig.trade(1, 2, 3);
  assert.deepEqual(await rig.handle.locate(SYMBOL, `${DAY}.2.1`), { t: 'on-tape', at: at(2) });
  assert.deepEqual(await rig.handle.locate(SYMBOL, `${DAY}.4.0`), { t: 'beyond' });
  await using replay = await rig.handle.open(request());
  const page = await replay.next();
  assert.deepEqual(
    decodeFrames(page).map((message) => ('cursor' in message ? message.cursor : null)),
    [`${DAY}.1.1`, `${DAY}.2.1`],
  );
  const { position, chargedTrades, isLast } = page;
  assert.deepEqual(
    { position, chargedTrades, isLast },
    {
      position: `${DAY}.2.1`,
      chargedTrades: 2,
      isLast: true,
    },
  );
  const waiting = replay.next(at(5));
  await rig.trade(4, 6);
  let last = await waiting;
  while (!last.isLast) last = await replay.next();
  assert.equal(last.position, `${DAY}.4.1`);

  const from = { t: 'at', time: at(2.5), depth: 10, mode: 'live' } as const;
  await using other = await rig.handle.open(request({ from }));
  const [snapshot, ...updates] = decodeFrames(await other.next());
  assert.ok(snapshot?.t === 'snapshot');
  assert.deepEqual([snapshot.cursor, snapshot.items.length], [`${DAY}.2.1`, 1]);
  assert.deepEqual(updates, []);
  assert.deepEqual(rig.faults, []);
});

test('what is refused says why, and nothing of the house', async () => {
  await using rig = await Rig.start();
  await rig.trade(1);
  const beyond = request({ from: { t: 'after', cursor: `${DAY}.9.0` } });
  await assert.rejects(rig.handle.open(beyond), NotOnTapeError);
  const open = [];
  for (let count = 0; count < REPLAYS_MAX; count += 1) open.push(await rig.handle.open(request()));
  await assert.rejects(rig.handle.open(request()), ReplaysFullError);
  for (const replay of open) await replay[Symbol.asyncDispose]();
  await using _fine = await rig.handle.open(request());
  assert.deepEqual(rig.faults, []);
});

test('closing rejects the page that is asked for at once', async () => {
  await using rig = await Rig.start();
  await rig.trade(1);
  const replay = await rig.handle.open(request({ until: at(1_000) }));
  await replay.next();
  const waiting = replay.next();
  const closing = replay[Symbol.asyncDispose]();
  await Promise.all([assert.rejects(waiting, ReplayClosedError), closing]);
  await assert.rejects(replay.next(), ReplayClosedError);
  assert.deepEqual(rig.faults, []);
});

test('damage of the tape is named to the operator and hidden from who asked', async () => {
  await using rig = await Rig.start();
  await rig.trade(1, 2, 3);
  // The day ends, and is sealed once the log of the next one is there.
  const tomorrow = addDays(DAY, 1);
  await rig.tape.intake.offer([], epochNs(tomorrow, 0));
  const row = [9, SECOND_NS, 100] as const;
  await rig.tape.intake.offer([intakeBatch(SYMBOL, tomorrow, [row])], at(86_402));
  await rig.tape.intake.sealed();
  const file = join(rig.directory, 'SIM', 'days', SYMBOL, `${DAY}.arrow`);
  await writeFile(file, new Uint8Array(4_096));
  await using replay = await rig.handle.open(request());
  const error = await replay.next().then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ReplayFailedError);
  assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /arrow/);
  assert.equal(rig.faults.length, 1);
  assert.match(String(rig.faults[0]!.error), new RegExp(`${DAY}.arrow`));
  assert.deepEqual(rig.faults[0]!.request, request());
});

test('a worker that dies rejects everything and is told exactly once', async () => {
  await using rig = await Rig.start();
  await rig.trade(1);
  const replay = await rig.handle.open(request({ until: at(1_000) }));
  await replay.next();
  const waiting = replay.next();
  rig.breakWorker();
  await assert.rejects(waiting, ReplayFailedError);
  await assert.rejects(replay.next(), ReplayFailedError);
  await assert.rejects(rig.handle.open(request()), ReplayFailedError);
  await assert.rejects(rig.handle.locate(SYMBOL, `${DAY}.1.1`), ReplayFailedError);
  await replay[Symbol.asyncDispose]();
  assert.equal(rig.faults.length, 1);
  assert.equal(rig.faults[0]!.request, null);

  await using quiet = await Rig.start();
  const asked = quiet.handle.locate(SYMBOL, `${DAY}.1.1`);
  await Promise.all([
    assert.rejects(asked, ReplayClosedError),
    quiet.handle[Symbol.asyncDispose](),
  ]);
  assert.deepEqual(quiet.faults, []);
});
