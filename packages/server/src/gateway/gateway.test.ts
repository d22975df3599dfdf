import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parseCursor } from '@tapeloom/core/cursor';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { Compile } from 'typebox/schema';
import { DAY, InProcessStream, KEY } from '../../../../simulation/in-process-stream.ts';
import { StreamClient } from '../../../../simulation/stream-client.ts';
import { QUEUE_BYTES_MAX } from './connection-socket.ts';

const BEARER = `Bearer ${KEY}`;

/** A client that is open and whose key has been judged. */
async function client(stream: InProcessStream): Promise<StreamClient> {
  const made = await new StreamClient(stream.url, BEARER).opened();
  await made.answered();
  return made;
}

function subscribe(sub: string, more: object = {}) {
  return { t: 'subscribe', sub, instrument: 'AA', indicator: 'bars', ...more };
}

/** A socket after a handshake made by hand, to send frames that no library would. */
async function rawSocket(stream: InProcessStream, headers: string[] = []): Promise<Socket> {
  const socket = connect(stream.port, '127.0.0.1');
  const lines = [
    'GET /v1 HTTP/1.1',
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Version: 13',
    `Authorization: ${BEARER}`,
    ...headers,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  return socket;
}

/** A masked client frame with an all-zero mask, so that its payload reads as it is. */
function clientFrame(firstByte: number, payload: Buffer): Buffer {
  const length = Buffer.alloc(payload.length < 126 ? 1 : payload.length < 65_536 ? 3 : 9);
  if (length.length === 1) length[0] = payload.length;
  else if (length.length === 3) length.writeUInt16BE(payload.length, 1);
  else length.writeUInt32BE(payload.length, 5);
  if (length.length > 1) length[0] = length.length === 3 ? 126 : 127;
  length[0]! |= 0x80;
  return Buffer.concat([Buffer.from([firstByte]), length, Buffer.alloc(4), payload]);
}

/** The close code in the last frame a raw socket receives. */
async function closeCodeOf(socket: Socket): Promise<number | null> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((resolve) => {
    socket.on('data', () => {
      if (Buffer.concat(chunks).includes(0x88)) resolve();
    });
    socket.once('close', () => resolve());
  });
  const bytes = Buffer.concat(chunks);
  const at = bytes.indexOf(0x88);
  return at < 0 ? null : bytes.readUInt16BE(at + 2);
}

test('a bearer key in any case of the word opens the stream [AUTH-02]', async () => {
  await using stream = await InProcessStream.start();
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    using one = await new StreamClient(stream.url, `${word} ${KEY}`).opened();
    await one.answered();
  }
  assert.equal(stream.gateway.metrics.connectionsTotal, 4);
});

test('a bad, bare or unknown key opens, then closes at once with 4001 and says nothing else [AUTH-05]', async () => {
  await using stream = await InProcessStream.start();
  const bad = [
    KEY,
    'Bearer',
    'Bearer ',
    `Basic ${KEY}`,
    `Bearer ${KEY}x`,
    'Bearer svc_live_short',
    `Bearer  ${KEY}`,
  ];
  for (const authorization of bad) {
    using one = new StreamClient(stream.url, authorization);
    assert.equal((await one.closed).code, 4001, authorization);
    assert.deepEqual(one.messages, []);
  }
  while (stream.gateway.metrics.connections > 0) await turn();
  assert.deepEqual(stream.gateway.metrics.closesTotal, { 4001: bad.length });
});

test('without a header, a first message that is no valid auth closes with 4001 [AUTH-13]', async () => {
  await using stream = await InProcessStream.start();
  for (const message of [
    subscribe('a'),
    { t: 'ping' },
    { t: 'auth' },
    { t: 'auth', token: 'bad' },
    'x',
  ]) {
    using one = await new StreamClient(stream.url).opened();
    one.send(message);
    assert.equal((await one.closed).code, 4001);
    assert.deepEqual(one.messages, []);
  }
});

