import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { fillOutbox } from '../../../testing/stream/fill-outbox.ts';
import { DAY, FLOOD, InProcessStream } from '../../../testing/stream/in-process-stream.ts';
import { clientFrame } from '../../../testing/stream/raw-socket.ts';
import { StallingSocket } from '../../../testing/stream/stalling-socket.ts';
import { subscribe } from '../../../testing/stream/stream-client.ts';
import { WRITE_BYTES_MAX } from '../wire/socket-writer.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';

/** Of the interface: 256 KiB and 1 MiB. */
const [skipFromBytes, bytesMax] = [262_144, 1_048_576];

/** A stream with a reader that never stalls, which shows the test all published messages. */
class Stage implements AsyncDisposable {
  readonly stream: InProcessStream;
  readonly quick: StallingSocket;

  private constructor(stream: InProcessStream, quick: StallingSocket) {
    this.stream = stream;
    this.quick = quick;
  }

  static async start(): Promise<Stage> {
    const stream = await InProcessStream.start(FLOOD);
    const stage = new Stage(stream, await StallingSocket.open(stream));
    await stage.subscribe(stage.quick, ['a']);
    return stage;
  }

  /** A reader with subscriptions to bars that has read everything so far and then stalls. */
  async stalled(...subs: readonly string[]): Promise<StallingSocket> {
    const socket = await StallingSocket.open(this.stream);
    await this.subscribe(socket, subs);
    socket.stall();
    return socket;
  }

  async subscribe(socket: StallingSocket, subs: readonly string[], more = {}): Promise<void> {
    await socket.send(...subs.map((sub) => subscribe(sub, more)));
    for (const sub of subs) {
      while (!socket.messages.some((it) => it.t === 'snapshot' && it.sub === sub)) await turn();
    }
  }

  /** Trades at these prices, each in its own flush. */
  async trade(...prices: readonly number[]): Promise<void> {
    for (const price of prices) {
      this.stream.trade({ price });
      await this.stream.pass(20);
      while (closesOf(this.quick, 'a').at(-1) !== price) await turn();
    }
  }

  get metrics(): GatewayMetrics {
    return this.stream.gateway.metrics;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.quick.destroy();
    await this.stream[Symbol.asyncDispose]();
  }
}

/** The last price of every version of the bar that was read. */
function closesOf(socket: StallingSocket, sub: string): readonly number[] {
  return socket.messages.flatMap((it) =>
    it.t === 'upsert' && it.sub === sub ? [(it.data as { close: number }).close] : [],
  );
}

test('below 256 KiB every version is sent, from 256 KiB on only the newest [FLOW-04]', async () => {
  await using stage = await Stage.start();
  for (const [pending, closes] of [
    [skipFromBytes - 1, [1, 5]],
    [skipFromBytes, [5]],
  ] as const) {
    const socket = await stage.stalled('a');
    await fillOutbox(socket, pending);
    await stage.trade(1, 2, 3, 4, 5);
    socket.readOn();
    await turn();
    assert.deepEqual(closesOf(socket, 'a'), closes);
    await stage.trade(6, 7);
    assert.deepEqual(closesOf(socket, 'a'), [...closes, 6, 7]);
    socket.destroy();
  }
});

test('one byte below 1 MiB waits and arrives, 1 MiB closes with 4008 SLOW_CONSUMER [FLOW-05] [CLOSE-12]', async () => {
  await using stage = await Stage.start();
  const below = await stage.stalled();
  await fillOutbox(below, bytesMax - 1);
  assert.equal(stage.metrics.connections, 2);
  assert.ok(below.writableLength <= WRITE_BYTES_MAX);
  below.readOn();
  await turn();
  assert.equal(below.bytesRead, bytesMax - 1);
  below.stall();
  await fillOutbox(below, bytesMax - 1);
  below.readOn();
  await turn();
  assert.equal(below.bytesRead, 2 * (bytesMax - 1));
  assert.equal(below.closing, null);

  const at = await stage.stalled('a');
  await fillOutbox(at, bytesMax);
  assert.equal(stage.metrics.subscriptions, 1);
  at.readOn();
  await turn();
  assert.deepEqual(at.closing, { code: 4008, reason: 'SLOW_CONSUMER' });
  assert.ok(at.bytesRead < WRITE_BYTES_MAX + 1_000);
  below.destroy();
  at.destroy();
});

