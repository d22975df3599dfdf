import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { StatusMessage } from '@tapeloom/protocol/server-messages';
import { DAY, InProcessStream, streamClock } from '../../../testing/stream/in-process-stream.ts';
import { ResumingClient } from '../../../testing/stream/resuming-client.ts';
import { openClient, type StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { MemoryTape, type MemoryTrade } from '../../../testing/tape/memory-tape.ts';
import { TapeRepairs } from '../../process/days/tape-repairs.ts';
import { type StreamEpochs, withRepair } from '../../topics/epoch-floors.ts';
import type { EpochStore } from '../../topics/epoch-store.ts';

const HOUR_MS = 3_600_000;
const HOUR_NS = HOUR_MS * 1e6;
const [BEFORE, YESTERDAY, MIDNIGHT] = [addDays(DAY, -2), addDays(DAY, -1), epochNs(DAY, 0)];
const VWAP = { indicator: 'vwap' };
const GAPS = ['missing', 'index', 'trades'] as const;

/** From 22:00 to 21:00: the session that is open at the start began yesterday. */
const SESSIONS = createSessionTable(
  [-4, -3, -2, -1, 0, 1].map((offset) => {
    const open = epochNs(addDays(DAY, offset), 22 * HOUR_NS);
    return {
      date: addDays(DAY, offset + 1),
      open,
      close: epochNs(addDays(DAY, offset + 1), 21 * HOUR_NS),
    };
  }),
);

/** Trades on three days, at the same hours and other prices each. */
function threeDays(): MemoryTape {
  const tape = new MemoryTape('AA', 1_000);
  for (const [index, day] of [BEFORE, YESTERDAY, DAY].entries()) {
    const hours = day === DAY ? [1, 2, 3] : [1, 2, 23];
    const trades = hours.map((hour): MemoryTrade => {
      return { at: epochNs(day, hour * HOUR_NS), price: 100 + index * 10 + hour, size: 1, side: 1 };
    });
    tape.commit(trades, epochNs(day, (day === DAY ? 4 : 23.9) * HOUR_NS));
  }
  return tape;
}

function spoil(tape: MemoryTape, gap: (typeof GAPS)[number]): void {
  if (gap === 'missing') tape.missing.add(YESTERDAY);
  else tape.damaged.set(YESTERDAY, gap);
}

function start(tape: MemoryTape, clock = streamClock()): Promise<InProcessStream> {
  return InProcessStream.start({ tape, clock, sessions: SESSIONS });
}

/** Records repairs where the stream reads them. */
function repairsOf({ hub, floors }: InProcessStream): TapeRepairs {
  const none = { floors: [] as const } as unknown as StreamEpochs;
  const recordRepair: EpochStore['recordRepair'] = async (...repair) => {
    floors.push(...withRepair(none, ...repair).floors);
  };
  return new TapeRepairs({
    computeAnew: (contract) => hub.repair(contract),
    epochs: Promise.resolve({ recordRepair }),
    mayHaveCursors: () => true,
    onFault: (error) => assert.fail(String(error)),
  });
}

async function statusesOf(client: StreamClient, sub = 'a'): Promise<readonly StatusMessage[]> {
  await client.answered();
  return client.messages.filter((it) => it.t === 'status' && it.sub === sub) as StatusMessage[];
}

for (const gap of GAPS) {
  test(`a start at a time in a session that is not whole is NOT_COVERED (${gap})`, async () => {
    const tape = threeDays();
    await using whole = await start(tape);
    using fine = await openClient(whole);
    const from = { time: `${epochNs(DAY, 1.5 * HOUR_NS)}` };
    fine.send(subscribe('a', { ...VWAP, from }));
    await fine.find('snapshot');
    spoil(tape, gap);
    await using stream = await start(tape);
    using client = await openClient(stream);
    client.send(subscribe('a', { ...VWAP, from }));
    const error = await client.find('error');
    assert.deepEqual([error.sub, error.code], ['a', 'NOT_COVERED']);
    assert.ok(!client.kinds().includes('snapshot'));
  });

  test(`a catch-up that meets a gap gets reset source_gap and goes on from a snapshot (${gap})`, async () => {
    const tape = threeDays();
    spoil(tape, gap);
    await using stream = await start(tape);
    using client = new ResumingClient(() => openClient(stream), VWAP);
    await client.start();
    await client.connection.find('snapshot');
    stream.trade({ price: 120 });
    await stream.pass(1_000);
    await client.connection.answered();
    const { cursor } = client;
    client.cut();
    for (let minute = 0; minute < 60; minute += 5) {
      stream.trade({ price: 120 + minute });
      await stream.pass(1_000);
      await stream.jump(5 * 60_000);
    }
    for (const from of [cursor!, `${YESTERDAY}.1.1`]) {
      await client.start({ cursor: from });
      assert.equal((await client.connection.find('reset')).reason, 'source_gap');
      await client.connection.find('snapshot');
      stream.trade({ price: 200 });
      await stream.pass(1_000);
      await client.connection.find('upsert');
      assert.ok(!client.kinds.includes('error'));
    }
  });

  test(`a live stream of a session that is not whole runs, and says since when it has data (${gap})`, async () => {
    const tape = threeDays();
    spoil(tape, gap);
    await using stream = await start(tape);
    using client = await openClient(stream);
    client.send(subscribe('a', VWAP));
    const snapshot = await client.find('snapshot');
    assert.equal(snapshot.items.length, 3);
    const [warming, live] = await statusesOf(client);
    assert.ok(!('partialSince' in warming!));
    assert.deepEqual(live, {
      t: 'status',
      sub: 'a',
      state: 'live',
      lagMs: 0,
      partialSince: `${MIDNIGHT}`,
    });
    // A later subscriber gets `partialSince` at once, until the next open.
    client.send(subscribe('b', VWAP));
    await client.find('snapshot', (it) => it.sub === 'b');
    assert.equal((await statusesOf(client, 'b'))[0]?.partialSince, `${MIDNIGHT}`);
    await stream.jump(10.5 * HOUR_MS);
    await stream.pass(2_000);
    assert.equal((await statusesOf(client)).at(-1)?.partialSince, `${MIDNIGHT}`);
    await stream.jump(HOUR_MS);
    await stream.pass(2_000);
    const last = (await statusesOf(client)).at(-1);
    assert.deepEqual([last?.state, last !== undefined && 'partialSince' in last], ['live', false]);
  });
}

test('when a gap is filled its streams begin anew, and cursors of before it get reset source_gap [DET-23]', async () => {
  const tape = threeDays();
  tape.missing.add(YESTERDAY);
  await using stream = await start(tape);
  const repairs = repairsOf(stream);
  using client = new ResumingClient(() => openClient(stream), VWAP);
  using cut = new ResumingClient(() => openClient(stream), VWAP);
  for (const one of [client, cut]) {
    await one.start();
    await one.connection.find('snapshot');
  }
  stream.trade({ price: 120 });
  await stream.pass(1_000);
  for (const one of [client, cut]) await one.connection.answered();
  const partial = client.state;
  cut.cut();
  tape.missing.delete(YESTERDAY);
  repairs.noteFilled('AA', YESTERDAY);
  assert.deepEqual(repairs.underWay('AA'), [YESTERDAY]);
  await repairs.idle;
  assert.deepEqual(repairs.underWay('AA'), []);
  assert.equal((await client.connection.find('reset')).reason, 'source_gap');
  await client.connection.find('snapshot', (it) => client.connection.messages.lastIndexOf(it) > 5);
  assert.deepEqual(client.kinds.slice(-4), ['reset', 'subscribed', 'status', 'snapshot']);
  const told = client.messages.filter((it) => it.t === 'status');
  assert.deepEqual(
    told.map((it) => 'partialSince' in it),
    [false, true, false, false],
  );
  await using whole = await start(tape, stream.clock);
  using fresh = new ResumingClient(() => openClient(whole), VWAP);
  await fresh.start();
  await fresh.connection.find('snapshot');
  assert.deepEqual(client.state, fresh.state);
  assert.notDeepEqual(client.state, partial);
  await cut.start();
  await cut.connection.find('snapshot');
  assert.equal((await cut.connection.find('reset')).reason, 'source_gap');
  assert.deepEqual(cut.state, fresh.state);
  // Cursors of the new computation are good.
  stream.trade({ price: 121 });
  await stream.pass(1_000);
  await cut.connection.answered();
  await cut.start();
  await stream.pass(1_000);
  await cut.connection.answered();
  assert.ok(!cut.kinds.includes('reset'));
});

test('a day of an earlier session matters to what looks back on it, and to nothing else', async () => {
  const tape = threeDays();
  tape.missing.add(BEFORE);
  await using stream = await start(tape);
  const repairs = repairsOf(stream);
  using client = await openClient(stream);
  client.send(subscribe('bars'));
  client.send(subscribe('levels', { indicator: 'naked-levels' }));
  for (const sub of ['bars', 'levels']) await client.find('snapshot', (it) => it.sub === sub);
  const before = stream.hub.topics().find(({ topic }) => topic.includes('bars'))?.position;
  tape.missing.delete(BEFORE);
  repairs.noteFilled('AA', BEFORE);
  await repairs.idle;
  const reset = await client.find('reset');
  assert.deepEqual(reset, { t: 'reset', sub: 'levels', reason: 'source_gap' });
  await client.find(
    'snapshot',
    (it) => client.messages.indexOf(it) > client.messages.indexOf(reset),
  );
  await client.answered();
  assert.ok(!client.kinds('bars').includes('reset'));
  client.send(subscribe('again', { from: { cursor: before! } }));
  await client.find('status', (it) => it.sub === 'again');
  await client.answered();
  assert.ok(!client.kinds('again').includes('reset'));
});
