import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import type { Study, StudyOutput } from '@tapeloom/core/studies/study';
import { epochNs } from '@tapeloom/core/utc-day';
import { edgeOf } from '../../testing/stream/block-updates.ts';
import {
  BY_ID,
  CONTRACT,
  DAY,
  EngineRun,
  HOUR_NS,
  settle,
} from '../../testing/stream/engine-run.ts';
import { DatasetTapes } from '../../testing/tape/dataset-tapes.ts';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { TEST_DATASET } from '../../testing/tape/one-dataset.ts';
import { OUTGOING_BYTES_MAX, OutgoingFlow } from './outgoing-flow.ts';

const MS_NS = 1_000_000;

test('a study that throws ends its own topic only', async () => {
  const [bars] = INDICATORS;
  const broken: Indicator = {
    ...bars!,
    id: 'broken',
    create: (params) => {
      const study = bars!.create(params);
      const apply = study.apply.bind(study);
      study.apply = (batch, from, to, offsetNs) => {
        if (batch.price[from] === 101) throw new Error('broken on purpose');
        return apply(batch, from, to, offsetNs);
      };
      return study;
    },
  };
  const tape = new MemoryTape(CONTRACT, 100);
  const run = new EngineRun(tape, { indicators: new Map([...BY_ID, ['broken', broken]]) });
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  tape.commit([], at(0));
  run.open(['bars', {}], 1);
  run.open(['broken', {}], 2);
  run.open(['no-such-indicator', {}], 3);
  await settle();
  tape.commit([{ at: at(1), price: 100, size: 1, side: 1 }], at(2));
  tape.commit([{ at: at(3), price: 101, size: 1, side: 1 }], at(4));
  await settle();
  tape.commit([{ at: at(5), price: 100, size: 1, side: 1 }], at(6));
  await settle();
  const failed = run.messages.filter((it) => it.t === 'failed').map((it) => it.topic);
  assert.deepEqual(failed.sort(), [2, 3]);
  assert.equal(run.faults.length, 2);
  assert.equal(run.flushes(1).length, 3);
});

test('a study that throws in the middle of a flush leaves nothing in the flushes of others', async () => {
  const [bars] = INDICATORS;
  const broken: Indicator = {
    ...bars!,
    id: 'broken',
    create: (params) => {
      const study = bars!.create(params);
      const forming = study.forming.bind(study);
      // The finished bar is published before this one, which cannot be encoded.
      study.forming = (after, visit) =>
        forming(after, (version, mark) => visit({ ...version, data: { bad: 1n } }, mark));
      return study;
    },
  };
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  const published = async (others: readonly string[]) => {
    const tape = new MemoryTape(CONTRACT, 100);
    const run = new EngineRun(tape, { indicators: new Map([...BY_ID, ['broken', broken]]) });
    tape.commit([], at(0));
    for (const [index, id] of others.entries()) run.open([id, { bar: 'tick', size: 2 }], 2 + index);
    run.open(['bars', {}], 1);
    await settle();
    const trade = { at: at(1), price: 100, size: 1, side: 1 } as const;
    tape.commit([trade, trade, trade], at(2));
    await settle();
    assert.equal(run.faults.length, others.length);
    return run.published();
  };
  const alone = await published([]);
  assert.equal(alone.length, 1);
  assert.deepEqual(await published(['broken']), alone);
});

