import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { GatewayCounters } from '../connection/gateway-metrics.ts';
import { OUTBOX_LIMITS } from './outbox.ts';
import { SocketWriter } from './socket-writer.ts';

/** A socket whose peer takes each write at once while it reads, and otherwise on demand. */
class PeerSocket extends Duplex {
  isReading = true;
  readonly texts: string[] = [];
  #untaken: (() => void)[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.texts.push(chunk.toString('latin1'));
    if (this.isReading) done();
    else this.#untaken.push(done);
  }

  /** Takes one write, and no other. */
  takeOne(): void {
    this.#untaken.shift()!();
  }

  takeAll(): void {
    this.isReading = true;
    for (const done of this.#untaken.splice(0)) done();
  }

  /** How many empty writes it took: with each the writer learns that all before it was taken. */
  get took(): number {
    return this.texts.filter((text) => text === '').length;
  }

  /** How many messages of ours it was given. */
  get pongs(): number {
    return this.texts.filter((text) => text.includes('"pong"')).length;
  }
}

function writerOn(socket: Duplex) {
  const writer: SocketWriter = new SocketWriter(
    socket,
    {
      isOpen: true,
      overflowed: () => assert.fail('too slow'),
      peerClosed: () => assert.fail('closed'),
    },
    { counters: new GatewayCounters(), releaseSoon: () => {} },
  );
  const say = () => {
    writer.send({ t: 'pong', ts: '1' });
    writer.release();
  };
  return { writer, say };
}

test('of a peer that takes each write at once nothing is waited for', async () => {
  const socket = new PeerSocket();
  const { say } = writerOn(socket);
  for (let count = 1; count <= 3; count += 1) {
    say();
    assert.equal(socket.pongs, count);
  }
  await turn();
  assert.equal(socket.took, 0);
  assert.equal(socket.texts.length, 3);
});

test('what follows a write that the peer does not take waits, and leaves when it is taken', async () => {
  const socket = new PeerSocket();
  const { say } = writerOn(socket);
  socket.isReading = false;
  for (let count = 0; count < 3; count += 1) say();
  await turn();
  assert.deepEqual([socket.pongs, socket.took], [1, 0]);
  socket.takeAll();
  await turn();
  assert.deepEqual([socket.pongs, socket.took], [3, 1]);
  say();
  assert.equal(socket.pongs, 4);
});

test('control frames that fill the socket delay what follows only until they are taken', async () => {
  for (const isBehind of [false, true]) {
    const socket = new PeerSocket();
    const { writer, say } = writerOn(socket);
    socket.isReading = false;
    if (isBehind) say();
    // `ws` writes its answers past the writer.
    socket.write(Buffer.alloc(OUTBOX_LIMITS.skipFromBytes));
    writer.answeredControlFrame();
    let grants = 0;
    writer.permit.request({ permitted: () => (grants += 1) });
    if (isBehind) {
      // The message sent before, and the empty write behind it.
      socket.takeOne();
      socket.takeOne();
      await turn();
    }
    say();
    await turn();
    assert.deepEqual([grants, socket.pongs], [0, isBehind ? 1 : 0]);
    socket.takeAll();
    await turn();
    assert.deepEqual([grants, socket.pongs, writer.isEmpty], [1, isBehind ? 2 : 1, true]);
  }
});
