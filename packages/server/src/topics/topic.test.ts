import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import fc from 'fast-check';
import { cursorsIn, FlushPress, type MessagePlan } from '../../testing/stream/published-flushes.ts';
import { Flush } from './flush.ts';
import { Ring, type RingLimits } from './ring.ts';
import { RingBudget } from './ring-budget.ts';
import { type Subscriber, Topic } from './topic.ts';

/** So small that short runs lose messages now and then. */
const LIMITS: RingLimits = { bytesMax: 60_000, ageNs: 40_000_000_000n };

/** A client that comes and goes, and keeps what it got. */
class Client implements Subscriber {
  readonly account = 'one';
  readonly idleTopicsMax = 1;
  readonly mode: StreamMode;
  readonly depth = 500;
  /** Where it began, and everything it got since. */
  from: string;
  got: string[] = [];
  isFollowing = false;
  onFlush: () => void = () => {};
  readonly #topic: Topic;

  constructor(topic: Topic, mode: StreamMode, from: string) {
    this.#topic = topic;
    this.mode = mode;
    this.from = from;
    topic.add(this);
  }

  refuseOpen(): null {
    return null;
  }

  outdated(): void {}

  shows(): boolean {
    return true;
  }

  get cursor(): string {
    return this.got.at(-1) ?? this.from;
  }

  ready(): void {}
  snapshot(): void {}
  status(): void {}
  ended(): void {}

  flush(flush: Flush): void {
    this.got.push(...cursorsIn([flush], this.mode));
    this.onFlush();
  }

  /** Reconnects; it keeps what it has. */
  cut(): void {
    this.#topic.remove(this);
    this.#topic.add(this);
    this.#through = null;
    this.isFollowing = false;
  }

  pull(bytesMax: number): void {
    if (this.isFollowing) return;
    const after = this.#through ?? this.cursor;
    const piece = this.#topic.pull(this, parseCursor(after)!, bytesMax);
    if (piece === null) {
      // Its cursor is too old: a replay brings it to the newest position.
      this.from = this.#topic.position ?? this.from;
      this.got = [];
      this.#through = null;
      return;
    }
    this.got.push(...cursorsIn(piece.flushes, this.mode));
    this.#through = piece.through;
    this.isFollowing = piece.isNewest;
  }

  #through: string | null = null;
}

const message: fc.Arbitrary<MessagePlan> = fc.record({
  kind: fc.constantFrom('upsert', 'remove'),
  final: fc.boolean(),
  id: fc.constantFrom('a', 'b'),
  padding: fc.oneof(fc.nat(60), fc.nat(3_000)),
});
const happening = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      t: fc.constant('flush' as const),
      messages: fc.array(message, { minLength: 1, maxLength: 6 }),
      passedMs: fc.constantFrom(20, 1_000, 4_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      t: fc.constant('pull' as const),
      client: fc.nat(3),
      bytesMax: fc.constantFrom(1, 1_000, 1_000_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ t: fc.constant('cut' as const), client: fc.nat(3) }) },
);

function topicOf(press: FlushPress): Topic {
  const spec = { contract: 'A', indicator: 'bars', params: {}, delaySeconds: 0 };
  const slot = {
    index: 0,
    link: { send: () => {}, listen: () => {} },
    watermarks: new Map(),
    warmUpsWaiting: 0,
  };
  const topic = new Topic(1, spec, 'TEST', slot, press.edge, { served: 0, refused: 0 });
  topic.ring = new Ring(press.floor, new RingBudget(1e9, () => false), topic, LIMITS);
  return topic;
}

test('however often it is cut off, a client has every message beyond its start once and in order [DET-13]', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 80 }), (happenings) => {
      const press = new FlushPress();
      const topic = topicOf(press);
      const clients = (['live', 'confirmed', 'live', 'confirmed'] as const).map(
        (mode) => new Client(topic, mode, press.floor),
      );
      // A socket that drains while others are written to pulls in the middle of a flush.
      clients[0]!.onFlush = () => clients[2]!.pull(1_000_000);
      for (const it of happenings) {
        if (it.t === 'flush') {
          const flush = press.next(it.messages, it.passedMs);
          assert.ok(topic.publish(new Flush(flush.block), flush.position));
        } else if (it.t === 'pull') clients[it.client]!.pull(it.bytesMax);
        else clients[it.client]!.cut();
        for (const { got, from, mode, isFollowing } of clients) {
          const published = press.beyond(from, mode);
          assert.deepEqual(got, isFollowing ? published : published.slice(0, got.length));
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('a snapshot that arrives while a flush is handed out is not followed by that flush', () => {
  const press = new FlushPress();
  const topic = topicOf(press);
  const [first, second] = ['live', 'live'].map(() => new Client(topic, 'live', press.floor));
  first!.pull(1);
  const publish = () => {
    const flush = press.next([{ kind: 'upsert', final: true, id: 'a', padding: 1 }], 20);
    topic.publish(new Flush(flush.block), flush.position);
  };
  publish();
  first!.onFlush = () => {
    topic.waitFor(1, second!);
    topic.answer(1, new Flush(press.next([], 0).block));
    first!.onFlush = () => {};
  };
  publish();
  assert.deepEqual(second!.got, []);
  publish();
  assert.equal(second!.got.length, 1);
});
