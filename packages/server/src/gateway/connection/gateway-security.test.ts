import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { onlyTimersBelow } from '../../../../../simulation/clock/short-timers.ts';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { pingText } from '../../../testing/stream/frame-vectors.ts';
import { InProcessStream, KEY } from '../../../testing/stream/in-process-stream.ts';
import { converse } from '../../../testing/stream/raw-conversation.ts';
import { StreamClient } from '../../../testing/stream/stream-client.ts';
import { closeFrame, OPCODE, wireFrame } from '../../../testing/stream/wire-frame.ts';
import { DoorSockets, socketLimits } from '../../platform/network/door-sockets.ts';

const BEARER = `Authorization: Bearer ${KEY}`;
const HANDSHAKE =
  'GET /v1 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n';
/** A socket that is still there by then never goes. */
const WAIT_LIMIT_MS = 180_000;
const PING = wireFrame({ opcode: OPCODE.text, payload: pingText('x'.repeat(64)) });

/** A socket that never reads, never answers and never ends by itself. */
function deafSocket({ port }: InProcessStream): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.pause();
  socket.write(`${HANDSHAKE}${BEARER}\r\n\r\n`);
  return socket;
}

/** Closed by our timers of less than a second, not by the ten seconds that `ws` itself would wait. */
async function allGone({ gateway }: InProcessStream): Promise<void> {
  const since = performance.now();
  while (gateway.metrics.connections > 0) {
    assert.ok(performance.now() - since < WAIT_LIMIT_MS, 'a socket is still there');
    await turn();
  }
}

/** Sixteen faulty fields, each named twice in the reply: 64 KiB get a response twice as large. */
const LARGE = wireFrame({
  opcode: OPCODE.text,
  payload: JSON.stringify({
    t: 'ping',
    ...Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`${at} `.padEnd(4_000, 'x'), 0])),
  }),
});

/** Sends until the kernels of both ends are full and answers are pending in the service, below its limit. */
async function clog(stream: InProcessStream, socket: Socket): Promise<void> {
  const { metrics } = stream.gateway;
  for (let sent = 1; metrics.messagesReceivedTotal === metrics.messagesSentTotal; sent += 1) {
    socket.write(LARGE);
    while (metrics.messagesReceivedTotal < sent) await turn();
  }
  assert.equal(metrics.connections, 1);
}

test('pings and pongs count toward the rate like messages: 100 at once pass, one more is 1008 [SEC-17] [FLOW-02] [FLOW-03] [CLOSE-05]', async () => {
  await using stream = await InProcessStream.start();
  const target = { port: stream.port, headers: [BEARER] };
  const [ping, pong] = [wireFrame({ opcode: OPCODE.ping }), wireFrame({ opcode: OPCODE.pong })];
  for (const kinds of [[ping], [pong], [ping, pong], [PING], [PING, ping, pong]]) {
    // The conversation has begun with a message.
    for (const [count, code] of [
      [99, 1000],
      [100, 1008],
      [1_000, 1008],
    ] as const) {
      const frames = Array.from({ length: count }, (_, index) => kinds[index % kinds.length]!);
      const got = await converse(target, Buffer.concat([...frames, closeFrame(1000)]));
      assert.equal(got.close, code, `${count} of ${kinds.length} kinds`);
    }
  }
});

test('a socket is gone within a second of its close frame, whatever the peer does [SEC-18]', async () => {
  using _ = onlyTimersBelow(1_000);
  const binary = wireFrame({ opcode: OPCODE.binary });
  const bad = wireFrame({ opcode: 3 });
  const half = wireFrame({ opcode: OPCODE.text, payload: 'x'.repeat(60_000) }).subarray(0, 30_000);
  const conducts: readonly (readonly [string, number, (socket: Socket) => void])[] = [
    ['stays silent', 1003, (socket) => socket.write(binary)],
    ['is malformed and stays', 1002, (socket) => socket.write(bad)],
    ['closes and stays', 1000, (socket) => socket.write(closeFrame(1000))],
    ['sends half a frame', 1003, (socket) => socket.write(Buffer.concat([binary, half]))],
    ['ends its side', 1003, (socket) => socket.end(binary)],
    ['ends its side with half a frame', 1006, (socket) => socket.end(half)],
    [
      'goes on sending',
      1003,
      (socket) => {
        socket.write(binary);
        const more = setInterval(() => socket.write(PING), 20);
        socket.on('close', () => clearInterval(more));
      },
    ],
  ];
  await Promise.all(
    conducts.map(async ([name, code, behave]) => {
      await using stream = await InProcessStream.start();
      const socket = deafSocket(stream);
      while (stream.gateway.metrics.connections === 0) await turn();
      behave(socket);
      await allGone(stream);
      assert.deepEqual(stream.gateway.metrics.closesTotal, { [code]: 1 }, name);
      socket.destroy();
    }),
  );
});

