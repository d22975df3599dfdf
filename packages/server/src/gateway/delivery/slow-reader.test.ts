/** The close of a slow consumer, and the end of its socket. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { FLOOD, InProcessStream } from '../../../testing/stream/in-process-stream.ts';
import { clientFrame } from '../../../testing/stream/raw-socket.ts';
import { StallingSocket } from '../../../testing/stream/stalling-socket.ts';
import { subscribe } from '../../../testing/stream/stream-client.ts';
import { closeFrame } from '../../../testing/stream/wire-frame.ts';
import { OUTBOX_LIMITS } from '../wire/outbox.ts';
import { WRITE_BYTES_MAX } from '../wire/socket-writer.ts';

const PING = { t: 'ping', id: 'x'.repeat(64) };
const PONG_BYTES_MIN = 80;
const TOO_MANY = Array.from({ length: OUTBOX_LIMITS.bytesMax / PONG_BYTES_MIN }, () => PING);

/** A reader with a subscription that stalls, and has just been found too slow. */
async function slowReader(stream: InProcessStream, key?: string): Promise<StallingSocket> {
  const socket = await StallingSocket.open(stream, key);
  await socket.send(subscribe('a'));
  while (!socket.messages.some((it) => it.t === 'snapshot')) await turn();
  socket.stall();
  const { parting } = stream.gateway.metrics;
  await socket.send(...TOO_MANY);
  assert.equal(stream.gateway.metrics.parting, parting + 1);
  return socket;
}

async function gone(socket: StallingSocket): Promise<void> {
  while (!socket.destroyed) await turn();
  for (let turns = 0; turns < 3; turns += 1) await turn();
}

test('a reader that stalled for five seconds learns that it was too slow [FLOW-05] [CLOSE-12] [SEC-18]', async () => {
  await using stream = await InProcessStream.start(FLOOD);
  const { metrics } = stream.gateway;
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const socket = await slowReader(stream);
    assert.equal(metrics.subscriptions, 0);
    // The pending output in our memory is gone, but for one write and the close frame behind it.
    assert.ok(socket.writableLength < WRITE_BYTES_MAX + 100);
    mock.timers.tick(5_000);
    await stream.pass(5_000);
    assert.equal(socket.destroyed, false);
    const heard = socket.messages.length;
    socket.readOn();
    await turn();
    assert.deepEqual(socket.closing, { code: 4008, reason: 'SLOW_CONSUMER' });
    assert.ok(socket.messages.slice(heard).every((it) => it.t === 'pong'));
    assert.equal(socket.unreadBytes, 0);
    // Its answer ends the connection at once.
    await socket.sendFrames(closeFrame(4008));
    socket.push(null);
    await gone(socket);
    assert.deepEqual([metrics.parting, metrics.partingCutTotal], [0, 0]);
    assert.deepEqual(metrics.closesTotal, { 4008: 1 });
  } finally {
    mock.timers.reset();
  }
});

test('ten seconds after the decision its socket is gone, whatever the peer does [SEC-18]', async () => {
  await using stream = await InProcessStream.start(FLOOD);
  const { metrics } = stream.gateway;
  const ping = clientFrame(0x89, Buffer.alloc(9));
  const conducts: readonly ((socket: StallingSocket) => unknown)[] = [
    () => {},
    (socket) => socket.readOn(),
    (socket) => socket.sendFrames(ping),
    (socket) => socket.send(subscribe('b')),
    (socket) => socket.sendFrames(closeFrame(1000)),
  ];
  for (const [index, behave] of conducts.entries()) {
    const socket = await slowReader(stream);
    for (let second = 1; second < 10; second += 1) {
      await behave(socket);
      await stream.pass(1_000);
      assert.equal(socket.destroyed, false, `${index} after ${second} s`);
    }
    await stream.pass(999);
    assert.equal(socket.destroyed, false);
    await stream.pass(1);
    await gone(socket);
    assert.deepEqual([metrics.parting, metrics.partingCutTotal], [0, index + 1]);
  }
  assert.deepEqual(metrics.closesTotal, { 4008: conducts.length });
});

test('few such sockets wait: one more, and the oldest is destroyed at once [SEC-18] [SEC-36]', async () => {
  await using stream = await InProcessStream.start({ ...FLOOD, partingMax: 2 });
  const { metrics } = stream.gateway;
  const first = await slowReader(stream);
  const second = await slowReader(stream);
  const third = await StallingSocket.open(stream);
  third.stall();
  await third.send(...TOO_MANY);
  await gone(first);
  assert.deepEqual([second.destroyed, third.destroyed], [false, false]);
  assert.deepEqual([metrics.parting, metrics.partingCutTotal, metrics.connections], [2, 1, 2]);
  second.destroy();
  await gone(second);
  assert.deepEqual([metrics.parting, metrics.partingCutTotal], [1, 1]);
  await slowReader(stream);
  assert.equal(third.destroyed, false);
});

test('what it held of its account is free at the decision, and a key that ends takes the socket with it [SEC-09] [SEC-18]', async () => {
  await using desk = await AccountStream.start(FLOOD);
  const key = await desk.key('sandbox');
  const slow = await slowReader(desk.stream, key.text);
  for (const kind of ['connection', 'subscription'] as const) {
    while ((await desk.held(key.record.accountId, kind)) > 0) await turn();
  }
  using again = await desk.open(key);
  again.send(subscribe('a'));
  await again.find('snapshot');
  assert.equal(slow.destroyed, false);
  await desk.accounts.revoke(key);
  await desk.stream.pass(1_000);
  await gone(slow);
  assert.equal((await again.closed).code, 4003);
});

test('a restart waits for no slow reader', async () => {
  const stream = await InProcessStream.start(FLOOD);
  const slow = await slowReader(stream);
  await stream.gateway.drain();
  assert.ok(slow.destroyed);
  await stream[Symbol.asyncDispose]();
});

test('a reader that is closed for its silence has less than a second [SEC-18]', async () => {
  await using stream = await InProcessStream.start({
    ...FLOOD,
    limits: { ...FLOOD.limits, silenceMs: 30_000 },
  });
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const socket = await StallingSocket.open(stream);
    socket.stall();
    await stream.pass(30_000);
    mock.timers.tick(799);
    assert.equal(socket.destroyed, false);
    mock.timers.tick(1);
    await gone(socket);
    assert.deepEqual(stream.gateway.metrics.closesTotal, { 4008: 1 });
    assert.equal(stream.gateway.metrics.partingCutTotal, 0);
  } finally {
    mock.timers.reset();
  }
});