test('each dataset has its own time: a tape that stands delays its own topics only', async () => {
  const tape = new DatasetTapes({ [CONTRACT]: 'ONE', OTHER: 'TWO' });
  const run = new EngineRun(tape);
  const other = (topic: number) => run.open(['bars', {}], topic, 0, null, 'one', 'OTHER');
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  const kinds = () =>
    run.messages.splice(0).map((it) => ('topic' in it ? `${it.t} ${it.topic}` : it.t));
  tape.of(CONTRACT).commit([], at(0));
  run.open(['bars', {}], 1);
  other(2);
  await settle();
  assert.deepEqual(kinds(), ['pulse', 'live 1', 'ready 1'], 'the other tape has no time yet');
  tape.of('OTHER').commit([], at(100));
  await settle();
  assert.deepEqual(kinds(), ['pulse', 'live 2', 'ready 2']);
  const trade = (seconds: number) => ({ at: at(seconds), price: 100, size: 1, side: 1 }) as const;
  tape.of(CONTRACT).commit([trade(1)], at(2));
  run.engine.execute({ t: 'watermark-wanted', dataset: 'TWO', until: at(101) });
  tape.of(CONTRACT).commit([trade(3)], at(400));
  await settle();
  const seen = new Set(kinds());
  assert.deepEqual([...seen].sort(), ['flush 1', 'watermark'], 'topics of TWO see nothing of it');
  const { watermarks, topics } = run.pulse();
  assert.deepEqual(
    [...watermarks],
    [
      ['ONE', at(400)],
      ['TWO', at(100)],
    ],
  );
  assert.deepEqual(
    topics.map(({ lagMs }) => lagMs),
    [0, 0],
  );
  assert.deepEqual(run.faults, []);
});

test('a topic waits for the first promise of an empty tape, and a closed one says nothing more', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const run = new EngineRun(tape);
  run.open(['bars', {}], 1);
  run.open(['bars', { size: 30 }], 2);
  await settle();
  assert.equal(run.messages.length, 0);
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  tape.commit([], at(0));
  await settle();
  assert.deepEqual(
    run.messages.map((it) => it.t),
    ['pulse', 'live', 'live', 'ready', 'ready'],
  );
  run.engine.execute({ t: 'watermark-wanted', dataset: TEST_DATASET, until: at(0.4) });
  for (const seconds of [0.2, 0.4, 0.6]) tape.commit([], at(seconds));
  await settle();
  assert.deepEqual(
    run.messages.flatMap((it) => (it.t === 'watermark' ? [it.promise] : [])),
    [at(0), at(0.2), at(0.4)],
    'watermarks are sent as they come until the one that was wanted',
  );
  run.engine.execute({ t: 'close', topic: 2 });
  tape.commit([{ at: at(1), price: 100, size: 1, side: 1 }], at(2));
  await settle();
  assert.equal(run.flushes(1).length, 1);
  assert.equal(run.flushes(2).length, 0);
  assert.deepEqual(
    run.pulse().topics.map((it) => it.topic),
    [1],
  );
});

test('at the limit of bytes nobody took in, the engine reads no further, and goes on afterwards', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const flow = new OutgoingFlow();
  const run = new EngineRun(tape, { flow });
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  tape.commit([], at(0));
  run.open(['bars', {}]);
  await settle();
  flow.sent(OUTGOING_BYTES_MAX);
  for (let seconds = 1; seconds <= 5; seconds += 1) {
    tape.commit([{ at: at(seconds), price: 100, size: 1, side: 1 }], at(seconds + 0.5));
  }
  tape.commit([], at(90));
  await settle();
  assert.equal(run.flushes().length, 0);
  flow.acknowledged(1);
  await settle();
  const steady = new EngineRun(tape);
  steady.open(['bars', {}]);
  await settle();
  assert.equal(run.flushes().length, 6);
  assert.deepEqual(run.snapshot(), steady.snapshot());
});

test('an object too large for every step makes the whole topic flush less often [DET-07]', async () => {
  const tape = new MemoryTape(CONTRACT, 5_000);
  const at = (ms: number) => epochNs(DAY, 10 * HOUR_NS + ms * MS_NS);
  const trade = (ms: number, price: number): MemoryTrade => {
    return { at: at(ms), price, size: 1, side: 1 };
  };
  tape.commit([], at(0));
  const run = new EngineRun(tape);
  run.open(['volume-profile', {}]);
  await settle();
  // One level every 5 ms for two seconds, then some trades at the same few prices.
  const growing = Array.from({ length: 400 }, (_, n) => trade(5 * n, 100 + n));
  const staying = Array.from({ length: 100 }, (_, n) => trade(2_000 + 10 * n, 100 + (n % 3)));
  tape.commit([...growing, ...staying], at(3_000));
  await settle();
  const edges = run.flushes().map((flush) => Number(edgeOf(flush) - at(0)) / MS_NS);
  const stepsIn = (second: number) =>
    edges.filter((edge) => edge > 1_000 * second && edge <= 1_000 * (second + 1)).length;
  assert.deepEqual([0, 1, 2].map(stepsIn), [50, 25, 10]);
  for (const second of [1_000, 2_000, 3_000]) assert.ok(edges.includes(second));
});

