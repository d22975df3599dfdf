import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import { utcDay } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { frameTexts } from '../../../testing/stream/server-frames.ts';
import { BlockWriter } from '../../blocks/block-writer.ts';
import { Flush } from '../../topics/flush.ts';
import { MessageFrame } from '../../topics/message-frame.ts';
import { textFrame } from '../../topics/text-frame.ts';
import { Outbox } from './outbox.ts';

/** Small ones, so that short runs reach them: a frame here has about 100 bytes. */
const LIMITS = { skipFromBytes: 500, bytesMax: 2_000 };
const DAY = utcDay(20261112);
const SUBS = ['a', 'b', 'c'] as const;

type Sub = (typeof SUBS)[number];
type State = ReadonlyMap<string, string>;

interface Change {
  readonly id: string;
  readonly isRemoved: boolean;
  readonly padding: number;
}

type Happening =
  | { readonly t: 'flush'; readonly sub: Sub; readonly changes: readonly Change[] }
  | { readonly t: 'beat' }
  | { readonly t: 'status'; readonly sub: Sub }
  | { readonly t: 'resubscribe'; readonly sub: Sub }
  | { readonly t: 'read'; readonly bytes: number };

const sub = fc.constantFrom(...SUBS);
const change = fc.record({
  id: fc.constantFrom('20261112.1', '20261112.2', '20261112.3', 'é.4'),
  isRemoved: fc.boolean(),
  padding: fc.nat(60),
});
const changes = fc.uniqueArray(change, { selector: ({ id }) => id, maxLength: 4 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ t: fc.constant('flush'), sub, changes }) },
  { weight: 2, arbitrary: fc.record({ t: fc.constant('beat') }) },
  { weight: 1, arbitrary: fc.record({ t: fc.constant('status'), sub }) },
  { weight: 1, arbitrary: fc.record({ t: fc.constant('resubscribe'), sub }) },
  { weight: 3, arbitrary: fc.record({ t: fc.constant('read'), bytes: fc.nat(900) }) },
);

/** The publications of one topic: its state at every flush edge. */
class TopicModel {
  readonly stateAt = new Map<string, State>([['20261112.0.0', new Map()]]);
  position = '20261112.0.0';
  versions = 0;
  /** Sent since the last reset. */
  statuses = 0;
  #lastRank = 0;
  readonly #writer = new BlockWriter(64, 1);

  get state(): State {
    return this.stateAt.get(this.position)!;
  }

  flush(changes: readonly Change[]): Flush {
    const state = new Map(this.state);
    for (const { id, isRemoved, padding } of changes) {
      const cursor = this.#nextCursor();
      this.versions += 1;
      const data = `${cursor}${'x'.repeat(padding)}`;
      if (isRemoved) state.delete(id);
      else state.set(id, data);
      const members = `"id":"${id}","final":false,"data":"${data}"`;
      this.#writer.add(isRemoved ? 'remove' : 'upsert', false, parseCursor(cursor)!, members, 0);
    }
    // An edge lies behind the last update before it.
    this.position = this.#nextCursor();
    this.stateAt.set(this.position, state);
    return new Flush(this.#writer.take(DAY));
  }

  snapshot(): Flush {
    const { position: cursor, state } = this;
    const items = [...state].map(([id, data]) => ({ id, data }));
    const members = `"items":${JSON.stringify(items)}`;
    this.#writer.add('snapshot', true, parseCursor(cursor)!, members, 0);
    return new Flush(this.#writer.take(DAY));
  }

  #nextCursor(): string {
    this.#lastRank += 1;
    return `20261112.${this.#lastRank}.1`;
  }
}

/** One subscription of a client, which checks every message it gets against the topic. */
class ClientModel {
  readonly state = new Map<string, string>();
  readonly kinds: string[] = [];
  versions = 0;
  statuses = 0;
  #cursor: string | null = null;
  readonly #topic: TopicModel;

  constructor(topic: TopicModel) {
    this.#topic = topic;
  }

