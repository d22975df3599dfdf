import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import fc from 'fast-check';
import {
  cursorsIn,
  FlushPress,
  isBefore,
  type MessagePlan,
} from '../../testing/stream/published-flushes.ts';
import { RING_LIMITS, Ring, type RingLimits } from './ring.ts';
import { RingBudget } from './ring-budget.ts';

const DAY_NS = 86_400_000_000_000n;
/** Small ones, so that short runs reach them. */
const LIMITS: RingLimits = { bytesMax: 40_000, ageNs: 60_000_000_000n };

const message: fc.Arbitrary<MessagePlan> = fc.record({
  kind: fc.constantFrom('upsert', 'remove'),
  final: fc.boolean(),
  id: fc.constantFrom('a', 'b', 'é"\\', '20261112.77'),
  padding: fc.oneof({ weight: 9, arbitrary: fc.nat(60) }, { weight: 1, arbitrary: fc.nat(9_000) }),
});
const messages = fc.array(message, { minLength: 1, maxLength: 7 });
const mode = fc.constantFrom<StreamMode>('live', 'confirmed');
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      t: fc.constant('flush' as const),
      ring: fc.nat(1),
      messages,
      passedMs: fc.oneof(fc.constantFrom(20, 40, 1_000), fc.nat(30_000)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ t: fc.constant('pass' as const), ring: fc.nat(1), seconds: fc.nat(90) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      t: fc.constant('read' as const),
      ring: fc.nat(1),
      back: fc.nat(60),
      bytesMax: fc.oneof(fc.constantFrom(1, 300, 1_000_000), fc.nat(30_000)),
      mode,
    }),
  },
);

/** Reads to the newest message, piece by piece; null when a read returns null. */
function readAll(ring: Ring, after: string, bytesMax: number, of: StreamMode) {
  const cursors: string[] = [];
  let through = after;
  for (;;) {
    const piece = ring.read(parseCursor(through)!, bytesMax, of);
    if (piece === null) {
      assert.equal(through, after, 'nothing is refused in the middle of a reading');
      return null;
    }
    cursors.push(...cursorsIn(piece.flushes, of));
    assert.ok(!isBefore(piece.through, through));
    through = piece.through;
    if (piece.isNewest) return cursors;
    assert.ok(piece.flushes.length > 0, 'every piece brings the reading on');
  }
}

/** The only account: all rings count for it. */
const ONE = { account: 'one', accounts: () => ['one'] };

function budget(bytesMax = 1e9): RingBudget {
  return new RingBudget(bytesMax, () => false);
}

test('after any cursor exactly what was published beyond it is read, once and ascending, or nothing once a part is gone [DET-13]', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
      const shared = budget(60_000);
      const presses = [new FlushPress(), new FlushPress()];
      const floors = presses.map((press) => press.floor);
      const rings = floors.map((floor) => new Ring(floor, shared, ONE, LIMITS));
      for (const it of happenings) {
        const [press, ring] = [presses[it.ring]!, rings[it.ring]!];
        if (it.t === 'flush') {
          const flush = press.next(it.messages, it.passedMs);
          assert.ok(ring.append(flush.block, flush.position));
        } else if (it.t === 'pass') {
          ring.expire((press.edge + BigInt(it.seconds) * 1_000_000_000n) as EpochNs);
        } else {
          const { published } = press;
          const cursor = published.at(-1 - it.back)?.cursor ?? floors[it.ring]!;
          const got = readAll(ring, cursor, it.bytesMax, it.mode);
          if (got === null) assert.ok(isBefore(cursor, ring.floorOf(it.mode)));
          else assert.deepEqual(got, press.beyond(cursor, it.mode));
        }
        for (const one of rings) assert.ok(one.bytes <= LIMITS.bytesMax);
        assert.equal(shared.bytes, rings[0]!.bytes + rings[1]!.bytes);
        assert.ok(shared.bytes <= 60_000);
      }
    }),
    { numRuns: 300 },
  );
});

test('a cursor is refused exactly when a message beyond it is gone, in either mode [DET-13]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(messages, fc.nat(20_000)), { minLength: 1, maxLength: 40 }),
      mode,
      (flushes, of) => {
        const shared = budget();
        const press = new FlushPress();
        const { floor } = press;
        const ring = new Ring(floor, shared, ONE, LIMITS);
        for (const [plan, passedMs] of flushes) {
          const flush = press.next(plan, passedMs);
          ring.append(flush.block, flush.position);
        }
        const { age, topic, total } = shared.evictions;
        const gone = press.published.slice(0, age + topic + total);
        const goneForMode = gone.filter((entry) => of === 'live' || entry.final);
        for (const cursor of [floor, ...press.published.map((entry) => entry.cursor)]) {
          const isGone = goneForMode.some((entry) => isBefore(cursor, entry.cursor));
          assert.equal(ring.read(parseCursor(cursor)!, 1e9, of) === null, isGone);
        }
        assert.equal(ring.read(parseCursor('20261111.5.5')!, 1e9, of), null);
      },
    ),
    { numRuns: 200 },
  );
});

