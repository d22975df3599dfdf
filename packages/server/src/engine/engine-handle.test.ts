import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { FLUSH_STEP_NS, flushEdgeAfter, flushPhase } from '@tapeloom/core/studies/flush-step';
import { SECOND_NS } from '@tapeloom/core/units';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { edgeOf, updatesOf } from '../../testing/stream/block-updates.ts';
import { intakeBatch } from '../../testing/tape/feed-rows.ts';
import { NodeDisk } from '../platform/disk/node-disk.ts';
import { type OpenTape, openTape } from '../tape/write/open-tape.ts';
import type { EngineLink, EngineMessage, FlushMessage } from '../topics/engine-link.ts';
import { EngineCrew } from './engine-crew.ts';
import { EngineHandle } from './engine-handle.ts';

const SYMBOL = 'BTCX6';
const DAY = utcDay(20261112);
const BARS = { bar: 'time', session: 'full', size: 60 };
const SPEC = { contract: SYMBOL, indicator: 'bars', params: BARS, delaySeconds: 0 };

/** A real tape on disk, and a real engine in its thread that follows it. */
class Rig implements AsyncDisposable {
  readonly heard: EngineMessage[] = [];
  readonly faults: unknown[] = [];
  readonly lost: Error[] = [];
  readonly tape: OpenTape;
  readonly handle: EngineHandle;
  readonly #directory: string;
  #changed = Promise.withResolvers<void>();
  #id = 0;

  private constructor(directory: string, tape: OpenTape) {
    this.#directory = directory;
    this.tape = tape;
    this.handle = this.start((error) => this.faults.push(error));
    this.handle.listen(
      (message) => this.hear(message),
      (cause) => {
        this.lost.push(cause);
        this.#wake();
      },
    );
  }

  /** One more engine over the same tape. */
  start(onFault: (error: unknown) => void): EngineHandle {
    const { port1, port2 } = new MessageChannel();
    this.tape.publisher.addFollower(port1);
    const calendar = calendarNamed('round-the-clock');
    const book = extendSessionBook(
      null,
      calendar,
      addDays(DAY, -3),
      addDays(DAY, 3),
      epochNs(DAY, 0),
    );
    return new EngineHandle({
      index: 0,
      tapePorts: new Map([['SIM', port2]]),
      tapeRoot: this.#directory,
      imported: [],
      sessions: {
        contracts: { [SYMBOL]: { dataset: 'SIM', calendar: calendar.name } },
        books: [{ dataset: 'SIM', book }],
      },
      onFault,
    });
  }

  hear(message: EngineMessage): void {
    this.heard.push(message);
    this.#wake();
  }

  static async open(): Promise<Rig> {
    const directory = await mkdtemp(join(tmpdir(), 'tapeloom-engine-'));
    const tape = await openTape({
      disk: new NodeDisk(),
      tapeRoot: directory,
      dataset: 'SIM',
      listed: () => [SYMBOL],
      now: () => epochNs(DAY, 0),
      onFailure: (error) => {
        throw error;
      },
    });
    return new Rig(directory, tape);
  }

