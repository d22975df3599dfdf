import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { natsServerMissing } from '../../../../testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../../testing/tape/nats-servers.ts';
import { makeTape, openTape } from '../../../../testing/tape/nats-tape-rig.ts';
import type { Heartbeat, StoredMessage, StreamReading } from '../tape-stream.ts';

const bytes = (text: string) => Buffer.from(text);
const textOf = (stored: StoredMessage | null) => stored && Buffer.from(stored.body).toString();

async function take(reading: StreamReading, count: number): Promise<readonly StoredMessage[]> {
  const taken: StoredMessage[] = [];
  while (taken.length < count) {
    const read = await reading.next();
    if (read !== 'idle') taken.push(read);
  }
  return taken;
}

describe('the stream of a tape in NATS', { skip: natsServerMissing }, () => {
  let servers: NatsServers;
  before(async () => {
    servers = await NatsServers.start({ payloadBytesMax: 4 * 1_048_576 });
  });
  after(() => servers[Symbol.asyncDispose]());

  test('stores a message right behind the number it expects, or not at all', async () => {
    await makeTape(servers, 'one.set');
    await using tape = await openTape(servers, 'one.set');
    const { stream } = tape;
    assert.deepEqual(await stream.ends(), { first: 1, last: 0 });
    assert.equal(await stream.read(1), null);
    assert.equal(await stream.newest('book'), null);
    const message = (body: string, subject: 'record' | 'claim' | 'book' = 'record') => {
      return { subject, writer: 'a.1', body: bytes(body) };
    };
    assert.deepEqual(await stream.publish(message('x'), 1), { outcome: 'otherEnd' });
    assert.deepEqual(await stream.publish(message('', 'claim'), 0), {
      outcome: 'stored',
      sequence: 1,
    });
    assert.deepEqual(await stream.publish(message('x'), 0), { outcome: 'otherEnd' });
    assert.deepEqual(await stream.publish(message('b', 'book'), 1), {
      outcome: 'stored',
      sequence: 2,
    });
    assert.deepEqual(await stream.publish(message('r'), 2), { outcome: 'stored', sequence: 3 });
    assert.deepEqual(await stream.read(2), {
      sequence: 2,
      subject: 'book',
      writer: 'a.1',
      body: new Uint8Array(bytes('b')),
    });
    assert.equal(textOf(await stream.newest('book')), 'b');
    assert.equal(await stream.read(4), null);
    assert.deepEqual(await stream.ends(), { first: 1, last: 3 });
  });

  test('takes a record of the largest size there is, and refuses a larger one', async () => {
    await makeTape(servers, 'large');
    await using tape = await openTape(servers, 'large');
    const body = new Uint8Array(tape.stream.bodyBytesMax).fill(7);
    assert.deepEqual(await tape.stream.publish({ subject: 'record', writer: 'a.1', body }, 0), {
      outcome: 'stored',
      sequence: 1,
    });
    assert.equal((await tape.stream.read(1))?.body.length, body.length);
    const larger = new Uint8Array(body.length + 1);
    assert.deepEqual(
      await tape.stream.publish({ subject: 'record', writer: 'a.1', body: larger }, 1),
      { outcome: 'refused', why: 'tooLarge' },
    );
  });

  test('a full stream says so, and keeps what it has', async () => {
    await makeTape(servers, 'full', { streamBytesMax: 10_000 });
    await using tape = await openTape(servers, 'full');
    const body = new Uint8Array(4_000);
    const publish = (last: number) =>
      tape.stream.publish({ subject: 'record', writer: 'a.1', body }, last);
    assert.equal((await publish(0)).outcome, 'stored');
    assert.equal((await publish(1)).outcome, 'stored');
    assert.deepEqual(await publish(2), { outcome: 'refused', why: 'full' });
    assert.deepEqual(await publish(1), { outcome: 'otherEnd' });
    assert.deepEqual(await tape.stream.ends(), { first: 1, last: 2 });
  });

  test('what is read begins where it was asked for, or at the first that is left, and waits for more', async () => {
    await makeTape(servers, 'read');
    await using tape = await openTape(servers, 'read');
    const { stream } = tape;
    for (let last = 0; last < 300; last++) {
      await stream.publish({ subject: 'record', writer: 'a.1', body: bytes(`${last + 1}`) }, last);
    }
    {
      await using reading = await stream.follow(11);
      const read = await take(reading, 290);
      assert.deepEqual(
        read.map(({ sequence, body }) => [sequence, Buffer.from(body).toString()]),
        Array.from({ length: 290 }, (_, index) => [index + 11, `${index + 11}`]),
      );
      assert.equal(await reading.next(), 'idle');
      const next = take(reading, 1);
      await stream.publish({ subject: 'claim', writer: 'b.301', body: bytes('') }, 300);
      const [claim] = await next;
      assert.deepEqual([claim?.sequence, claim?.subject, claim?.writer], [301, 'claim', 'b.301']);
      const waiting = assert.rejects(reading.next());
      await reading[Symbol.asyncDispose]();
      await waiting;
    }
    await stream.purge(200);
    assert.deepEqual(await stream.ends(), { first: 200, last: 301 });
    await using reading = await stream.follow(11);
    assert.equal((await take(reading, 1))[0]?.sequence, 200);
    assert.equal(await stream.read(199), null);
    const last = await stream.publish({ subject: 'record', writer: 'b.301', body: bytes('') }, 301);
    assert.deepEqual(last, { outcome: 'stored', sequence: 302 });
  });

  test('heartbeats reach everybody, are stored nowhere, and nonsense is no heartbeat', async () => {
    await makeTape(servers, 'beat');
    await using one = await openTape(servers, 'beat');
    await using other = await openTape(servers, 'beat');
    const heard = Promise.withResolvers<Heartbeat>();
    using _listening = other.stream.onBeat((beat) => heard.resolve(beat));
    // A response proves that the server knows the earlier subscriptions.
    await other.stream.ends();
    const beat = { writer: 'a.1', isLeaving: true, last: 17 };
    one.stream.beat(beat);
    assert.deepEqual(await heard.promise, beat);
    assert.deepEqual(await one.stream.ends(), { first: 1, last: 0 });
  });

  test('a watermark that is wanted on one node is heard on the others, and stored nowhere', async () => {
    await makeTape(servers, 'wanted');
    await using one = await openTape(servers, 'wanted');
    await using other = await openTape(servers, 'wanted');
    const heard = Promise.withResolvers<void>();
    using _listening = other.stream.onWatermarkWanted(heard.resolve);
    await other.stream.ends();
    one.stream.wantWatermark();
    await heard.promise;
    assert.deepEqual(await one.stream.ends(), { first: 1, last: 0 });
  });

  test('while no server is there nobody knows of a message: it is not refused for its size', async () => {
    await using lost = await NatsServers.start();
    await makeTape(lost, 'lost');
    await using tape = await openTape(lost, 'lost');
    const { stream } = tape;
    const { bodyBytesMax } = stream;
    await lost.kill(0);
    // Until the client has noticed the loss.
    await wait(50);
    assert.equal(stream.bodyBytesMax, bodyBytesMax);
    const { outcome } = await stream.publish(
      { subject: 'record', writer: 'a.1', body: bytes('x') },
      0,
    );
    assert.equal(outcome, 'unknown');
  });

  test('objects are what was put, are listed by their names, and are gone when they are removed', async () => {
    await makeTape(servers, 'objects');
    await using tape = await openTape(servers, 'objects');
    const { objects } = tape;
    const large = new Uint8Array(3_000_000).map((_, index) => index * 7);
    await objects.put('part.1', large);
    await objects.put('part.1', large);
    await objects.put('day.1', bytes('day'));
    await objects.put('empty', new Uint8Array());
    assert.deepEqual(await objects.get('part.1'), large);
    assert.deepEqual(await objects.get('empty'), new Uint8Array());
    assert.equal(await objects.get('part.2'), null);
    assert.deepEqual(await objects.list('part.'), ['part.1']);
    await objects.put('day.1', bytes('another'));
    assert.equal(Buffer.from((await objects.get('day.1'))!).toString(), 'another');
    await objects.remove('part.1');
    assert.equal(await objects.get('part.1'), null);
    assert.deepEqual(await objects.list('part.'), []);
  });
});
