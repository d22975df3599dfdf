import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import fc from 'fast-check';
import { DeliveryRun, type Move, type Script } from '../../../testing/stream/delivery-run.ts';
import type { LogStep } from '../../../testing/stream/stream-log.ts';
import type { DeliveryStart } from './delivery-events.ts';

const change = fc.record({
  id: fc.nat(5),
  kind: fc.constantFrom('upsert', 'upsert', 'final', 'remove'),
  hidden: fc.nat(2),
} as const);
const step: fc.Arbitrary<LogStep> = fc.record({
  gapMs: fc.oneof(
    fc.integer({ min: 20, max: 2_000 }),
    fc.integer({ min: 20_000, max: 2_400_000 }),
    fc.integer({ min: 3_600_000, max: 30_000_000 }),
  ),
  trades: fc.nat(5),
  changes: fc.uniqueArray(change, { selector: ({ id }) => id, maxLength: 4 }),
});
const kinds: readonly (readonly [Move['t'], number])[] = [
  ['publish', 8],
  ['read', 10],
  ['answer', 12],
  ['evict', 2],
  ['beat', 3],
  ['cut', 2],
  ['restart', 1],
  ['ready', 2],
  ['fill', 1],
  ['repair', 2],
  ['unsubscribe', 1],
];
const move = fc.oneof(
  ...kinds.map(([t, weight]) => ({
    weight,
    arbitrary: fc.record({ t: fc.constant(t), n: fc.nat(1_000) }),
  })),
);
const script: fc.Arbitrary<Script> = fc.record({
  log: fc.array(step, { minLength: 5, maxLength: 60 }),
  moves: fc.array(move, { minLength: 20, maxLength: 250 }),
  mode: fc.constantFrom('live', 'confirmed'),
  starts: fc.constantFrom('live', 'time'),
  historyDays: fc.constantFrom(null, 0, 1, 100),
  budget: fc.constantFrom(0, 20, 100_000),
  pageFlushes: fc.integer({ min: 1, max: 6 }),
  pieceEntries: fc.integer({ min: 1, max: 9 }),
});

test('whatever the cuts, evictions, repairs, budgets and paces, a client ends with the state of one never cut [SUB-16] [DET-10] [DET-12] [DET-13] [DET-14] [DET-15]', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(script, (each) => {
      const run = new DeliveryRun(each);
      for (const one of each.moves) run.take(one);
      run.settle();
      const { log, head } = run.world;
      assert.ok(run.shell.delivery.isLive, 'it has come to follow');
      const wanted = log.flushes[head]!.state[each.mode];
      assert.deepEqual(new Map([...run.client.state].sort()), new Map([...wanted].sort()));
      assert.equal(run.world.heldUnits, 0, 'every reservation is settled or given back');
      assert.ok(!run.shell.hasReplay, 'every replay is closed');
      for (const order of run.orders) seen.set(order, (seen.get(order) ?? 0) + 1);
      for (const kind of run.client.kinds) seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }),
    { numRuns: 1_000 },
  );
  const orders = ['locate', 'wait', 'write-page', 'write-piece', 'settle', 'void', 'close-replay'];
  for (const kind of ['reset', 'snapshot', 'upsert', 'remove', 'hb', 'error', ...orders]) {
    assert.ok(seen.has(kind), `${kind} was met`);
  }
});

/** Every minute a flush of one object and two trades, from 18:00 on. */
const MINUTES: readonly LogStep[] = Array.from({ length: 3 * 600 }, (_, index) => ({
  gapMs: 60_000,
  trades: 2,
  changes: [{ id: index % 7, kind: 'upsert', hidden: 0 }],
}));

const CALM: Script = {
  log: MINUTES,
  moves: [],
  mode: 'live',
  starts: 'live',
  historyDays: 7,
  budget: 1_000_000,
  pageFlushes: 50,
  pieceEntries: 100,
};

/** The kinds of the messages a resume or start gets, equal neighbours as one. */
function kindsOf(run: DeliveryRun): readonly string[] {
  const kinds = run.shell.sent.map((it) =>
    it.t === 'status' ? `status ${it.state}` : it.t === 'reset' ? `reset ${it.reason}` : it.t,
  );
  return kinds.filter((kind, index) => kind !== kinds[index - 1] && kind !== 'hb');
}

