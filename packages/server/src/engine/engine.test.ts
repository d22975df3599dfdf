import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import type { Study, StudyOutput } from '@tapeloom/core/studies/study';
import { dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { MemoryTape, type MemoryTrade } from '../../../../simulation/memory-tape.ts';
import type { EngineMessage, FlushMessage, PulseMessage } from '../topics/engine-link.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { OUTGOING_BYTES_MAX, OutgoingFlow } from './outgoing-flow.ts';

const CONTRACT = 'ESZ6';
const DAY = utcDay(20261112);
const HOUR_NS = 3_600_000_000_000;
const MS_NS = 1_000_000;

/** Two short sessions a day around which everything happens, and one that spans midnight. */
const SESSIONS: SessionTable = createSessionTable(
  [
    [10, 12],
    [22, 26],
    [34, 36],
  ].map(([open, close]) => {
    const opens = epochNs(DAY, open! * HOUR_NS);
    return { date: dayOf(opens), open: opens, close: epochNs(DAY, close! * HOUR_NS) };
  }),
);

interface ScriptedCommit {
  readonly trades: readonly MemoryTrade[];
  readonly promise: EpochNs;
}

/** Random commits: clusters of trades, gaps of all lengths, promises at and beyond the last trade. */
const commits = fc
  .array(
    fc.record({
      gapNs: fc.oneof(
        fc.constantFrom(0, 1, 20 * MS_NS, 60_000 * MS_NS),
        fc.integer({ min: 1, max: 90 * MS_NS }),
        fc.integer({ min: 1, max: 40 * 60_000 * MS_NS }),
      ),
      trades: fc.array(
        fc.record({
          gapNs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 * MS_NS })),
          price: fc.integer({ min: 100, max: 112 }),
          size: fc.integer({ min: 1, max: 40 }),
          side: fc.constantFrom(-1 as const, 0 as const, 1 as const),
        }),
        { maxLength: 12 },
      ),
      promiseNs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50 * MS_NS })),
    }),
    { minLength: 4, maxLength: 40 },
  )
  .map((steps) => {
    let ns = 9.5 * HOUR_NS;
    return steps.map(({ gapNs, trades, promiseNs }): ScriptedCommit => {
      ns += gapNs;
      const stamped = trades.map(({ gapNs: apartNs, ...trade }) => {
        ns += apartNs;
        return { at: epochNs(DAY, ns), ...trade };
      });
      ns += promiseNs;
      return { trades: stamped, promise: epochNs(DAY, ns) };
    });
  });

const topics = fc.constantFrom<readonly [string, Record<string, unknown>]>(
  ['bars', {}],
  ['bars', { bar: 'tick', size: 5 }],
  ['bars', { bar: 'volume', size: 30 }],
  ['footprint', { bar: 'time', size: 30 }],
  ['footprint', { bar: 'range', size: 3 }],
  ['large-trades', { minSize: 30 }],
  ['large-trades', { minSize: 0, perSession: 3, gapMs: 10 }],
);

function paramsOf(indicator: Indicator, input: Record<string, unknown>): Params {
  const parsed = parseParams(indicator, input);
  assert.ok('params' in parsed, JSON.stringify(parsed));
  const { depth: _view, ...params } = parsed.params;
  return params;
}

const BY_ID: ReadonlyMap<string, Indicator> = new Map(INDICATORS.map((it) => [it.id, it]));

class Run {
  readonly messages: EngineMessage[] = [];
  readonly faults: unknown[] = [];
  readonly engine: Engine;
  #requests = 0;

  constructor(tape: MemoryTape, options: Partial<EngineOptions> = {}) {
    this.engine = new Engine({
      tape,
      flow: new OutgoingFlow(),
      indicators: BY_ID,
      sessionsOf: () => SESSIONS,
      emit: (message) => this.messages.push(message),
      yieldTurn: async () => {},
      onFault: (error) => this.faults.push(error),
      ...options,
    });
  }

