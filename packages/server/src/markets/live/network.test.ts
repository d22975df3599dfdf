import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { type ConnectionHandlers, webNetwork } from './network.ts';

async function stage(t: TestContext) {
  const server = createServer((request, response) => {
    response.writeHead(429, { 'retry-after': '7' });
    response.end(`asked ${request.url} as ${request.headers['x-key']}`);
  });
  const sockets = new WebSocketServer({ server });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    server.close();
  });
  return { sockets, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('messages go both ways, as text or bytes, until the venue closes', async (t) => {
  const { sockets, host } = await stage(t);
  const received: unknown[] = [];
  const closed = Promise.withResolvers<string>();
  sockets.on('connection', (socket) => {
    socket.send('hello');
    socket.send(Uint8Array.of(1, 2));
    socket.on('message', (data) => {
      received.push(String(data));
      socket.close(1_001, 'bye');
    });
  });
  const network = webNetwork.connect(`ws://${host}`, {
    opened: () => received.push('opened'),
    message: (message) => {
      received.push(message);
      if (typeof message !== 'string') network.send('thanks');
    },
    closed: closed.resolve,
  });
  assert.match(await closed.promise, /closed by the venue \(1001 bye\)/);
  assert.deepEqual(received, ['opened', 'hello', Uint8Array.of(1, 2), 'thanks']);
});

test('a connection that is closed here is gone at once, also when the venue does not agree', async (t) => {
  const { sockets, host } = await stage(t);
  sockets.on('connection', (socket) => socket.pause());
  const closed = Promise.withResolvers<string>();
  const opened = Promise.withResolvers<void>();
  const network = webNetwork.connect(`ws://${host}`, {
    opened: opened.resolve,
    message: () => assert.fail('a message'),
    closed: closed.resolve,
  });
  await opened.promise;
  const startMs = performance.now();
  network.close();
  await closed.promise;
  assert.ok(performance.now() - startMs < 10_000);
});

test('an address without a server is an end with a reason, not an exception', async (t) => {
  const { sockets, host } = await stage(t);
  sockets.close();
  const closed = Promise.withResolvers<string>();
  webNetwork.connect(`ws://${host}`, {
    opened: () => assert.fail('opened'),
    message: () => assert.fail('a message'),
    closed: closed.resolve,
  });
  assert.match(await closed.promise, /\(1006/);
});

test('a request returns status, headers and body, whatever they are', async (t) => {
  const { host } = await stage(t);
  const request = { url: `http://${host}/trades?from=1`, headers: { 'x-key': 'k' } };
  const answer = await webNetwork.request(request, new AbortController().signal);
  assert.equal(answer.status, 429);
  assert.equal(answer.headers['retry-after'], '7');
  assert.equal(answer.body, 'asked /trades?from=1 as k');
});

test('an aborted request rejects', async (t) => {
  const { host } = await stage(t);
  await assert.rejects(webNetwork.request({ url: `http://${host}/` }, AbortSignal.abort()));
});

async function tcpStage(t: TestContext, onSocket: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const closed = Promise.withResolvers<string>();
  const received: Uint8Array[] = [];
  const connect = (handlers: Partial<ConnectionHandlers> = {}) =>
    webNetwork.connect(address, {
      opened: () => undefined,
      message: (message) => received.push(message as Uint8Array),
      closed: closed.resolve,
      ...handlers,
    });
  return { server, address, connect, closed: closed.promise, received };
}

test('raw TCP: bytes in pieces of any length, until the venue closes', async (t) => {
  const { connect, closed, received } = await tcpStage(t, (socket) => {
    socket.write('hello ');
    socket.on('data', (data) => socket.end(`you said ${data}`));
  });
  const network = connect({ opened: () => network.send('a\n') });
  assert.equal(await closed, 'closed by the venue');
  assert.ok(received.every((piece) => piece.constructor === Uint8Array));
  assert.equal(Buffer.concat(received).toString(), 'hello you said a\n');
  network.send('too late');
  network.close();
});

test('raw TCP: a reset, a server that is not there and a wrong address are ends with reasons', async (t) => {
  const { server, address, connect, closed } = await tcpStage(t, (socket) => {
    socket.on('data', () => socket.resetAndDestroy());
  });
  const network = connect({ opened: () => network.send('hello') });
  assert.match(await closed, /^closed by the venue: .*ECONNRESET/);
  server.close();
  const refused = Promise.withResolvers<string>();
  webNetwork.connect(address, {
    opened: () => assert.fail('opened'),
    message: () => assert.fail('a message'),
    closed: refused.resolve,
  });
  assert.match(await refused.promise, /^could not connect: .*ECONNREFUSED/);
  const handlers = { opened() {}, message() {}, closed() {} };
  assert.throws(() => webNetwork.connect('tcp://127.0.0.1', handlers), /no address as tcp:/);
  assert.throws(() => webNetwork.connect('tcp:127.0.0.1:1', handlers), /no address as tcp:/);
});

test('raw TCP: a half-open connection ends when we close it, and closed is called once', async (t) => {
  const { connect } = await tcpStage(t, () => undefined);
  const ends: string[] = [];
  const closed = Promise.withResolvers<void>();
  const network = connect({
    opened: () => network.close(),
    closed: (why) => {
      ends.push(why);
      closed.resolve();
    },
  });
  await closed.promise;
  network.close();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(ends, ['closed']);
});

test('raw TCP: a paused socket makes the venue wait, and loses nothing', async (t) => {
  const bytes = 8 * 1_024 * 1_024;
  let isDrained = false;
  const { connect, closed, received } = await tcpStage(t, (socket) => {
    socket.end(new Uint8Array(bytes).fill(7), () => {
      isDrained = true;
    });
  });
  const read = () => received.reduce((sum, { length }) => sum + length, 0);
  const paused = Promise.withResolvers<void>();
  const network = connect({
    message: (message) => {
      received.push(message as Uint8Array);
      if (received.length > 1) return;
      network.pause?.(true);
      paused.resolve();
    },
  });
  await paused.promise;
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(read() < bytes / 2 && !isDrained);
  network.pause?.(false);
  await closed;
  assert.equal(read(), bytes);
});

test('raw TCP: a venue that does not read is left, before its messages fill the memory', async (t) => {
  const { connect, closed } = await tcpStage(t, (socket) => socket.pause());
  const network = connect({
    opened: () => {
      for (let sent = 0; sent < 40; sent += 1) network.send(new Uint8Array(1_024 * 1_024));
    },
  });
  assert.equal(await closed, 'the venue does not read');
});