test('a roll that meets a full outbox leaves no subscription behind', async () => {
  await using stage = await Stage.start();
  const { stream } = stage;
  const socket = await StallingSocket.open(stream);
  await stage.subscribe(socket, ['rolls'], { instrument: 'A.c.0' });
  socket.stall();
  await fillOutbox(socket, bytesMax - 1);
  assert.equal(stage.metrics.subscriptions, 2);
  stream.tape.commit([], epochNs(addDays(DAY, 1), 1));
  stream.engine.pulse();
  await turn();
  assert.equal(stage.metrics.subscriptions, 1);
  assert.equal(stream.hub.counts.topics, 1);
  socket.destroy();
});

test('versions of a stalled reader never pile up, whatever the number of flushes [SEC-36]', async () => {
  await using stage = await Stage.start();
  const socket = await stage.stalled('a', 'b');
  await fillOutbox(socket, bytesMax - 2_000);
  const pending = socket.writableLength;
  for (let flush = 0; flush < 800; flush += 1) await stage.trade(flush);
  assert.equal(stage.metrics.subscriptions, 3);
  assert.equal(socket.writableLength, pending);
  socket.readOn();
  await turn();
  for (const sub of ['a', 'b']) assert.equal(closesOf(socket, sub).at(-1), 799);
  socket.destroy();
});

test('a stalled reader that unsubscribes gets nothing more of that subscription [WS-09]', async () => {
  await using stage = await Stage.start();
  const socket = await stage.stalled('a', 'b');
  const heard = socket.messages.length;
  await fillOutbox(socket, skipFromBytes);
  await stage.trade(1);
  await stage.stream.pass(6_000);
  await socket.send({ t: 'unsubscribe', sub: 'a' });
  await stage.trade(2);
  socket.readOn();
  await turn();
  const later = socket.messages.slice(heard).filter((it) => it.t !== 'pong');
  assert.deepEqual(new Set(later.map((it) => 'sub' in it && it.sub)), new Set(['b']));
  assert.deepEqual(closesOf(socket, 'b').slice(-1), [2]);
  socket.destroy();
});

test('a subscription made while the reader is behind gets its snapshot when it has caught up', async () => {
  await using stage = await Stage.start();
  const socket = await stage.stalled('a');
  await fillOutbox(socket, skipFromBytes);
  await socket.send(subscribe('late'));
  await stage.trade(1, 2);
  socket.readOn();
  while (socket.messages.at(-1)?.t !== 'snapshot') await turn();
  const kinds = socket.messages.flatMap((it) => ('sub' in it && it.sub === 'late' ? [it.t] : []));
  assert.deepEqual(kinds, ['subscribed', 'status', 'snapshot']);
  await stage.trade(3);
  assert.deepEqual(closesOf(socket, 'late'), [3]);
  socket.destroy();
});

test('a shutdown hands over what is held, then its notice, then closes', async () => {
  await using stage = await Stage.start();
  const socket = await stage.stalled('a');
  await fillOutbox(socket, skipFromBytes);
  await stage.trade(1, 2);
  const drained = stage.stream.gateway.drain();
  socket.readOn();
  await turn();
  assert.deepEqual(closesOf(socket, 'a'), [2]);
  assert.deepEqual(socket.messages.at(-1), { t: 'notice', kind: 'reconnect' });
  assert.equal(socket.closing?.code, 1013);
  socket.destroy();
  await drained;
});

test('answers to control frames count as pending too [SEC-36]', async () => {
  await using stage = await Stage.start();
  const socket = await stage.stalled('a');
  const ping = clientFrame(0x89, Buffer.alloc(125));
  const pongs = Math.ceil(bytesMax / 127);
  await socket.sendFrames(Buffer.concat(Array.from({ length: pongs - 1 }, () => ping)));
  assert.equal(stage.metrics.subscriptions, 2);
  await socket.sendFrames(ping);
  assert.equal(stage.metrics.subscriptions, 1);
  socket.readOn();
  await turn();
  assert.deepEqual(socket.closing, { code: 4008, reason: 'SLOW_CONSUMER' });
  socket.destroy();
});