  open([id, input]: readonly [string, Record<string, unknown>], topic = 1, delaySeconds = 0): void {
    const params = paramsOf(BY_ID.get(id) ?? INDICATORS[0]!, input);
    const spec = { contract: CONTRACT, indicator: id, params, delaySeconds };
    this.engine.execute({ t: 'open', topic, spec });
  }

  flushes(topic = 1): readonly FlushMessage[] {
    return this.messages.filter((it) => it.t === 'flush' && it.topic === topic) as FlushMessage[];
  }

  /** Everything published, as clients would read it. */
  published(topic = 1): readonly ServerMessage[] {
    return this.flushes(topic).flatMap((flush) => decode(flush));
  }

  snapshot(topic = 1): Extract<ServerMessage, { t: 'snapshot' }> {
    this.#requests += 1;
    const request = this.#requests;
    this.engine.execute({ t: 'snapshot', topic, request, depth: 5_000, mode: 'live' });
    const answer = this.messages.findLast((it) => it.t === 'snapshot' && it.request === request);
    assert.ok(answer?.t === 'snapshot');
    const [message] = decode(answer);
    assert.ok(message?.t === 'snapshot');
    return message;
  }

  pulse(): PulseMessage {
    this.engine.pulse();
    const pulse = this.messages.at(-1);
    assert.ok(pulse?.t === 'pulse');
    return pulse;
  }
}

function decode({ entries, bytes }: Pick<FlushMessage, 'entries' | 'bytes'>): ServerMessage[] {
  return entries.map(({ kind, start, end }) =>
    JSON.parse(`{"t":"${kind}","sub":"a"${Buffer.from(bytes.subarray(start, end))}`),
  );
}

/** What a client knows: the objects by id, each in the version it was last told. */
class Client {
  readonly objects = new Map<string, unknown>();
  #cursor = '19700101.0.0';

  take(message: ServerMessage): void {
    if (message.t === 'snapshot') {
      this.objects.clear();
      for (const item of message.items) this.objects.set(item.id, item);
      this.#cursor = message.cursor;
    }
    if (message.t !== 'upsert' && message.t !== 'remove') return;
    if (compare(message.cursor, this.#cursor) <= 0) return;
    this.#cursor = message.cursor;
    const { id, final, ts } = message;
    if (message.t === 'remove') this.objects.delete(id);
    else this.objects.set(id, { id, final, ts, data: message.data });
  }
}

function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await turn();
}

test('engines that read at different paces publish the same messages [DET-08]', async () => {
  await fc.assert(
    fc.asyncProperty(
      commits,
      topics,
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (script, topic, pauses, batchRows) => {
        const [steady, hasty] = [
          new MemoryTape(CONTRACT, 5_000),
          new MemoryTape(CONTRACT, batchRows),
        ];
        const [one, other] = [new Run(steady), new Run(hasty)];
        const [first, ...rest] = script;
        for (const [tape, run] of [
          [steady, one],
          [hasty, other],
        ] as const) {
          tape.commit([], first!.promise);
          run.open(topic);
          await settle();
        }
        for (const [index, { trades, promise }] of rest.entries()) {
          steady.commit(trades, promise);
          await settle();
          hasty.commit(trades, promise);
          if (pauses[index]) await settle();
        }
        await settle();
        assert.deepEqual([one.faults, other.faults], [[], []]);
        assert.deepEqual(other.published(), one.published());
        assert.deepEqual(other.snapshot(), one.snapshot());
      },
    ),
    { numRuns: 120 },
  );
});

test('a topic opened at any moment continues exactly like one that ran all along [DET-12]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, fc.nat(), async (script, topic, opensAt) => {
      const tape = new MemoryTape(CONTRACT, 7);
      const [long, late] = [new Run(tape), new Run(tape)];
      tape.commit([], script[0]!.promise);
      long.open(topic);
      await settle();
      for (const [index, { trades, promise }] of script.slice(1).entries()) {
        if (index === opensAt % (script.length - 1)) late.open(topic);
        tape.commit(trades, promise);
        await turn();
      }
      await settle();
      assert.deepEqual([long.faults, late.faults], [[], []]);
      assert.deepEqual(late.snapshot(), long.snapshot());
      const seen = late.published();
      assert.deepEqual(seen, long.published().slice(long.published().length - seen.length));
    }),
    { numRuns: 150 },
  );
});