test('without a header, silence closes with 4001 after 5 s and not before', async () => {
  await using stream = await InProcessStream.start();
  using one = await new StreamClient(stream.url).opened();
  while (stream.gateway.metrics.connections === 0) await turn();
  stream.clock.advance(4_999);
  await turn();
  assert.equal(one.socket.readyState, one.socket.OPEN);
  stream.clock.advance(1);
  assert.equal((await one.closed).code, 4001);
});

test('an auth after the header is ignored, whatever it holds [WS-06]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  for (const message of [{ t: 'auth' }, { t: 'auth', token: 'bad', x: 1 }]) one.send(message);
  await one.answered();
  assert.deepEqual(new Set(one.kinds()), new Set(['pong']));
});

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

test('subscribed, status, snapshot, then updates, each with its fields [SUB-13] [EVT-02] [EVT-03] [EVT-04] [EVT-08] [EVT-10] [EVT-14] [OBJ-01] [OBJ-06] [WS-03]', async () => {
  await using stream = await InProcessStream.start();
  stream.trade({ price: 100, size: 2 }, { price: 101, size: 3, side: -1 });
  await stream.pass(1_000);
  using one = await client(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  stream.trade({ price: 104 });
  await stream.pass(1_000);
  await one.find('upsert');
  assert.deepEqual(one.kinds('a').slice(0, 5), [
    'subscribed',
    'status',
    'status',
    'snapshot',
    'upsert',
  ]);
  const [subscribed, warming, live, snapshot, upsert] = one.messages.slice(1) as [
    Extract<ServerMessage, { t: 'subscribed' }>,
    Extract<ServerMessage, { t: 'status' }>,
    Extract<ServerMessage, { t: 'status' }>,
    Extract<ServerMessage, { t: 'snapshot' }>,
    Extract<ServerMessage, { t: 'upsert' }>,
  ];
  const topic = 'AA/bars?bar=time&session=full&size=60';
  assert.deepEqual(subscribed, {
    t: 'subscribed',
    sub: 'a',
    topic,
    instrument: 'AA',
    contract: 'AA',
    tickSizeNanos: 250_000_000,
  } as unknown);
  assert.deepEqual(warming, { t: 'status', sub: 'a', state: 'warming', lagMs: 0 });
  assert.deepEqual(live, { t: 'status', sub: 'a', state: 'live', lagMs: 0 });
  assert.deepEqual(Object.keys(snapshot).sort(), ['cursor', 'items', 'sub', 't']);
  assert.deepEqual(Object.keys(snapshot.items[0]!).sort(), ['data', 'final', 'id', 'ts']);
  assert.deepEqual(Object.keys(upsert).sort(), ['cursor', 'data', 'final', 'id', 'sub', 't', 'ts']);
  for (const { cursor } of [snapshot, upsert]) assert.equal(parseCursor(cursor)?.day, DAY);
  assert.equal(upsert.id, snapshot.items[0]!.id);
  assert.equal((upsert.data as { high: number }).high, 104);
  assert.equal(stream.faults.length, 0);
});

test('an empty topic has an empty snapshot; an object settles with final and never changes after [OBJ-03] [OBJ-04] [EVT-11]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('a', { params: { size: 10 } }));
  assert.deepEqual((await one.find('snapshot')).items, []);
  const at = stream.clock.now();
  stream.trade({ price: 100 });
  await stream.pass(1_000);
  stream.trade({ price: 102 });
  await stream.pass(15_000);
  stream.trade({ price: 99 });
  await stream.pass(20_000);
  const updates =
    (await one.find('upsert', (it) => it.final && it.id.endsWith('.3'))) &&
    one.messages.filter((message) => message.t === 'upsert');
  const ids = [...new Set(updates.map((update) => update.id))];
  assert.deepEqual(ids, [`${DAY}.1`, `${DAY}.3`]);
  for (const id of ids) {
    const versions = updates.filter((update) => update.id === id);
    assert.deepEqual(
      versions.map((it) => it.final),
      [...versions.slice(1).map(() => false), true],
    );
  }
  assert.equal(updates[0]!.ts, at.toString());
});