test('a peer that has ended its side and reads nothing keeps no socket, however much is pending [SEC-18]', async () => {
  using _ = onlyTimersBelow(1_000);
  const lastWords = [Buffer.alloc(0), closeFrame(1000), wireFrame({ opcode: 3 })];
  await Promise.all(
    lastWords.map(async (words) => {
      await using stream = await InProcessStream.start();
      const socket = deafSocket(stream);
      await clog(stream, socket);
      socket.end(words);
      await allGone(stream);
      socket.destroy();
    }),
  );
});

test('a peer that is refused and does not let go keeps no socket [SEC-18]', async () => {
  await using stream = await InProcessStream.start({
    sockets: new DoorSockets({ ...socketLimits(10), streams: 0 }),
  });
  const refused = await converse({ port: stream.port, headers: [BEARER] }, Buffer.alloc(0), {
    waitsForPongs: false,
    goodbye: 'stay',
  });
  assert.equal(refused.close, 1013);
});

test('an auth that arrives in one packet with the handshake is not lost [SEC-19]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const auth = (token: string) =>
    wireFrame({ opcode: OPCODE.text, payload: JSON.stringify({ t: 'auth', token }) });
  const socket = connect(desk.stream.port, '127.0.0.1');
  const frames = [auth(await desk.accounts.token(key)), PING, auth('ignored by now'), PING];
  socket.write(Buffer.concat([Buffer.from(`${HANDSHAKE}\r\n`), ...frames]));
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.split('"t":"pong"').length > 2) break;
  }
  assert.match(text, /^HTTP\/1\.1 101 /);
  assert.deepEqual(desk.usedKeys, [key.record.id]);
});

test('cookies are never looked at, and open nothing [SEC-20]', async () => {
  await using stream = await InProcessStream.start();
  const reads: string[] = [];
  const http = createServer();
  http.on('upgrade', (request, socket, head) => {
    const headers = new Proxy(request.headers, {
      get(target, name) {
        reads.push(String(name));
        return Reflect.get(target, name);
      },
      ownKeys: () => assert.fail('all headers were listed'),
    });
    Object.defineProperty(request, 'headers', { value: headers });
    const raw = new Proxy(request.rawHeaders, {
      get(target, at) {
        // Names may be read, and the value behind one is read under that name.
        if (Number(at) % 2 === 1) reads.push(target[Number(at) - 1]!.toLowerCase());
        return Reflect.get(target, at);
      },
      ownKeys: () => assert.fail('all headers were listed'),
    });
    Object.defineProperty(request, 'rawHeaders', { value: raw });
    Object.defineProperty(request, 'headersDistinct', { get: () => assert.fail('was read') });
    stream.gateway.handleUpgrade(request, socket, head);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  const cookie = `session=${KEY}; token=${KEY}; authorization=Bearer ${KEY}; __Host-session=${KEY}`;
  using one = await new StreamClient(url, undefined, {
    cookie,
    origin: 'https://evil.test',
  }).opened();
  one.send({ t: 'ping' });
  assert.equal((await one.closed).code, 4001);
  using known = await new StreamClient(url, `Bearer ${KEY}`, { cookie }).opened();
  await known.answered();
  assert.ok(reads.includes('authorization'));
  assert.ok(!reads.includes('cookie'));
  http.close();
  http.closeAllConnections();
});