test('a snapshot and the updates after it give the state of the next snapshot [OBJ-02] [DET-12]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, async (script, topic) => {
      const tape = new MemoryTape(CONTRACT, 100);
      const run = new Run(tape);
      tape.commit([], script[0]!.promise);
      run.open(topic);
      await settle();
      const clients: { readonly client: Client; readonly from: number }[] = [];
      for (const { trades, promise } of script.slice(1)) {
        const client = new Client();
        client.take(run.snapshot());
        clients.push({ client, from: run.flushes().length });
        tape.commit(trades, promise);
        await settle();
      }
      const end = run.snapshot();
      assert.equal(new Set(end.items.map((item) => item.id)).size, end.items.length);
      for (const { client, from } of clients) {
        for (const message of run.flushes().slice(from).flatMap(decode)) client.take(message);
        for (const item of end.items) assert.deepEqual(client.objects.get(item.id), item);
      }
    }),
    { numRuns: 100 },
  );
});

test('the position told with a pulse lies behind every flush before it and before every later one [DET-10]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, async (script, topic) => {
      const tape = new MemoryTape(CONTRACT, 100);
      const run = new Run(tape);
      tape.commit([], script[0]!.promise);
      run.open(topic);
      await settle();
      const pulses: { readonly position: string; readonly flushes: number }[] = [];
      for (const { trades, promise } of script.slice(1)) {
        tape.commit(trades, promise);
        await settle();
        const position = run.pulse().topics[0]?.position;
        assert.ok(typeof position === 'string');
        assert.equal(run.snapshot().cursor, position);
        pulses.push({ position, flushes: run.flushes().length });
      }
      for (const { position, flushes } of pulses) {
        for (const [index, flush] of run.flushes().entries()) {
          for (const { cursor } of flush.entries) {
            assert.equal(compare(cursor, position) <= 0, index < flushes);
          }
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('a flush has one message for each object, in ascending cursor order [DET-07]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, async (script, topic) => {
      const tape = new MemoryTape(CONTRACT, 100);
      const run = new Run(tape);
      tape.commit([], script[0]!.promise);
      run.open(topic);
      for (const { trades, promise } of script.slice(1)) tape.commit(trades, promise);
      await settle();
      let last = '19700101.0.0';
      for (const { entries, position } of run.flushes()) {
        assert.equal(new Set(entries.map((entry) => entry.id)).size, entries.length);
        for (const { cursor } of entries) {
          assert.ok(compare(cursor, last) > 0, `${cursor} after ${last}`);
          last = cursor;
        }
        assert.ok(compare(position, last) >= 0);
      }
    }),
    { numRuns: 60 },
  );
});

test('a delayed topic publishes the very messages of the undelayed one, later', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, async (script, topic) => {
      const tape = new MemoryTape(CONTRACT, 100);
      const run = new Run(tape);
      const start = script[0]!.promise;
      tape.commit([], start);
      run.open(topic, 1);
      run.open(topic, 2, 600);
      await settle();
      for (const { trades, promise } of script.slice(1)) {
        tape.commit(trades, promise);
        await settle();
      }
      const end = script.at(-1)!.promise;
      const undelayed = run.published(1);
      assert.ok(run.published(2).length <= undelayed.length);
      // The promise alone lets the delayed one see what is ten minutes old.
      tape.commit([], (end + 600_000_000_000n) as EpochNs);
      await settle();
      const sameTime = new Run(tape);
      sameTime.open(topic, 1, 600);
      await settle();
      assert.deepEqual(run.snapshot(2), sameTime.snapshot(1));
      const later = run.published(2);
      assert.deepEqual(later, run.published(1).slice(0, later.length));
    }),
    { numRuns: 60 },
  );
});