test('a pulse tells how hard the engine works', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  let ms = 0;
  const meter = { nowMs: () => ms++, busyShare: () => 0.5 };
  const run = new EngineRun(tape, { meter });
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  run.open(['bars', {}], 1);
  const waiting = { following: 0, warmingUp: 1, waiting: 1, tradesTotal: 0, busyShare: 0.5 };
  assert.deepEqual(run.pulse().load, waiting);
  tape.commit([], at(0));
  await settle();
  run.open(['bars', { size: 30 }], 2);
  await settle();
  const before = run.pulse().topics.map(({ busyMs }) => busyMs!);
  tape.commit([{ at: at(1), price: 100, size: 1, side: 1 }], at(2));
  await settle();
  const { load, topics } = run.pulse();
  assert.deepEqual(load, {
    following: 2,
    warmingUp: 0,
    waiting: 0,
    tradesTotal: 2,
    busyShare: 0.5,
  });
  // Each took the trade and the watermark.
  assert.deepEqual(
    topics.map(({ busyMs }, index) => busyMs! - before[index]!),
    [2, 2],
  );
});

/** A level for every trade, removed as soon as the same price trades again. */
function fleetingLevels(): Study {
  let output: StudyOutput | null = null;
  const shown = new Map<number, string>();
  return {
    dueNs: Number.POSITIVE_INFINITY,
    warm: true,
    openSession: (_session, given) => {
      output = given;
    },
    apply: (batch, from, to) => {
      let k = 0;
      for (let row = from; row < to; row += 1) {
        const rank = (batch.firstRank + row) as Rank;
        const price = batch.price[row]!;
        const ts = epochNs(batch.day, batch.ts[row]!).toString();
        const old = shown.get(price);
        k = 1;
        if (old !== undefined) output!.remove(old, true, ts, rank, k++);
        const id = `${batch.day}.${rank}`;
        shown.set(price, id);
        output!.upsert({ id, final: true, ts, data: { price } }, rank, k);
      }
      return k;
    },
    fire: ({ k }) => k,
    closeSession: ({ k }) => k,
    forming: () => {},
  };
}

test('a removed object is told once and is in no later snapshot [EVT-12] [EVT-13]', async () => {
  const levels: Indicator = { ...INDICATORS[0]!, id: 'levels', create: fleetingLevels };
  const tape = new MemoryTape(CONTRACT, 100);
  const run = new EngineRun(tape, { indicators: new Map([['levels', levels]]) });
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  tape.commit([], at(0));
  run.open(['levels', {}]);
  await settle();
  tape.commit([{ at: at(1), price: 100, size: 1, side: 1 }], at(2));
  await settle();
  assert.deepEqual(
    run.snapshot().items.map((item) => item.id),
    [`${DAY}.1`],
  );
  tape.commit([{ at: at(3), price: 100, size: 1, side: 1 }], at(4));
  await settle();
  const [, remove, upsert] = run.published();
  const ts = at(3).toString();
  const removed = { t: 'remove', sub: 'a', cursor: `${DAY}.2.1`, id: `${DAY}.1`, final: true, ts };
  assert.deepEqual(remove, removed);
  assert.ok(upsert?.t === 'upsert' && upsert.cursor === `${DAY}.2.2`);
  assert.deepEqual(
    run.snapshot().items.map((item) => item.id),
    [`${DAY}.2`],
  );
  // Only the last of an upsert and a remove of one object in one flush goes out.
  const twice = { at: at(5), price: 101, size: 1, side: 1 as const };
  tape.commit([twice, twice], at(6));
  await settle();
  assert.deepEqual(
    run
      .published()
      .slice(3)
      .map((it) => it.t),
    ['remove', 'upsert'],
  );
});