test('confirmed passes exactly the final messages of live [SUB-09] [DET-16]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('plain', { params: { size: 10 } }));
  one.send(subscribe('live', { params: { size: 10 }, mode: 'live' }));
  one.send(subscribe('sure', { params: { size: 10 }, mode: 'confirmed' }));
  for (const sub of ['plain', 'live', 'sure']) await one.find('snapshot', (it) => it.sub === sub);
  for (let step = 0; step < 40; step += 1) {
    stream.trade({ price: 100 + (step % 7) });
    await stream.pass(1_000);
  }
  await one.answered();
  const updates = (sub: string) =>
    one.messages.flatMap((it) => (it.t === 'upsert' && it.sub === sub ? [{ ...it, sub: '' }] : []));
  assert.ok(updates('sure').length >= 3);
  assert.deepEqual(
    updates('sure'),
    updates('live').filter((it) => it.final),
  );
  assert.deepEqual(updates('plain'), updates('live'));
  one.send(subscribe('sure2', { params: { size: 10 }, mode: 'confirmed' }));
  one.send(subscribe('live2', { params: { size: 10 } }));
  const sure = await one.find('snapshot', (it) => it.sub === 'sure2');
  const live = await one.find('snapshot', (it) => it.sub === 'live2');
  assert.deepEqual(
    sure.items,
    live.items.filter((it) => it.final),
  );
});

test('a refused subscribe gets an error with its sub and code, and others run on [SUB-05] [SUB-12] [EVT-19] [EVT-20]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('good'));
  await one.find('snapshot');
  const cases: [string, object, string, string | null][] = [
    ['unknown-instrument', { instrument: 'ZZ' }, 'UNKNOWN_INSTRUMENT', null],
    ['other-case', { instrument: 'aa' }, 'UNKNOWN_INSTRUMENT', null],
    ['not-streamed', { instrument: 'CC' }, 'UNKNOWN_INSTRUMENT', null],
    ['unknown-indicator', { indicator: 'Bars' }, 'UNKNOWN_INDICATOR', null],
    ['bad-param', { params: { size: 0 } }, 'INVALID_PARAMETERS', '/params/size'],
    ['bad-type', { params: { size: '60' } }, 'INVALID_PARAMETERS', '/params/size'],
    ['unknown-param', { params: { sise: 1 } }, 'INVALID_PARAMETERS', '/params/sise'],
    ['missing', { indicator: undefined }, 'INVALID_PARAMETERS', '/indicator'],
    ['good', {}, 'INVALID_PARAMETERS', '/sub'],
    ['from-cursor', { from: { cursor: '20261112.1.1' } }, 'INVALID_PARAMETERS', '/from'],
    ['from-time', { from: { time: '2026-11-12' } }, 'INVALID_PARAMETERS', '/from'],
  ];
  for (const [sub, more, code, path] of cases) {
    one.send(subscribe(sub, more));
    const error = await one.find('error', (it) => it.sub === sub);
    assert.equal(error.code, code, sub);
    const { errors } = error as { errors?: readonly { path: string }[] };
    assert.deepEqual(
      errors?.map((fault) => fault.path) ?? null,
      path === null ? null : [path],
      sub,
    );
    if (path !== null) assert.ok(error.message.includes(path));
  }
  stream.trade({ price: 105 });
  await stream.pass(1_000);
  await one.find('upsert', (it) => it.sub === 'good');
  assert.equal(stream.gateway.metrics.subscriptions, 1);
  assert.equal(stream.gateway.metrics.errorsTotal.UNKNOWN_INSTRUMENT, 3);
});

test('the data of every object fits the published schema of its indicator [OBJ-05]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  for (const { id } of INDICATORS) {
    const params = id === 'large-trades' ? { minSize: 1 } : { size: 5 };
    one.send(subscribe(id, { indicator: id, params }));
    await one.find('snapshot', (it) => it.sub === id);
  }
  for (let second = 0; second < 20; second += 1) {
    stream.trade({ price: 100 + (second % 4), size: 20, side: second % 2 === 0 ? 1 : -1 });
    await stream.pass(1_000);
  }
  await one.answered();
  for (const { id, data } of INDICATORS) {
    const schema = Compile(data as object);
    const updates = one.messages.filter((it) => it.t === 'upsert' && it.sub === id);
    assert.ok(updates.length > 10, id);
    for (const update of updates) {
      assert.ok(update.t === 'upsert' && schema.Check(update.data), JSON.stringify(update));
    }
  }
});