test('auto thresholds come from the newest earlier complete session; without one the topic stays unwarm', async () => {
  const trades = (hour: number, sizes: readonly number[]): MemoryTrade[] =>
    sizes.map((size, index) => ({
      at: epochNs(DAY, hour * HOUR_NS + index * 1_000 * MS_NS),
      price: 100,
      size,
      side: 1,
    }));
  const topic = ['large-trades', { minSize: 0, perSession: 2 }] as const;
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit(trades(10, [5, 9, 7]), epochNs(DAY, 11 * HOUR_NS));
  const early = new Run(tape);
  early.open(topic);
  await settle();
  const [ready] = early.messages.filter((it) => it.t === 'ready');
  assert.deepEqual(ready, { t: 'ready', topic: 1, warm: false });
  assert.deepEqual(early.snapshot().items, []);

  tape.commit(trades(22, [6, 8]), epochNs(DAY, 23 * HOUR_NS));
  await settle();
  early.pulse();
  assert.deepEqual(
    early.messages.findLast((it) => it.t === 'ready'),
    { t: 'ready', topic: 1, warm: true },
  );
  const late = new Run(tape);
  late.open(topic);
  await settle();
  const { items } = late.snapshot();
  assert.deepEqual(items, early.snapshot().items);
  assert.deepEqual(
    items.map(({ data }) => data as { size: number; threshold: number }).map((it) => it.threshold),
    [7],
  );
});

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
  const run = new Run(tape, { indicators: new Map([...BY_ID, ['broken', broken]]) });
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

test('a topic waits for the first promise of an empty tape, and a closed one says nothing more', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const run = new Run(tape);
  run.open(['bars', {}], 1);
  run.open(['bars', { size: 30 }], 2);
  await settle();
  assert.equal(run.messages.length, 0);
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  tape.commit([], at(0));
  await settle();
  assert.deepEqual(
    run.messages.map((it) => it.t),
    ['pulse', 'ready', 'ready'],
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

test('a long warm-up lets other topics flow and joins them without a gap', async () => {
  const tape = new MemoryTape(CONTRACT, 1);
  const at = (seconds: number) => epochNs(DAY, 10 * HOUR_NS + seconds * 1_000 * MS_NS);
  const trade = (seconds: number): MemoryTrade => {
    return { at: at(seconds), price: 100 + (seconds % 5), size: 1, side: 1 };
  };
  tape.commit([], at(0));
  const run = new Run(tape, { yieldTurn: () => turn() });
  run.open(['bars', { size: 30 }], 1);
  await settle();
  for (let seconds = 1; seconds <= 200; seconds += 1) tape.commit([trade(seconds)], at(seconds));
  await settle();
  run.open(['bars', { size: 30 }], 2);
  for (let seconds = 201; seconds <= 260; seconds += 1) {
    const before = run.flushes(1).length;
    tape.commit([trade(seconds)], at(seconds + 0.5));
    await turn();
    await turn();
    assert.ok(run.flushes(1).length > before, 'the first topic flows on');
  }
  while (!run.messages.some((it) => it.t === 'ready' && it.topic === 2)) await turn();
  tape.commit([trade(261)], at(262));
  await settle();
  assert.deepEqual(run.snapshot(2), run.snapshot(1));
});

test('at the limit of bytes nobody took in, the engine reads no further, and goes on afterwards', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  const flow = new OutgoingFlow();
  const run = new Run(tape, { flow });
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
  const steady = new Run(tape);
  steady.open(['bars', {}]);
  await settle();
  assert.equal(run.flushes().length, 6);
  assert.deepEqual(run.snapshot(), steady.snapshot());
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
  const run = new Run(tape, { indicators: new Map([['levels', levels]]) });
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
  // Of an upsert and a remove of one object in one flush only the last goes out.
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
