import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { onlyTimersBelow } from '../../../../../simulation/clock/short-timers.ts';
import { FLOOD, InProcessStream, KEY } from '../../../testing/stream/in-process-stream.ts';
import { clientFrame, closeCodeOf, rawSocket } from '../../../testing/stream/raw-socket.ts';
import { CLOSE_OPCODE, serverFrames, TEXT_OPCODE } from '../../../testing/stream/server-frames.ts';
import { openClient, StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { closeFrame } from '../../../testing/stream/wire-frame.ts';
import type { AnsweredRequest } from '../../platform/log/access-log.ts';
import { DoorSockets, socketLimits } from '../../platform/network/door-sockets.ts';
import { TOPIC_LINGER_MS } from '../../topics/idle-topics.ts';
import { OUTBOX_LIMITS } from '../wire/outbox.ts';

const BEARER = `Bearer ${KEY}`;

test('messages sent before the key is judged are answered in order [SEC-19]', async () => {
  await using stream = await InProcessStream.start();
  const ping = (id: number) => clientFrame(0x81, Buffer.from(JSON.stringify({ t: 'ping', id })));
  const socket = connect(stream.port, '127.0.0.1');
  const head =
    'GET /v1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nAuthorization: ${BEARER}\r\n\r\n`;
  socket.write(Buffer.concat([Buffer.from(head), ping(1), ping(2), ping(3)]));
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes('"id":3')) break;
  }
  assert.deepEqual(
    [...text.matchAll(/"id":(\d)/g)].map((match) => match[1]),
    ['1', '2', '3'],
  );
});

test('a stream has a request id, under which its end is told with its account, key and close code', async () => {
  const told: AnsweredRequest[] = [];
  await using stream = await InProcessStream.start({ onEnded: (it) => told.push(it) });
  const ids: (string | undefined)[] = [];
  for (const authorization of [BEARER, 'Bearer svc_live_wrong']) {
    using one = new StreamClient(stream.url, authorization);
    one.socket.on('upgrade', ({ headers }) => ids.push(headers['x-request-id'] as string));
    await one.opened();
    if (authorization === BEARER) {
      await one.answered();
      stream.clock.advance(2_000);
      one.socket.close(1000);
    }
    await one.closed;
  }
  while (told.length < 2) await turn();
  const [good, refused] = told as [AnsweredRequest, AnsweredRequest];
  assert.deepEqual([good.id, refused.id], ids);
  assert.match(good.id, /^req_[0-9a-f]{32}$/);
  assert.deepEqual([good.path, good.status, good.ms, good.close], ['/v1', 101, 2_000, 1000]);
  assert.ok(good.account !== null && good.key !== null);
  assert.deepEqual([refused.close, refused.account, refused.key], [4001, null, null]);
});

test('every ping gets one pong with its id and the time [WS-10]', async () => {
  await using stream = await InProcessStream.start();
  using one = await new StreamClient(stream.url, BEARER).opened();
  const ids = ['x', '', 7, -1, undefined];
  for (const id of ids) one.send({ t: 'ping', id });
  await one.answered();
  const ts = stream.clock.now().toString();
  const expected = ids.map((id) => (id === undefined ? { t: 'pong', ts } : { t: 'pong', id, ts }));
  assert.deepEqual(one.messages.slice(0, -1), expected);
});

test('what is no message gets an error without sub, and the connection goes on [WS-02] [EVT-21]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  for (const text of ['{', '[{"t":"ping"}]', '{"t":"ping"}{"t":"ping"}', '{"t":"fly"}', 'null']) {
    const before = one.messages.length;
    one.send(text);
    await one.answered();
    const [error, ...rest] = one.messages.slice(before);
    assert.ok(error?.t === 'error' && !('sub' in error), text);
    assert.deepEqual(
      rest.map((it) => it.t),
      ['pong'],
    );
  }
});

