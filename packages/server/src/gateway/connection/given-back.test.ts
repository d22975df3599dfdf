/** Connections that end give back everything they hold, whatever they did before. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import type { HandedOutKey } from '../../../testing/accounts/memory-accounts.ts';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { fillOutbox } from '../../../testing/stream/fill-outbox.ts';
import { DAY, FLOOD } from '../../../testing/stream/in-process-stream.ts';
import { StallingSocket } from '../../../testing/stream/stalling-socket.ts';
import { subscribe } from '../../../testing/stream/stream-client.ts';
import { OUTBOX_LIMITS } from '../wire/outbox.ts';

const HOUR_MS = 3_600_000;
const HOUR_NS = HOUR_MS * 1e6;
const TODAY = addDays(DAY, 1);

/** Where a subscription starts; the tape has trades of `DAY` and of the day after it, none before. */
const STARTS = {
  live: 'live',
  yesterday: { time: `${epochNs(DAY, 11 * HOUR_NS)}` },
  'not covered': { time: `${epochNs(addDays(DAY, -2), 11 * HOUR_NS)}` },
  lately: { cursor: `${TODAY}.5.1` },
  worthless: { cursor: `${DAY}.2.1` },
  beyond: { cursor: `${TODAY}.5000.1` },
} as const;
type Start = keyof typeof STARTS;

/** Sockets of one account on a tape of two days, and all that is open for them. */
class Stage implements AsyncDisposable {
  readonly desk: AccountStream;
  readonly key: HandedOutKey;
  readonly sockets: StallingSocket[] = [];
  openReplays = 0;

  private constructor(desk: AccountStream, key: HandedOutKey) {
    this.desk = desk;
    this.key = key;
    const { replays } = desk.stream;
    const open = replays.open.bind(replays);
    replays.open = async (request) => {
      const replay = await open(request);
      const dispose = replay[Symbol.asyncDispose].bind(replay);
      this.openReplays += 1;
      replay[Symbol.asyncDispose] = async () => {
        this.openReplays -= 1;
        await dispose();
      };
      return replay;
    };
  }

  static async start(): Promise<Stage> {
    const desk = await AccountStream.start({ ...FLOOD, pages: { bytes: 1_000, trades: 10 } });
    const { stream } = desk;
    for (let second = 0; second < 30; second += 1) {
      stream.trade({ price: 100 + (second % 5) });
      await stream.pass(1_000);
    }
    const floor = { contract: 'AA', indicator: 'bars', cursor: `${DAY}.3.1` };
    stream.floors.push({ ...floor, reason: 'engine_changed' });
    await stream.jump(23.5 * HOUR_MS);
    for (let second = 0; second < 10; second += 1) {
      stream.trade({ price: 100 + (second % 5) });
      await stream.pass(1_000);
    }
    return new Stage(desk, await desk.key('live_history'));
  }

  async open(): Promise<StallingSocket> {
    const socket = await StallingSocket.open(this.desk.stream, this.key.text);
    this.sockets.push(socket);
    await this.quiet();
    return socket;
  }

  /** Lets pending work come to its end, as far as it needs no time. */
  async quiet(): Promise<void> {
    for (let turns = 0; turns < 30; turns += 1) await turn();
  }

  async subscribe(socket: StallingSocket, sub: string, start: Start): Promise<void> {
    await socket.send(subscribe(sub, { params: { size: 10 }, from: STARTS[start] }));
  }