test('a sub is unique on its connection only [SUB-04]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  using other = await client(stream);
  one.send(subscribe('a'));
  one.send(subscribe('a'));
  other.send(subscribe('a'));
  await one.find('error', (it) => it.sub === 'a' && it.code === 'INVALID_PARAMETERS');
  await one.find('snapshot');
  await other.find('snapshot');
  stream.trade({ price: 103 });
  await stream.pass(1_000);
  await one.find('upsert');
  await other.find('upsert');
});

test('left out, params, mode and from mean {}, live and live [SUB-07] [SUB-09] [SUB-11]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('a'));
  one.send(subscribe('b', { params: {}, mode: 'live', from: 'live' }));
  const a = await one.find('subscribed', (it) => it.sub === 'a');
  const b = await one.find('subscribed', (it) => it.sub === 'b');
  assert.equal(a.topic, b.topic);
  await one.find('snapshot', (it) => it.sub === 'b');
  stream.trade({ price: 101 });
  await stream.pass(1_000);
  const [first, second] = [
    await one.find('upsert', (it) => it.sub === 'a'),
    await one.find('upsert', (it) => it.sub === 'b'),
  ];
  assert.deepEqual({ ...first, sub: '' }, { ...second, sub: '' });
  assert.equal(stream.hub.counts.topics, 1);
});

test('unsubscribe is silent, ends that subscription alone and frees the name [WS-09]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('a'));
  one.send(subscribe('b'));
  await one.find('snapshot', (it) => it.sub === 'a');
  await one.find('snapshot', (it) => it.sub === 'b');
  one.send({ t: 'unsubscribe', sub: 'a' });
  await one.answered();
  const before = one.kinds('a').length;
  stream.trade({ price: 103 });
  await stream.pass(6_000);
  await one.find('upsert', (it) => it.sub === 'b');
  await one.answered();
  assert.equal(one.kinds('a').length, before);
  one.send({ t: 'unsubscribe', sub: 'a' });
  assert.equal((await one.find('error')).code, 'INVALID_PARAMETERS');
  one.send(subscribe('a'));
  await one.find('snapshot', (it) => it.sub === 'a' && it.items.length === 1);
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
  using one = await client(stream);
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
  using one = await client(stream);
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
  using one = await client(stream);
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

test('the stream lives at /v1 and nowhere else [WS-01]', async () => {
  await using stream = await InProcessStream.start();
  using good = await new StreamClient(`${stream.url}?x=1`, BEARER).opened();
  await good.answered();
  for (const path of ['', '/v1/', '/v2', '/v1/stream']) {
    using bad = new StreamClient(`ws://127.0.0.1:${stream.port}${path}`, BEARER);
    assert.equal((await bad.closed).code, 1006, path);
  }
});

test('hb comes every 5 s: per subscription with its cursor, alone without subscriptions [EVT-22]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  await stream.pass(5_000);
  const lone = await one.find('hb');
  assert.deepEqual(Object.keys(lone).sort(), ['t', 'ts']);
  one.send(subscribe('a'));
  one.send(subscribe('b', { indicator: 'footprint' }));
  await one.find('snapshot', (it) => it.sub === 'b');
  stream.trade({ price: 102 });
  for (let beat = 0; beat < 3; beat += 1) await stream.pass(5_000);
  await one.answered();
  const beats = one.messages.filter((it) => it.t === 'hb').slice(1);
  assert.deepEqual(
    beats.map((it) => it.sub),
    ['a', 'b', 'a', 'b', 'a', 'b'],
  );
  const [first, , second] = beats;
  assert.equal(BigInt(second!.ts) - BigInt(first!.ts), 5_000_000_000n);
  assert.equal(parseCursor(beats[0]!.cursor!)?.day, DAY);
});