test('a binary frame closes with 1003 even when it holds valid JSON [CLOSE-03]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  one.socket.send(Buffer.from('{"t":"ping"}'));
  assert.equal((await one.closed).code, 1003);
});

test('invalid UTF-8 closes with 1007, malformed frames with 1002 [CLOSE-02] [CLOSE-04]', async () => {
  await using stream = await InProcessStream.start();
  const cases: [Buffer, number][] = [
    [clientFrame(0x81, Buffer.from([0x80])), 1007],
    [clientFrame(0x81, Buffer.from([0x7b, 0xff, 0x7d])), 1007],
    [clientFrame(0xc1, Buffer.from('{}')), 1002],
    [clientFrame(0x83, Buffer.from('{}')), 1002],
    [Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
  ];
  for (const [frame, code] of cases) {
    const socket = await rawSocket(stream);
    const closing = closeCodeOf(socket);
    socket.write(frame);
    assert.equal(await closing, code);
    socket.destroy();
  }
});

test('a message of 65,536 bytes is taken, one byte more closes with 1009, fragments included [CLOSE-06] [WS-04]', async () => {
  await using stream = await InProcessStream.start();
  const ping = (bytes: number) => Buffer.from('{"t":"ping"}'.padEnd(bytes));
  using one = await openClient(stream);
  one.send(ping(65_536).toString());
  await one.answered();
  one.send(ping(65_537).toString());
  assert.equal((await one.closed).code, 1009);
  for (const [bytes, isTaken] of [
    [65_536, true],
    [65_537, false],
  ] as const) {
    const socket = await rawSocket(stream);
    const answer = new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.write(clientFrame(0x01, ping(bytes).subarray(0, 40_000)));
    socket.write(clientFrame(0x80, ping(bytes).subarray(40_000)));
    const first = await answer;
    assert.equal(first[0], isTaken ? 0x81 : 0x88);
    if (!isTaken) assert.equal(first.readUInt16BE(2), 1009);
    socket.destroy();
  }
});

test('a message of 1,024 fragments is taken, one more closes with 1008; deflate is never agreed on [SEC-15]', async () => {
  await using stream = await InProcessStream.start();
  for (const [fragments, first] of [
    [1_024, 0x81],
    [1_025, 0x88],
  ] as const) {
    const socket = await rawSocket(stream);
    const answer = new Promise<Buffer>((resolve) => socket.once('data', resolve));
    const frames = Array.from({ length: fragments }, (_, index) => {
      const isLast = index === fragments - 1;
      const text = index === 0 ? '{"t":"ping"' : isLast ? '}' : ' ';
      return clientFrame((isLast ? 0x80 : 0) | (index === 0 ? 1 : 0), Buffer.from(text));
    });
    socket.write(Buffer.concat(frames));
    const bytes = await answer;
    assert.equal(bytes[0], first);
    if (first === 0x88) assert.equal(bytes.readUInt16BE(2), 1008);
    socket.destroy();
  }
  using one = await openClient(stream);
  assert.equal(one.socket.extensions, '');
});

test('the stream lives at /v1 and nowhere else [WS-01]', async () => {
  await using stream = await InProcessStream.start();
  using good = await new StreamClient(`${stream.url}?x=1`, BEARER).opened();
  await good.answered();
  for (const path of ['', '/v1/', '/v2', '/v1/stream']) {
    using bad = new StreamClient(`ws://127.0.0.1:${stream.port}${path}`, BEARER);
    assert.equal((await bad.closed).code, 1006, path);
  }
});

test('connections beyond the limit close with 1013, and a later one works [CLOSE-07]', async () => {
  await using stream = await InProcessStream.start({
    sockets: new DoorSockets({ ...socketLimits(10), streams: 1 }),
  });
  const first = await openClient(stream);
  using second = new StreamClient(stream.url, BEARER);
  assert.equal((await second.closed).code, 1013);
  first.socket.close();
  await first.closed;
  while (stream.gateway.metrics.connections > 0) await turn();
  using third = await openClient(stream);
  assert.equal(third.messages.length, 1);
});

/** More than the kernels' buffers of both ends hold. */
const KERNEL_BYTES_MAX = 48 * 1_048_576;

test('a reader that stalls and reads on gets fewer versions, and the last one of every object [FLOW-04] [DET-11]', async () => {
  await using stream = await InProcessStream.start();
  using slow = await openClient(stream);
  using quick = await openClient(stream);
  const subs = Array.from({ length: 40 }, (_, index) => `${index}`);
  // One bar for the whole test: every message is another version of it.
  const hours = { indicator: 'footprint', params: { size: 14_400 } };
  for (const sub of subs) slow.send(subscribe(sub, hours));
  quick.send(subscribe('0', hours));
  await quick.find('snapshot');
  await slow.find('snapshot', (it) => it.sub === subs.at(-1));
  slow.socket.pause();
  const versions = (client: StreamClient, sub: string) =>
    client.messages.filter((it) => it.t === 'upsert' && it.sub === sub);
  let publishedBytes = 0;
  for (let step = 0; publishedBytes < KERNEL_BYTES_MAX; step += 1) {
    stream.trade(...Array.from({ length: 400 }, (_, level) => ({ price: level, size: 1 + step })));
    // Every whole second is a flush edge, however large the object is.
    await stream.pass(1_000);
    slow.send({ t: 'ping' });
    await quick.answered();
    publishedBytes += JSON.stringify(quick.messages.at(-2)).length * subs.length;
  }
  assert.ok(!stream.gateway.hasSentAll);
  slow.socket.resume();
  await slow.answered();
  while (!stream.gateway.hasSentAll) await turn();
  const all = versions(quick, '0');
  for (const sub of subs) {
    const got = versions(slow, sub).map((it) => ({ ...it, sub: '0' }));
    assert.ok(got.length < all.length, `${got.length} of ${all.length}`);
    assert.deepEqual(got.at(-1), all.at(-1));
  }
  // Having caught up, it gets every version again.
  const before = versions(slow, '0').length;
  for (const price of [1, 2, 3]) {
    stream.trade({ price });
    await stream.pass(1_000);
  }
  await slow.answered();
  assert.equal(versions(slow, '0').length, before + 3);
});

test('a reader that lets 1 MiB pile up reads 4008 SLOW_CONSUMER behind whole frames, and others run on [FLOW-05] [CLOSE-12] [SEC-18]', async () => {
  await using stream = await InProcessStream.start(FLOOD);
  using quick = await openClient(stream);
  quick.send(subscribe('a'));
  await quick.find('snapshot');
  const slow = await rawSocket(stream);
  slow.pause();
  slow.write(clientFrame(0x81, Buffer.from(JSON.stringify(subscribe('a')))));
  while (stream.gateway.metrics.subscriptions < 2) await turn();
  const ping = clientFrame(0x81, Buffer.from(JSON.stringify({ t: 'ping', id: 'x'.repeat(64) })));
  const pings = Buffer.concat(Array.from({ length: 2_000 }, () => ping));
  // Answers are never skipped, so they fill the kernels' buffers, then ours.
  for (let sent = 0; stream.gateway.metrics.subscriptions === 2; sent += pings.length) {
    assert.ok(sent < 2 * KERNEL_BYTES_MAX, 'never closed');
    slow.write(pings);
    await turn();
  }
  assert.equal(stream.gateway.metrics.parting, 1);
  await stream.pass(5_000);
  const chunks: Buffer[] = [];
  const answer = Promise.withResolvers<void>();
  slow.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (Buffer.concat(chunks.slice(-2)).includes('SLOW_CONSUMER')) answer.resolve();
  });
  slow.resume();
  await answer.promise;
  slow.write(closeFrame(4008));
  await new Promise((resolve) => slow.once('close', resolve));
  // Whatever part of a frame the kernels had taken, the stream has no broken frame.
  const { frames, rest } = serverFrames(Buffer.concat(chunks));
  const last = frames.at(-1)!;
  assert.deepEqual([last.opcode, last.payload.readUInt16BE(0)], [CLOSE_OPCODE, 4008]);
  assert.equal(last.payload.toString('utf8', 2), 'SLOW_CONSUMER');
  assert.equal(rest.length, 0);
  for (const { opcode, payload } of frames.slice(0, -1)) {
    assert.equal(opcode, TEXT_OPCODE);
    JSON.parse(payload.toString());
  }
  while (stream.gateway.metrics.connections > 1) await turn();
  assert.deepEqual(stream.gateway.metrics.closesTotal, { 4008: 1 });
  await quick.answered();
});