test('each way to start has its order of messages', () => {
  const run = new DeliveryRun(CALM);
  run.settle();
  assert.deepEqual(kindsOf(run), ['subscribed', 'status live', 'snapshot']);
  const [first] = run.client.cursors;
  const publish = (count: number) => {
    for (let nth = 0; nth < count; nth += 1) run.take({ t: 'publish', n: 0 });
  };
  const resumeFrom = (start: DeliveryStart) => {
    run.resumeFrom(start);
    run.settle();
    return kindsOf(run);
  };
  const cursor = parseCursor(first!)!;
  // Inside the ring, also when hours have passed and nothing was missed.
  assert.deepEqual(resumeFrom({ t: 'cursor', cursor }), ['subscribed', 'status live']);
  publish(10);
  const fromRing = ['subscribed', 'status live', 'upsert'];
  assert.deepEqual(resumeFrom({ t: 'cursor', cursor }), fromRing);
  // The ring has evicted it: replayed, first free of charge, then at a price.
  run.world.evicted = run.world.head - 1;
  const replayed = ['subscribed', 'status warming', 'upsert', 'status live'];
  assert.deepEqual(resumeFrom({ t: 'cursor', cursor }), replayed);
  publish(20);
  run.world.evicted = run.world.head - 1;
  assert.deepEqual(resumeFrom({ t: 'cursor', cursor }), replayed);
  const time = run.world.log.flushes[3]!.edge;
  const fromTime = ['subscribed', 'status warming', 'snapshot', 'upsert', 'status live'];
  assert.deepEqual(resumeFrom({ t: 'time', time }), fromTime);
  // A topic that has to be built first.
  run.world.isReady = false;
  const rebuilt = ['subscribed', 'status warming', 'upsert', 'status live'];
  assert.deepEqual(resumeFrom({ t: 'cursor', cursor }), rebuilt);
});

test('without a right to history an old cursor is reset, and a snapshot follows', () => {
  const run = new DeliveryRun({ ...CALM, historyDays: null });
  run.settle();
  const cursor = parseCursor(run.client.cursors[0]!)!;
  for (let nth = 0; nth < 30; nth += 1) run.take({ t: 'publish', n: 0 });
  run.world.evicted = run.world.head - 1;
  run.resumeFrom({ t: 'cursor', cursor });
  run.settle();
  const expired = ['status warming', 'status live', 'reset cursor_expired', 'snapshot'];
  assert.deepEqual(kindsOf(run), ['subscribed', ...expired]);
  // Yesterday needs a right to history, today does not.
  const { flushes } = run.world.log;
  run.resumeFrom({ t: 'time', time: flushes[359]!.edge });
  const [refusal, ...others] = run.shell.sent;
  assert.ok(refusal?.t === 'error' && refusal.code === 'FORBIDDEN' && others.length === 0);
  run.resumeFrom({ t: 'time', time: flushes[361]!.edge });
  run.settle();
  assert.equal(kindsOf(run).includes('snapshot'), true);
  assert.equal(run.world.settled, 0);
});

test('a replay costs the trades before midnight, however much of it a ring could have given', () => {
  for (const evictedBeforeHead of [0, 5, 700]) {
    const run = new DeliveryRun(CALM);
    run.settle();
    const { world } = run;
    // 18:00 and six hours: midnight lies 240 minutes before the head.
    world.head = 600;
    world.evicted = world.head - Math.min(evictedBeforeHead, world.head);
    run.resumeFrom({ t: 'time', time: world.log.flushes[100]!.edge });
    run.settle();
    assert.equal(world.settled, 2 * (360 - 100) - 2, `${evictedBeforeHead}`);
  }
});

test('a budget that does not cover the next page ends the subscription, and nothing else is charged', () => {
  const run = new DeliveryRun({ ...CALM, budget: 150 });
  run.settle();
  run.world.head = 600;
  run.world.evicted = 600;
  run.resumeFrom({ t: 'time', time: run.world.log.flushes[100]!.edge });
  const { shell } = run;
  run.settle();
  assert.equal(shell.sent.at(-1)!.t, 'error');
  assert.equal(run.world.settled, 100);
  assert.equal(run.world.heldUnits, 0);
});