  hear(message: ServerMessage): void {
    this.kinds.push(message.t);
    switch (message.t) {
      case 'reset':
        this.state.clear();
        this.#cursor = null;
        this.statuses = 0;
        return;
      case 'snapshot':
        this.state.clear();
        for (const { id, data } of message.items) this.state.set(id, String(data));
        this.#cursor = message.cursor;
        assert.deepEqual(this.state, this.#topic.stateAt.get(message.cursor));
        return;
      case 'upsert':
      case 'remove':
        assert.ok(this.#cursor !== null && rankOf(message.cursor) > rankOf(this.#cursor));
        this.#cursor = message.cursor;
        this.versions += 1;
        if (message.t === 'upsert') this.state.set(message.id, String(message.data));
        else this.state.delete(message.id);
        return;
      case 'hb':
        assert.ok(this.#cursor !== null && rankOf(message.cursor!) >= rankOf(this.#cursor));
        this.#cursor = message.cursor!;
        assert.deepEqual(sorted(this.state), sorted(this.#topic.stateAt.get(message.cursor!)!));
        return;
      default:
        assert.equal(message.t, 'status');
        this.statuses += 1;
    }
  }
}

/** A connection of three subscriptions whose reader takes bytes on demand. */
class ConnectionModel {
  readonly outbox = new Outbox(LIMITS);
  readonly topics = { a: new TopicModel(), b: new TopicModel(), c: new TopicModel() };
  readonly clients = {
    a: new ClientModel(this.topics.a),
    b: new ClientModel(this.topics.b),
    c: new ClientModel(this.topics.c),
  };
  isOver = false;
  #socket: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #read: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #socketBytes = 0;

  constructor() {
    for (const sub of SUBS) this.#deliver(sub, this.topics[sub].snapshot());
  }

  step(happening: Happening): void {
    switch (happening.t) {
      case 'flush':
        this.#deliver(happening.sub, this.topics[happening.sub].flush(happening.changes));
        return;
      case 'beat':
        for (const sub of SUBS) {
          this.#send({ t: 'hb', sub, cursor: this.topics[sub].position, ts: '1' });
        }
        return;
      case 'status':
        this.topics[happening.sub].statuses += 1;
        this.#send({ t: 'status', sub: happening.sub, state: 'live', lagMs: 0 });
        return;
      case 'resubscribe':
        this.outbox.endSubscription(happening.sub);
        this.topics[happening.sub].statuses = 0;
        this.#send({ t: 'reset', sub: happening.sub, reason: 'roll' });
        this.#deliver(happening.sub, this.topics[happening.sub].snapshot());
        return;
      case 'read':
        this.read(happening.bytes);
        return;
      default:
        happening satisfies never;
    }
  }

  /** The reader takes this much; when nothing is left on the socket, the rest moves on. */
  read(bytes: number): void {
    const taken = this.#socket.subarray(0, bytes);
    this.#socket = this.#socket.subarray(taken.length);
    this.#read = Buffer.concat([this.#read, taken]);
    this.#socketBytes -= taken.length;
    const before = this.outbox.bytes;
    const next = this.#socketBytes > 0 ? null : this.outbox.take(0);
    if (next === null) return;
    assert.equal(this.outbox.bytes, before - next.bytes.length);
    assert.equal(frameTexts(next.bytes).length, next.messages);
    this.#write(next.bytes);
  }

  /** The reader takes everything, and each of its subscriptions gets its own messages. */
  readAll(): void {
    while (this.#socketBytes > 0) this.read(this.#socketBytes);
    assert.equal(this.outbox.bytes, 0);
    for (const text of frameTexts(this.#read)) {
      const message: ServerMessage & { readonly sub?: string } = JSON.parse(text);
      this.clients[message.sub as Sub].hear(message);
    }
  }

  #deliver(sub: Sub, flush: Flush): void {
    const frames = flush.framesFor(sub, 'live');
    if (frames === null || this.isOver) return;
    if (this.outbox.lets(frames.bytes.length, this.#socketBytes)) this.#write(frames.bytes);
    else for (const message of flush.messagesFor(sub, 'live')) this.#pass(message);
  }

  #send(message: ServerMessage & { readonly sub?: string }): void {
    const bytes = textFrame(JSON.stringify(message));
    this.#pass(new MessageFrame(message.t, message.sub ?? null, '', bytes));
  }

  #pass(message: Parameters<Outbox['pass']>[0]): void {
    if (this.isOver) return;
    const verdict = this.outbox.pass(message, this.#socketBytes);
    const pending = this.#socketBytes + this.outbox.bytes;
    if (verdict === 'over') {
      this.isOver = true;
      assert.ok(pending + message.bytes.length >= LIMITS.bytesMax);
      return;
    }
    if (verdict === 'at-once') {
      assert.ok(this.#socketBytes < LIMITS.skipFromBytes && this.outbox.bytes === 0);
      this.#write(message.bytes);
    }
    assert.ok(this.#socketBytes + this.outbox.bytes < LIMITS.bytesMax);
  }

  #write(bytes: Buffer): void {
    this.#socket = Buffer.concat([this.#socket, bytes]);
    this.#socketBytes += bytes.length;
  }
}

function rankOf(cursor: string): number {
  return Number(cursor.split('.')[1]);
}

function sorted(state: State): readonly (readonly [string, string])[] {
  return [...state].sort(([a], [b]) => (a < b ? -1 : 1));
}

test('however slowly it reads, a client ends with the newest state, has at each hb the state of its cursor, and less than the limit is pending [DET-10] [DET-11] [DET-15]', () => {
  const seen = { over: 0, skipping: 0, beatsAfterSkipping: 0 };
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 120, size: 'max' }), (happenings) => {
      const connection = new ConnectionModel();
      for (const happening of happenings) {
        connection.step(happening);
        if (connection.isOver) break;
      }
      connection.readAll();
      seen.over += Number(connection.isOver);
      for (const sub of SUBS) {
        const [client, topic] = [connection.clients[sub], connection.topics[sub]];
        const hasSkipped = client.versions < topic.versions;
        seen.skipping += Number(hasSkipped);
        seen.beatsAfterSkipping += Number(hasSkipped && client.kinds.at(-1) === 'hb');
        if (connection.isOver) continue;
        assert.deepEqual(sorted(client.state), sorted(topic.state));
        assert.equal(client.statuses, topic.statuses);
      }
    }),
    { numRuns: 600 },
  );
  // The property proves little unless its runs skip, close and beat.
  for (const count of Object.values(seen)) assert.ok(count >= 50, JSON.stringify(seen));
});

function frame(kind: ServerMessage['t'], sub: string | null, id = '', bytes = 100) {
  const text = JSON.stringify({ kind, sub, id }).padEnd(bytes - 2);
  return new MessageFrame(kind, sub, id, textFrame(text));
}

/** The held messages, each as `kind sub id`. */
function heldIn(outbox: Outbox): readonly string[] {
  const all = outbox.takeAll();
  const texts = all === null ? [] : frameTexts(all.bytes);
  return texts.map((text) => Object.values(JSON.parse(text)).join(' ').trim());
}

test('messages go at once below the first limit, are held from it on and refused at the second, not one byte earlier', () => {
  const outbox = new Outbox(LIMITS);
  assert.equal(outbox.lets(99, 400), true);
  assert.equal(outbox.lets(100, 400), false);
  assert.equal(outbox.pass(frame('pong', null), 499), 'at-once');
  assert.equal(outbox.pass(frame('pong', null), 500), 'held');
  assert.equal(outbox.pass(frame('pong', null), 0), 'held');
  assert.equal(outbox.lets(0, 0), false);
  assert.equal(outbox.pass(frame('pong', null), 1_700), 'over');
  assert.equal(outbox.pass(frame('pong', null), 1_699), 'held');
  assert.equal(outbox.bytes, 300);
  assert.equal(outbox.take(500), null);
  assert.equal(outbox.take(499)?.messages, 1);
  assert.equal(outbox.take(0)?.messages, 2);
  assert.equal(outbox.take(0), null);
});

test('a newer version goes to the end and takes the older one and the hb of its subscription away', () => {
  const outbox = new Outbox({ ...LIMITS, skipFromBytes: 0 });
  const pass = (...frames: readonly ReturnType<typeof frame>[]) => {
    for (const each of frames) assert.equal(outbox.pass(each, 0), 'held');
  };
  pass(frame('upsert', 'a', '1'), frame('upsert', 'a', '2'), frame('hb', 'a'));
  pass(frame('upsert', 'b', '1'), frame('hb', 'b'), frame('hb', null), frame('remove', 'a', '1'));
  assert.equal(outbox.bytes, 500);
  assert.deepEqual(heldIn(outbox), ['upsert a 2', 'upsert b 1', 'hb b', 'hb', 'remove a 1']);
  pass(frame('remove', 'a', '1'), frame('hb', 'a'), frame('status', 'a'), frame('hb', 'a'));
  pass(frame('hb', null), frame('upsert', 'a', '2'), frame('hb', null), frame('status', 'a'));
  assert.deepEqual(heldIn(outbox), [
    'remove a 1',
    'status a',
    'hb a',
    'upsert a 2',
    'hb',
    'status a',
  ]);
});

test('of a subscription that ended only the errors follow', () => {
  const outbox = new Outbox({ ...LIMITS, skipFromBytes: 0 });
  for (const sub of ['a', 'b', null]) {
    for (const kind of ['subscribed', 'status', 'snapshot', 'hb', 'error'] as const) {
      outbox.pass(frame(kind, sub), 0);
    }
    outbox.pass(frame('upsert', sub, '1'), 0);
  }
  outbox.endSubscription('a');
  assert.equal(outbox.bytes, 1_300);
  const held = heldIn(outbox);
  assert.deepEqual(
    held.filter((it) => it.includes(' a')),
    ['error a'],
  );
  assert.equal(held.length, 13);
});