test('on a stream that published nothing since, a cursor of any age is served [SUB-17]', () => {
  const press = new FlushPress();
  const ring = new Ring(press.floor, budget(), ONE);
  const flush = press.next([{ kind: 'upsert', final: true, id: 'a', padding: 10 }], 20);
  ring.append(flush.block, flush.position);
  const cursor = press.published[0]!.cursor;
  for (const now of [press.edge, press.edge + 5n * DAY_NS]) {
    ring.expire(now as EpochNs);
    for (const c of [cursor, flush.position]) {
      const piece = ring.read(parseCursor(c)!, 1, 'live');
      assert.deepEqual(piece?.flushes, []);
      assert.ok(piece?.isNewest);
    }
  }
  assert.equal(ring.bytes, 0);
  assert.equal(ring.read(parseCursor('20261112.10.0')!, 1, 'live'), null);
});

test('a message stays for 15 minutes of tape time and then goes [SUB-14]', () => {
  const press = new FlushPress();
  const shared = budget();
  const ring = new Ring(press.floor, shared, ONE);
  const from = press.floor;
  for (let second = 0; second < 1_200; second += 1) {
    const flush = press.next([{ kind: 'upsert', final: false, id: 'a', padding: 50 }], 1_000);
    ring.append(flush.block, flush.position);
    if (second === 899) assert.equal(readAll(ring, from, 1e6, 'live')?.length, 900);
  }
  assert.equal(ring.read(parseCursor(from)!, 1e6, 'live'), null);
  const kept = readAll(ring, ring.floorOf('live'), 1e6, 'live')!.length;
  assert.ok(kept >= 900 && kept <= 971, `${kept}`);
  assert.deepEqual(shared.evictions, { age: 1_200 - kept, topic: 0, total: 0 });
  ring[Symbol.dispose]();
  assert.equal(shared.bytes, 0);
});

test('a flush that does not lie beyond the others is refused and changes nothing', () => {
  const press = new FlushPress();
  const ring = new Ring(press.floor, budget(), ONE);
  const flush = press.next([{ kind: 'upsert', final: false, id: 'a', padding: 0 }], 20);
  assert.ok(ring.append(flush.block, flush.position));
  assert.ok(!ring.append(flush.block, flush.position));
  assert.equal(readAll(ring, '20261112.10.0', 1e6, 'live')?.length, 1);
});

test('readers of the same stretch share one encoding, and many names do not pile up', () => {
  const press = new FlushPress();
  const from = press.floor;
  const ring = new Ring(from, budget(), ONE);
  for (let step = 0; step < 30; step += 1) {
    const flush = press.next([{ kind: 'upsert', final: false, id: 'a', padding: 50 }], 1_000);
    ring.append(flush.block, flush.position);
  }
  const read = () => ring.read(parseCursor(from)!, 1e6, 'live')!.flushes;
  assert.ok(read().length > 1 && read().length < 30);
  for (const [index, flush] of read().entries()) {
    assert.equal(read()[index]?.framesFor('s', 'live'), flush.framesFor('s', 'live'));
    for (let name = 0; name < 10; name += 1) flush.framesFor(`${name}`, 'live');
    assert.notEqual(flush.framesFor('9', 'live'), flush.framesFor('9', 'live'));
  }
});

test('room is made by idle topics first, then by the oldest block of any ring [SUB-16]', () => {
  const presses = [new FlushPress(), new FlushPress(), new FlushPress()];
  const rings: Ring[] = [];
  const idle = [2];
  const shared = new RingBudget(200_000, () => {
    const index = idle.pop();
    if (index === undefined) return false;
    rings[index]![Symbol.dispose]();
    return true;
  });
  for (const press of presses) rings.push(new Ring(press.floor, shared, ONE));
  const append = (index: number) => {
    const press = presses[index]!;
    const flush = press.next([{ kind: 'upsert', final: false, id: 'a', padding: 5_000 }], 11_000);
    rings[index]!.append(flush.block, flush.position);
  };
  for (const index of [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]) append(index);
  assert.deepEqual(shared.evictions, { age: 0, topic: 0, total: 0 });
  const bytesBefore = rings[0]!.bytes;
  for (let step = 0; step < 9; step += 1) append(1);
  assert.equal(rings[2]!.bytes, 0);
  assert.ok(rings[0]!.bytes < bytesBefore);
  assert.equal(rings[1]!.read(parseCursor('20261112.10.0')!, 1e6, 'live')?.isNewest, true);
  assert.ok(shared.bytes <= 200_000);
});

test('the limits are those customers are told', () => {
  assert.ok(RING_LIMITS.ageNs >= 900_000_000_000n);
  assert.equal(RING_LIMITS.bytesMax, 33_554_432);
});
