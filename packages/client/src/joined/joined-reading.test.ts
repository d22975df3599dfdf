/**
 * Tests the join against a whole service: a joined reading must equal a stream that was connected from the start and
 * never interrupted (the witness).
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { HurriedClock } from '../../../../simulation/clock/client-clock.ts';
import { TAPE_START, WholeService } from '../../../server/testing/rest/whole-service.ts';
import { TapeloomClient } from '../client.ts';
import { compareCursors } from '../cursors.ts';
import type { WebSocketConstructor } from '../options.ts';
import type { Subscription } from '../stream/subscription.ts';
import type { StreamUpdate } from '../stream/update.ts';
import type { JoinedReading, JoinedRequest } from './joined-reading.ts';

const BARS = { indicator: 'bars', instrument: 'A.c.0', params: { bar: 'tick', size: 3 } } as const;
type Update = StreamUpdate<'bars'>;

let service: WholeService;
let key: string;
let sockets: WebSocket[];
let client: TapeloomClient;
/** Called before each request for a page of history. */
let beforePage: () => unknown;
/** Every update that the witness received. */
let said: Update[];
let witness: TapeloomClient;
let watched: Subscription<'bars'>;
let price = 100;
/** The number of trades, which is the rank of the newest one. */
let rank = 0;

before(async () => {
  service = await WholeService.start();
  key = await service.rest.customer('live_history');
  witness = new TapeloomClient({ url: service.url, key, clock: new HurriedClock(2_000) });
  watched = witness.subscribe(BARS);
  said = [];
  for (const kind of ['upsert', 'remove'] as const) watched.on(kind, (it) => said.push(it));
  await watched.ready;
});
after(async () => {
  await witness.close();
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  sockets = [];
  beforePage = () => {};
  const Tracked = class extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      sockets.push(this);
    }
  };
  client = new TapeloomClient({
    url: service.url,
    key,
    // Waits for retries end at once; the connection's own timeouts are never reached.
    clock: new HurriedClock(2_000),
    WebSocket: Tracked as unknown as WebSocketConstructor,
    fetch: async (...request) => {
      await beforePage();
      return await fetch(...request);
    },
  });
});
afterEach(() => client.close());

/** Makes `count` trades, one per second. */
async function trades(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    price += [1, -1, 2, -2, 0][left % 5]!;
    await service.trade(1_000, { price, size: 1 + (left % 7), side: left % 2 === 0 ? 1 : -1 });
    rank += 1;
  }
}

/** The cursor of the newest update, once the witness has it. */
async function newest(): Promise<string> {
  price += 1;
  await service.trade(1_000, { price, size: 2 });
  rank += 1;
  await service.jump(1_000);
  const last = () => (said.at(-1) as { readonly cursor: string } | undefined)?.cursor ?? '';
  while (Number(last().split('.')[1]) !== rank) await turn();
  return last();
}

/** Reads until an update at or after the cursor. */
async function readTo(updates: AsyncIterator<Update>, cursor: string): Promise<readonly Update[]> {
  const read: Update[] = [];
  for (;;) {
    const { done, value } = await updates.next();
    assert.notEqual(done, true);
    read.push(value);
    if ('cursor' in value && compareCursors(value.cursor, cursor) >= 0) return read;
  }
}

const isTold = (update: Update) => update.t === 'upsert' || update.t === 'remove';
const isFinal = (update: Update) =>
  update.t === 'remove' || (update.t === 'upsert' && update.object.final);

function joined(more: Partial<JoinedRequest<'bars'>> = {}): JoinedReading<'bars'> {
  return client.joined({ ...BARS, from: TAPE_START, limit: 7, ...more });
}

/** Everything that the witness received is there, once and in order, and the states are equal. */
function assertSeamless(reading: JoinedReading<'bars'>, read: readonly Update[]): void {
  assert.deepEqual(read.filter(isFinal), said.filter(isFinal));
  assert.equal(reading.phase, 'live');
  assert.deepEqual(new Map(reading.state.objects), new Map(watched.state.objects));
}

test('history and stream are one series without a gap and without a double', async () => {
  await trades(50);
  const middle = await newest();
  const reading = joined();
  const updates = reading[Symbol.asyncIterator]();
  const read = [...(await readTo(updates, middle))];
  await trades(20);
  read.push(...(await readTo(updates, await newest())));
  assertSeamless(reading, read);
  assert.equal(reading.state.contract, 'AA');
  assert.equal(reading.state.tickSizeNanos, 250_000_000);
  await updates.return?.(undefined);
  assert.equal(reading.phase, 'ended');
});

test('with every version it says exactly what a stream said that was there from the beginning', async () => {
  await trades(20);
  const middle = await newest();
  const reading = joined({ everyVersion: true });
  const updates = reading[Symbol.asyncIterator]();
  const read = [...(await readTo(updates, middle))];
  await trades(10);
  read.push(...(await readTo(updates, await newest())));
  assert.equal(read[0]!.t, 'snapshot');
  assert.deepEqual(read.filter(isTold), said.filter(isTold));
  assertSeamless(reading, read);
  await reading.close();
});