  /** All sockets go. */
  async end(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    for (let second = 0; second < 3; second += 1) {
      await this.quiet();
      await this.desk.stream.pass(1_000);
    }
    const { stream } = this.desk;
    const { connections, subscriptions, parting } = stream.gateway.metrics;
    assert.deepEqual(
      { connections, subscriptions, parting },
      { connections: 0, subscriptions: 0, parting: 0 },
    );
    assert.equal(stream.hub.metrics.subscribers, 0, 'attached');
    assert.equal(this.openReplays, 0, 'opened');
    assert.equal(this.desk.watchedKeys, 0);
    for (const kind of ['connection', 'subscription', 'configuration'] as const) {
      assert.equal(await this.desk.held(this.key.record.accountId, kind), 0, kind);
    }
    assert.equal((await this.desk.units(this.key)).reserved, 0);
    assert.deepEqual(stream.faults, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.desk[Symbol.asyncDispose]();
  }
}

test('each start gives what it should while the reader reads', async () => {
  await using stage = await Stage.start();
  const socket = await stage.open();
  for (const start of Object.keys(STARTS) as Start[]) await stage.subscribe(socket, start, start);
  for (let second = 0; second < 8; second += 1) {
    await stage.quiet();
    await stage.desk.stream.pass(1_000);
  }
  const kinds = (sub: string) =>
    new Set(socket.messages.filter((it) => 'sub' in it && it.sub === sub).map(({ t }) => t));
  for (const start of ['live', 'yesterday', 'worthless'] as const) {
    assert.ok(kinds(start).has('snapshot'), `${start}: ${[...kinds(start)]}`);
  }
  assert.ok(kinds('worthless').has('reset'));
  assert.ok(kinds('lately').has('upsert'), `${[...kinds('lately')]}`);
  assert.ok(kinds('not covered').has('error'));
  await stage.end();
});

for (const start of ['worthless', 'yesterday', 'live'] as const) {
  test(`a start (${start}) whose first message meets a full outbox leaves nothing behind`, async () => {
    await using stage = await Stage.start();
    const socket = await stage.open();
    socket.stall();
    await fillOutbox(socket, OUTBOX_LIMITS.bytesMax - 1);
    await stage.subscribe(socket, 'a', start);
    await stage.quiet();
    assert.equal(stage.desk.stream.gateway.metrics.subscriptions, 0);
    await stage.end();
  });
}

test('after any number of refused starts the next good one gets all', async () => {
  await using stage = await Stage.start();
  const socket = await stage.open();
  for (let start = 0; start < 9; start += 1) {
    await stage.subscribe(socket, `${start}`, 'not covered');
    await stage.quiet();
  }
  assert.equal(socket.messages.filter(({ t }) => t === 'error').length, 9);
  await stage.subscribe(socket, 'good', 'yesterday');
  for (let second = 0; second < 5; second += 1) {
    await stage.quiet();
    await stage.desk.stream.pass(1_000);
  }
  const states = socket.messages.flatMap((it) =>
    it.t === 'status' && it.sub === 'good' ? [it.state] : [],
  );
  assert.deepEqual(states, ['warming', 'live']);
  await stage.end();
});

type Doing =
  | { readonly t: 'open' }
  | {
      readonly t: 'subscribe';
      readonly socket: number;
      readonly sub: string;
      readonly start: Start;
    }
  | { readonly t: 'unsubscribe'; readonly socket: number; readonly sub: string }
  | { readonly t: 'stall' | 'read-on' | 'destroy'; readonly socket: number }
  | { readonly t: 'fill'; readonly socket: number; readonly lessBytes: number }
  | { readonly t: 'pass'; readonly turns: number };

const socket = fc.nat(2);
const sub = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const doing: fc.Arbitrary<Doing> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ t: fc.constant('open') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      t: fc.constant('subscribe'),
      socket,
      sub,
      start: fc.constantFrom(...(Object.keys(STARTS) as Start[])),
    }),
  },
  { weight: 2, arbitrary: fc.record({ t: fc.constant('unsubscribe'), socket, sub }) },
  {
    weight: 3,
    arbitrary: fc.record({ t: fc.constantFrom('stall', 'stall', 'read-on', 'destroy'), socket }),
  },
  { weight: 3, arbitrary: fc.record({ t: fc.constant('fill'), socket, lessBytes: fc.nat(900) }) },
  {
    weight: 3,
    arbitrary: fc.record({ t: fc.constant('pass'), turns: fc.integer({ min: 1, max: 6 }) }),
  },
);

async function run(stage: Stage, it: Doing): Promise<void> {
  if (it.t === 'open') {
    await stage.open();
    return;
  }
  if (it.t === 'pass') {
    stage.desk.stream.trade({ price: 90 + it.turns });
    for (let turns = 0; turns < it.turns; turns += 1) await stage.desk.stream.pass(100);
    return;
  }
  const on = stage.sockets[it.socket];
  if (on === undefined || on.destroyed) return;
  switch (it.t) {
    case 'subscribe':
      return await stage.subscribe(on, it.sub, it.start);
    case 'unsubscribe':
      return await on.send({ t: 'unsubscribe', sub: it.sub });
    case 'stall':
      return on.stall();
    case 'read-on':
      return on.readOn();
    case 'destroy':
      return void on.destroy();
    case 'fill':
      on.stall();
      return await fillOutbox(on, OUTBOX_LIMITS.bytesMax - it.lessBytes);
    default:
      it satisfies never;
  }
}

test('after the last connection has gone nothing is attached, opened or counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { minLength: 4, maxLength: 25 }), async (doings) => {
      await using stage = await Stage.start();
      await stage.open();
      for (const each of doings) await run(stage, each);
      await stage.end();
    }),
    { numRuns: 25 },
  );
});