test('at an hb the client has the state of a snapshot with that cursor [DET-10] [DET-15]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  using other = await client(stream);
  one.send(subscribe('a', { params: { size: 7 } }));
  await one.find('snapshot');
  for (let second = 0; second < 60; second += 1) {
    if (second % 3 === 0) stream.trade({ price: 100 + (second % 5) }, { price: 100 });
    await stream.pass(1_000);
    other.send(subscribe(`${second}`, { params: { size: 7 } }));
    await other.find('snapshot', (it) => it.sub === `${second}`);
    other.send({ t: 'unsubscribe', sub: `${second}` });
  }
  await one.answered();
  const snapshots = other.messages.filter((it) => it.t === 'snapshot');
  const state = new Map<string, unknown>();
  let beats = 0;
  for (const message of one.messages) {
    if (message.t === 'upsert') {
      const { t: _t, sub: _sub, cursor: _cursor, ...object } = message;
      state.set(message.id, object);
    }
    if (message.t !== 'hb' || message.sub === undefined) continue;
    const snapshot = snapshots.find((it) => it.cursor === message.cursor);
    assert.deepEqual([...state.values()], snapshot?.items);
    beats += 1;
  }
  assert.ok(beats >= 11 && state.size >= 6);
});

test('status follows the market: live, closed outside the session, stale when the promise stays behind', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  const states = () => one.messages.flatMap((it) => (it.t === 'status' ? [it.state] : []));
  stream.clock.advance(5_000);
  await one.answered();
  assert.deepEqual(states(), ['warming', 'live']);
  stream.clock.advance(2_000);
  await one.find('status', (it) => it.state === 'stale');
  await stream.pass(2_000);
  await one.answered();
  assert.deepEqual(states(), ['warming', 'live', 'stale', 'live']);
  stream.clock.advance(9 * 3_600_000);
  await one.find('status', (it) => it.state === 'closed');
});

test('a source that is down: status down for running streams, SOURCE_DOWN for new ones [ERR-35]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  stream.hub.setSource('down');
  await one.find('status', (it) => it.state === 'down');
  one.send(subscribe('b'));
  assert.equal((await one.find('error', (it) => it.sub === 'b')).code, 'SOURCE_DOWN');
  assert.equal(stream.hub.state, 'down');
  stream.hub.setSource('up');
  await one.find('status', (it) => it.state === 'live');
  one.send(subscribe('b'));
  await one.find('snapshot', (it) => it.sub === 'b');
});

test('a lost engine ends every subscription and leaves the connection open', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  stream.loseEngine();
  await one.find('status', (it) => it.state === 'down');
  assert.equal((await one.find('error')).code, 'INTERNAL');
  one.send(subscribe('a'));
  await one.find('error', (it) => it.code === 'SOURCE_DOWN');
  assert.equal(stream.hub.state, 'down');
  assert.equal(stream.gateway.metrics.subscriptions, 0);
});

test('at a roll the alias starts afresh on its new contract: reset, subscribed, snapshot [EVT-06] [EVT-17] [INST-04]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  one.send(subscribe('alias', { instrument: 'A.c.0' }));
  one.send(subscribe('symbol', { instrument: 'AA' }));
  await one.find('snapshot', (it) => it.sub === 'alias');
  await one.find('snapshot', (it) => it.sub === 'symbol');
  stream.clock.advance(13 * 3_600_000);
  stream.promise();
  assert.equal(dayOf(stream.clock.now()), addDays(DAY, 1));
  const reset = await one.find('reset');
  assert.deepEqual(reset, { t: 'reset', sub: 'alias', reason: 'roll' });
  const isAfter = (message: ServerMessage) =>
    one.messages.indexOf(message) > one.messages.indexOf(reset);
  const subscribed = await one.find('subscribed', isAfter);
  assert.equal((subscribed as { contract?: string }).contract, 'BB');
  assert.equal(subscribed.instrument, 'A.c.0');
  await one.find('snapshot', (it) => it.sub === 'alias' && isAfter(it));
  await one.answered();
  assert.ok(!one.kinds('symbol').includes('reset'));
});