test('many large snapshots at once never make a healthy reader too slow', async () => {
  await using stream = await InProcessStream.start();
  for (let step = 0; step < 300; step += 1) {
    stream.trade(
      ...Array.from({ length: 12 }, (_, level) => ({ price: level * 3, size: 1 + step })),
    );
    await stream.pass(1_000);
  }
  using one = await openClient(stream);
  for (let sub = 0; sub < 40; sub += 1) {
    one.send(subscribe(`s${sub}`, { indicator: 'footprint', params: { size: 1, depth: 5_000 } }));
  }
  const snapshot = await one.find('snapshot', (it) => it.sub === 's39');
  assert.ok(JSON.stringify(snapshot).length * 40 > 3 * OUTBOX_LIMITS.bytesMax);
  await one.answered();
  assert.equal(stream.gateway.metrics.subscriptions, 40);
});

test('a shutdown tells every client to come back, closes with 1013 and ends within two seconds [EVT-25]', async () => {
  await using stream = await InProcessStream.start();
  using one = await openClient(stream);
  using deaf = await openClient(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  deaf.socket.pause();
  // Closed by our limit, not by the ten seconds that `ws` itself would wait.
  using _ = onlyTimersBelow(2_000);
  await stream.gateway.drain();
  assert.equal((await one.closed).code, 1013);
  assert.deepEqual(one.messages.at(-1), { t: 'notice', kind: 'reconnect' });
  assert.equal(stream.gateway.metrics.connections, 0);
  using late = new StreamClient(stream.url, BEARER);
  assert.equal((await late.closed).code, 1013);
});

test('all that a flush has for a connection leaves in one write', async () => {
  await using stream = await InProcessStream.start();
  const socket = await rawSocket(stream);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  for (const sub of ['a', 'b', 'c']) {
    socket.write(clientFrame(0x81, Buffer.from(JSON.stringify(subscribe(sub)))));
  }
  const text = () => Buffer.concat(chunks).toString('latin1');
  while (text().split('"t":"snapshot"').length < 4) await turn();
  chunks.length = 0;
  stream.trade({ price: 107 });
  await stream.pass(20);
  while (text().split('"t":"upsert"').length < 4) await turn();
  assert.equal(chunks.length, 1);
  socket.destroy();
});

test('a connection that is gone leaves no timer and no subscription behind', async () => {
  await using stream = await InProcessStream.start();
  const timers = stream.clock.timerCount;
  const one = await openClient(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  one.socket.terminate();
  while (stream.gateway.metrics.connections > 0) await turn();
  assert.equal(stream.gateway.metrics.subscriptions, 0);
  assert.deepEqual(stream.hub.counts, { topics: 1, idleTopics: 1 });
  await stream.pass(TOPIC_LINGER_MS + 1_000);
  assert.deepEqual(stream.hub.counts, { topics: 0, idleTopics: 0 });
  assert.equal(stream.clock.timerCount, timers);
  assert.deepEqual(stream.gateway.metrics.closesTotal, { 1006: 1 });
});
