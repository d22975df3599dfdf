/** What a network does to a feed: every end has a reason that an operator can read. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ownCertificate } from '../../../testing/rest/own-authority.ts';
import { webNetwork } from './network.ts';
import { reasonOf } from './reason-of.ts';

const DAY_MS = 86_400_000;
const WEBSOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Texts of 2 and 200 bytes, and bytes, as frames of a server. */
const FRAMES = Buffer.concat([
  Buffer.from([0x81, 2]),
  Buffer.from('ab'),
  Buffer.from([0x81, 126, 0, 200]),
  Buffer.alloc(200, 'c'),
  Buffer.from([0x82, 3, 1, 2, 3]),
]);
/** How many bytes there are behind each. */
const ENDS = [4, 208, FRAMES.length];

async function listening(t: TestContext, server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Why the connection ended, and what came before. */
async function connected(address: string) {
  const received: unknown[] = [];
  const ends: string[] = [];
  let waitMs: number | null = null;
  const closed = Promise.withResolvers<void>();
  webNetwork.connect(address, {
    opened: () => undefined,
    message: (message) => received.push(message),
    closed: (why, retryAfterMs = null) => {
      ends.push(why);
      waitMs = retryAfterMs;
      closed.resolve();
    },
  });
  await closed.promise;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(ends.length, 1);
  return { why: ends[0]!, waitMs, received };
}

async function requestError(url: string): Promise<string> {
  try {
    await webNetwork.request({ url }, new AbortController().signal);
  } catch (error) {
    return reasonOf(error);
  }
  return assert.fail('answered');
}

/** The answer to an attempt to connect, behind which a test writes frames byte by byte. */
function accept({ headers }: IncomingMessage, socket: Duplex): void {
  const key = `${headers['sec-websocket-key']}${WEBSOCKET}`;
  const digest = createHash('sha1').update(key).digest('base64');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  socket.write(`${lines.join('\r\n')}\r\nSec-WebSocket-Accept: ${digest}\r\n\r\n`);
}

const answering = (listener: RequestListener) => createServer(listener);

test('a name that does not exist, and a port where no one listens', async (t) => {
  const server = answering(() => undefined);
  const host = await listening(t, server);
  server.close();
  assert.match((await connected(`ws://${host}`)).why, /^could not connect: .*ECONNREFUSED/);
  assert.match(await requestError(`http://${host}`), /ECONNREFUSED/);
  const unknown = 'venue.invalid';
  assert.match((await connected(`ws://${unknown}`)).why, /ENOTFOUND venue|EAI_AGAIN venue/);
  assert.match(await requestError(`http://${unknown}`), /ENOTFOUND venue|EAI_AGAIN venue/);
  assert.match((await connected(`tcp://${unknown}:1`)).why, /ENOTFOUND venue|EAI_AGAIN venue/);
});

test('a certificate that has expired, and one of an unknown authority', async (t) => {
  for (const [now, pattern] of [
    [Date.now() - 10 * DAY_MS, /certificate has expired/],
    [null, /self-signed certificate/],
  ] as const) {
    const own = ownCertificate('127.0.0.1', now ?? Date.now());
    const before = getCACertificates('default');
    if (now !== null) setDefaultCACertificates([...before, own.cert]);
    t.after(() => setDefaultCACertificates(before));
    const host = await listening(t, createSecureServer(own));
    assert.match((await connected(`wss://${host}`)).why, pattern);
    assert.match(await requestError(`https://${host}`), pattern);
    setDefaultCACertificates(before);
  }
});

test('a venue that answers the attempt to connect with a status, and how long to wait then', async (t) => {
  for (const [status, after, ms] of [
    [403, null, 30_000],
    [418, '120', 120_000],
    [418, '1e300', 259_200_000],
    [429, null, 30_000],
    [429, '7', 7_000],
    [451, null, 30_000],
    [503, null, null],
    [503, '3', 3_000],
    [200, null, null],
  ] as const) {
    const headers: Record<string, string> = after === null ? {} : { 'retry-after': after };
    const host = await listening(
      t,
      answering((_request, response) => response.writeHead(status, headers).end('no')),
    );
    const { why, waitMs } = await connected(`ws://${host}`);
    assert.match(why, new RegExp(`^could not connect: .*${status}`));
    assert.equal(waitMs, ms, `${status} ${after}`);
  }
});

test('an answer that does not end is left before it fills the memory, and its connection too', async (t) => {
  const left = Promise.withResolvers<void>();
  const host = await listening(
    t,
    answering((_request, response) => {
      const piece = Buffer.alloc(1_024 * 1_024, ' ');
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', write).on('close', left.resolve);
      write();
    }),
  );
  assert.match(await requestError(`http://${host}`), /an answer of more than 16777216 characters/);
  await left.promise;
});

test('an answer that is cut off is no answer', async (t) => {
  const host = await listening(
    t,
    answering((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('[{"a":1}]');
      setImmediate(() => response.destroy());
    }),
  );
  assert.match(await requestError(`http://${host}`), /terminated|other side closed/);
});

test('cut at every byte of the frames, whole messages arrive and half ones never', async (t) => {
  let bytes = 0;
  const server = answering(() => undefined);
  server.on('upgrade', (request, socket) => {
    accept(request, socket);
    socket.end(FRAMES.subarray(0, bytes));
  });
  const host = await listening(t, server);
  const whole = ['ab', 'c'.repeat(200), Uint8Array.of(1, 2, 3)];
  for (bytes = 0; bytes <= FRAMES.length; bytes += 1) {
    const { why, received } = await connected(`ws://${host}`);
    assert.match(why, /^closed by the venue.* \(1006/);
    const count = ENDS.filter((end) => end <= bytes).length;
    assert.deepEqual(received, whole.slice(0, count), `${bytes}`);
  }
});

test('a message that is longer than any of a venue ends the connection before it fills the memory', async (t) => {
  const server = answering(() => undefined);
  server.on('upgrade', (request, socket) => {
    accept(request, socket);
    const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeUInt32BE(16 * 1_024 * 1_024 + 1, 6);
    socket.write(head);
  });
  const { why, received } = await connected(`ws://${await listening(t, server)}`);
  assert.match(why, /^closed by the venue: Max payload size exceeded/);
  assert.deepEqual(received, []);
});

test('a half-open connection whose peer does not read is left before it fills the memory', async (t) => {
  const server = answering(() => undefined);
  server.on('upgrade', (request, socket) => {
    accept(request, socket);
    socket.pause();
  });
  const host = await listening(t, server);
  const closed = Promise.withResolvers<string>();
  const socket = webNetwork.connect(`ws://${host}`, {
    opened: () => {
      for (let sent = 0; sent < 40; sent += 1) socket.send(new Uint8Array(1_024 * 1_024));
    },
    message: () => undefined,
    closed: closed.resolve,
  });
  assert.match(await closed.promise, /^the venue does not read/);
});