test('trades that come while pages are read, for longer than the stream remembers, are there once', async () => {
  let pages = 0;
  beforePage = async () => {
    pages += 1;
    if (pages > 4) return;
    await trades(10);
    await service.jump(20 * 60_000);
  };
  const reading = joined();
  const updates = reading[Symbol.asyncIterator]();
  const first = await updates.next();
  const read = [first.value as Update];
  while (pages < 5) read.push((await updates.next()).value as Update);
  read.push(...(await readTo(updates, await newest())));
  assertSeamless(reading, read);
  await reading.close();
});

test('lines that break, before, between and after the pages, leave no gap', async () => {
  let failures = 0;
  beforePage = async () => {
    await trades(2);
    for (const socket of sockets) socket.close();
    failures += 1;
    if (failures % 3 === 1) throw new TypeError('fetch failed');
  };
  const reading = joined({ limit: 20 });
  const updates = reading[Symbol.asyncIterator]();
  const read = [...(await readTo(updates, await newest()))];
  read.push(...(await readTo(updates, await newest())));
  for (let breaks = 0; breaks < 3; breaks += 1) {
    while (client.connection !== 'open') await turn();
    for (const socket of sockets) socket.close();
    while (client.connection === 'open') await turn();
    await trades(5);
    read.push(...(await readTo(updates, await newest())));
  }
  assert.ok(failures > 3);
  assert.ok(sockets.length >= 5);
  assertSeamless(reading, read);
  await reading.close();
});

test('a reader slower than the stream still gets every version, and little waits for him', async () => {
  const reading = joined({ queueMax: 5, everyVersion: true });
  const updates = reading[Symbol.asyncIterator]();
  const read = [...(await readTo(updates, await newest()))];
  await trades(60);
  const last = await newest();
  // Nothing was read meanwhile; the stream was closed long before all of it had arrived.
  while (client.connection !== 'idle') await turn();
  read.push(...(await readTo(updates, last)));
  assert.deepEqual(read.filter(isTold), said.filter(isTold));
  await reading.close();
});

test('it keeps as many final objects as it is told, of the past and of the present', async () => {
  await trades(60);
  const reading = joined({ keepFinal: 4 });
  const updates = reading[Symbol.asyncIterator]();
  const finalsKept = () => [...reading.state.objects.values()].filter(({ final }) => final);
  const read = [...(await readTo(updates, await newest()))];
  assert.equal(finalsKept().length, 4);
  await trades(20);
  read.push(...(await readTo(updates, await newest())));
  // All of them were read; the state keeps the newest.
  assert.deepEqual(read.filter(isFinal), said.filter(isFinal));
  const all = [...watched.state.objects.values()].filter(({ final }) => final);
  assert.deepEqual(finalsKept(), all.slice(-4));
  assert.deepEqual(reading.state.latest(), watched.state.latest());
  await reading.close();
  assert.throws(() => joined({ keepFinal: -1 }), { code: 'CONFIGURATION' });
});

test('in a market that rests the stream is before `from`: there is no past, and the present goes on', async () => {
  await newest();
  await service.jump(60_000);
  const reading = joined({ from: service.rest.clock.now() - 1_000_000_000n });
  const updates = reading[Symbol.asyncIterator]();
  const next = updates.next();
  // The stream has reported its cursor.
  while (reading.phase === 'idle' || reading.phase === 'waiting') await turn();
  const before = said.length;
  const last = await newest();
  const read = [(await next).value as Update, ...(await readTo(updates, last))];
  // Objects that were forming before come first, then each update that the witness received.
  assert.deepEqual(read.filter(isTold).slice(before - said.length), said.slice(before));
  assert.deepEqual(read.filter(isFinal), said.slice(before).filter(isFinal));
  await reading.close();
});

test('a refusal of history ends it with the code of the service, and leaves no connection [CLIENT-26]', async () => {
  const poor = new TapeloomClient({
    url: service.url,
    key: await service.rest.customer('live'),
    clock: new HurriedClock(2_000),
  });
  const reading = poor.joined({ ...BARS, from: TAPE_START });
  await assert.rejects(reading[Symbol.asyncIterator]().next(), { code: 'FORBIDDEN' });
  assert.equal(reading.phase, 'ended');
  assert.equal(poor.connection, 'idle');
  await poor.close();
});

test('it ends when it is closed, when its signal aborts, and with the client', async () => {
  const closed = joined();
  const over = closed[Symbol.asyncIterator]();
  await readTo(over, await newest());
  const waiting = over.next();
  await closed.close();
  // Updates that came before the end may still be read.
  let outcome = await waiting;
  while (outcome.done !== true) outcome = await over.next();
  const reason = new Error('enough');
  for (const isEarly of [true, false]) {
    const controller = new AbortController();
    const aborted = joined({ signal: controller.signal })[Symbol.asyncIterator]();
    if (!isEarly) await readTo(aborted, await newest());
    controller.abort(reason);
    await assert.rejects(async () => {
      for (;;) if ((await aborted.next()).done === true) return;
    }, reason);
  }
  while (client.connection !== 'idle') await turn();
  const last = joined();
  const orphan = last[Symbol.asyncIterator]();
  await readTo(orphan, await newest());
  await readTo(orphan, await newest());
  await client.close();
  for (;;) if ((await orphan.next()).done === true) break;
  assert.throws(() => client.subscribe(BARS), { code: 'CLOSED' });
});
