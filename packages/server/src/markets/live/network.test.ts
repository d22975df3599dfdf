import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { webNetwork } from './network.ts';

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