  async trade(second: number, price: number): Promise<void> {
    this.#id += 1;
    const row = [this.#id, second * SECOND_NS, price] as const;
    const promise = epochNs(DAY, second * SECOND_NS + SECOND_NS / 2);
    await this.tape.intake.offer([intakeBatch(SYMBOL, DAY, [row])], promise);
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#changed.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle[Symbol.asyncDispose]();
    await this.tape[Symbol.asyncDispose]();
    await rm(this.#directory, { recursive: true });
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

test('an engine in its thread follows a real tape and publishes what is durable', async () => {
  await using rig = await Rig.open();
  await rig.trade(1, 100);
  await rig.trade(2, 105);
  rig.handle.send({ t: 'open', topic: 1, spec: SPEC, since: null, accounts: ['one'] });
  await rig.until(() => rig.heard.some((it) => it.t === 'ready'));
  rig.handle.send({ t: 'snapshot', topic: 1, request: 9, depth: 10, mode: 'live' });
  await rig.until(() => rig.heard.some((it) => it.t === 'snapshot'));
  const snapshot = rig.heard.find((it) => it.t === 'snapshot');
  assert.ok(snapshot?.t === 'snapshot' && snapshot.request === 9);
  const items = JSON.parse(updatesOf(snapshot.block)[0]!.line).items;
  assert.deepEqual([items.length, items[0].id, items[0].data.high], [1, `${DAY}.1`, 105]);

  await rig.trade(3, 99);
  const position = `${DAY}.3.1`;
  await rig.until(() => rig.heard.some((it) => it.t === 'flush' && it.position === position));
  const flush = rig.heard.findLast((it) => it.t === 'flush');
  assert.ok(flush?.t === 'flush');
  const phase = flushPhase(SPEC.contract, indicatorNamed(SPEC.indicator)!, SPEC.params);
  const edge = epochNs(DAY, flushEdgeAfter(3 * SECOND_NS, FLUSH_STEP_NS, phase));
  assert.deepEqual([flush.position, edgeOf(flush)], [position, edge]);
  assert.deepEqual(
    updatesOf(flush.block).map(({ kind, id, final, cursor }) => ({ kind, id, final, cursor })),
    [{ kind: 'upsert', id: `${DAY}.1`, final: false, cursor: `${DAY}.3.1` }],
  );
  await rig.until(() => rig.heard.some((it) => it.t === 'pulse' && it.watermarks.size > 0));
  assert.deepEqual([rig.faults, rig.lost], [[], []]);
});

test('a topic without sessions fails alone and is reported', async () => {
  await using rig = await Rig.open();
  await rig.trade(1, 100);
  const other = { ...SPEC, contract: 'ETHX6' };
  rig.handle.send({ t: 'open', topic: 1, spec: other, since: null, accounts: ['one'] });
  rig.handle.send({ t: 'open', topic: 2, spec: SPEC, since: null, accounts: ['one'] });
  await rig.until(() => rig.heard.some((it) => it.t === 'ready' && it.topic === 2));
  assert.ok(rig.heard.some((it) => it.t === 'failed' && it.topic === 1));
  assert.equal(rig.faults.length, 1);
});

test('a worker that dies is told exactly once, and one that was asked to go is not', async () => {
  await using rig = await Rig.open();
  await rig.trade(1, 100);
  // No such command: the worker's code throws on it, as on a bug of ours.
  rig.handle.send({ t: 'open', topic: 1 } as never);
  await rig.until(() => rig.lost.length > 0);
  rig.handle.send({ t: 'close', topic: 1 });
  await rig.handle[Symbol.asyncDispose]();
  assert.equal(rig.lost.length, 1);
  assert.equal(rig.faults.length, 1);

  await using quiet = await Rig.open();
  await quiet.handle[Symbol.asyncDispose]();
  assert.deepEqual(quiet.lost, []);
});

test('another engine takes the place of one that died, and says from the tape what that one said', async () => {
  await using rig = await Rig.open();
  await rig.trade(1, 100);
  await rig.trade(2, 105);
  const clock = new ManualClock(0n);
  const gone = Promise.withResolvers<void>();
  const replaced = Promise.withResolvers<EngineLink>();
  await using crew = new EngineCrew(
    {
      count: 1,
      timers: clock,
      start: (_index, _sessions, onGone) => rig.start(onGone),
      onReplaced: (_index, engine) => replaced.resolve(engine),
      onGone: () => gone.resolve(),
    },
    { contracts: {}, books: [] },
  );
  crew.links[0]!.send({ t: 'open', topic: 1 } as never);
  await gone.promise;
  assert.deepEqual(crew.links, []);
  clock.advance(1_000);
  const engine = await replaced.promise;
  engine.listen(
    (message) => rig.hear(message),
    () => {},
  );
  engine.send({ t: 'open', topic: 1, spec: SPEC, since: `${DAY}.1.1`, accounts: ['one'] });
  await rig.until(() => rig.heard.some((it) => it.t === 'ready'));
  const said = rig.heard.filter((it) => 'topic' in it && it.t !== 'snapshot');
  assert.deepEqual(
    said.map(({ t }) => t),
    ['live', 'flush', 'flush', 'ready'],
  );
  const [, first, second] = said as FlushMessage[];
  assert.deepEqual([first!.position, second!.position], [`${DAY}.1.1`, `${DAY}.2.1`]);
});