test('subscriptions beyond the limit are refused with QUOTA_EXCEEDED', async () => {
  await using stream = await InProcessStream.start({ subscriptionsMax: 2 });
  using one = await client(stream);
  for (const sub of ['a', 'b', 'c']) one.send(subscribe(sub));
  assert.equal((await one.find('error')).code, 'QUOTA_EXCEEDED');
  assert.equal((await one.find('error')).sub, 'c');
  one.send({ t: 'unsubscribe', sub: 'a' });
  one.send(subscribe('c'));
  await one.find('subscribed', (it) => it.sub === 'c');
});

test('connections beyond the limit close with 1013, and a later one works [CLOSE-07]', async () => {
  await using stream = await InProcessStream.start({ connectionsMax: 1 });
  const first = await client(stream);
  using second = new StreamClient(stream.url, BEARER);
  assert.equal((await second.closed).code, 1013);
  first.socket.close();
  await first.closed;
  while (stream.gateway.metrics.connections > 0) await turn();
  using third = await client(stream);
  assert.equal(third.messages.length, 1);
});

test('a reader that stops reading is closed with 4008 SLOW_CONSUMER and gone within a second or so', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  for (let sub = 0; sub < 50; sub += 1) {
    one.send(subscribe(`${sub}`.padEnd(60, 'x'), { indicator: 'footprint' }));
  }
  await one.find('snapshot', (it) => it.sub.startsWith('49'));
  const quick = await client(stream);
  quick.send(subscribe('a', { indicator: 'footprint' }));
  await quick.find('snapshot');
  one.socket.pause();
  for (let step = 0; stream.gateway.metrics.closesTotal[4008] === undefined; step += 1) {
    const trades = Array.from({ length: 60 }, (_, level) => ({ price: level, size: 1 + step }));
    stream.trade(...trades);
    stream.clock.advance(20);
    stream.promise();
    await turn();
    if (stream.gateway.metrics.subscriptions === 1) break;
    assert.ok(step < 3_000, 'never closed');
  }
  assert.equal(stream.gateway.metrics.subscriptions, 1);
  await quick.answered();
  one.socket.resume();
  const { code, reason } = await one.closed;
  // The close frame waits behind a megabyte that the peer may or may not read within the second.
  if (code !== 1006) assert.deepEqual([code, reason], [4008, 'SLOW_CONSUMER']);
  while (stream.gateway.metrics.connections > 1) await turn();
  assert.deepEqual(stream.gateway.metrics.closesTotal, { 4008: 1 });
  quick[Symbol.dispose]();
});

test('many large snapshots at once never make a healthy reader too slow', async () => {
  await using stream = await InProcessStream.start();
  for (let step = 0; step < 300; step += 1) {
    stream.trade(
      ...Array.from({ length: 12 }, (_, level) => ({ price: level * 3, size: 1 + step })),
    );
    await stream.pass(1_000);
  }
  using one = await client(stream);
  for (let sub = 0; sub < 40; sub += 1) {
    one.send(subscribe(`s${sub}`, { indicator: 'footprint', params: { size: 1, depth: 5_000 } }));
  }
  const snapshot = await one.find('snapshot', (it) => it.sub === 's39');
  assert.ok(JSON.stringify(snapshot).length * 40 > 3 * QUEUE_BYTES_MAX);
  await one.answered();
  assert.equal(stream.gateway.metrics.subscriptions, 40);
});

test('a shutdown tells every client to come back, closes with 1013 and ends within two seconds [EVT-25]', async () => {
  await using stream = await InProcessStream.start();
  using one = await client(stream);
  using deaf = await client(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  deaf.socket.pause();
  const started = performance.now();
  await stream.gateway.drain();
  assert.ok(performance.now() - started < 2_000);
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
  const one = await client(stream);
  one.send(subscribe('a'));
  await one.find('snapshot');
  one.socket.terminate();
  while (stream.gateway.metrics.connections > 0) await turn();
  assert.equal(stream.gateway.metrics.subscriptions, 0);
  assert.deepEqual(stream.hub.counts, { topics: 1, idleTopics: 1 });
  await stream.pass(61_000);
  assert.deepEqual(stream.hub.counts, { topics: 0, idleTopics: 0 });
  assert.equal(stream.clock.timerCount, timers);
  assert.deepEqual(stream.gateway.metrics.closesTotal, { 1006: 1 });
});
