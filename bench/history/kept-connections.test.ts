import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { KeptConnections } from './kept-connections.ts';

const LARGE = Buffer.alloc(300_000, 'x');

async function serving(): Promise<{ server: Server; port: number; opened: () => number }> {
  let opened = 0;
  const server = createServer((request, response) => {
    if (request.url === '/never') return;
    if (request.url === '/chunked') {
      response.write(LARGE);
      response.end('end');
    } else {
      response.statusCode = request.headers.authorization === 'Bearer key' ? 200 : 401;
      response.setHeader('content-length', LARGE.length).end(LARGE);
    }
  });
  server.on('connection', () => {
    opened += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, opened: () => opened };
}

test('answers come whole, over a connection that is kept', async () => {
  const { server, port, opened } = await serving();
  using _ = { [Symbol.dispose]: () => server.close() };
  using connections = new KeptConnections();
  const get = async (path: string, headers: Record<string, string>) => {
    let bytes = 0;
    const request = { port, path, headers, signal: undefined };
    const status = await connections.get(request, (part) => {
      bytes += part.length;
    });
    return { status, bytes };
  };
  const authorization = 'Bearer key';
  assert.deepEqual(await get('/', { authorization }), { status: 200, bytes: LARGE.length });
  assert.deepEqual(await get('/chunked', {}), { status: 200, bytes: LARGE.length + 3 });
  assert.deepEqual(await get('/', {}), { status: 401, bytes: LARGE.length });
  assert.equal(opened(), 1);
});

test('who gives a request up is told why, and another connection serves the next', async () => {
  const { server, port, opened } = await serving();
  using _ = { [Symbol.dispose]: () => server.close() };
  using connections = new KeptConnections();
  const gone = new AbortController();
  const request = { port, path: '/never', headers: {}, signal: gone.signal };
  const asked = connections.get(request, () => {});
  gone.abort(new Error('no longer wanted'));
  await assert.rejects(asked, /no longer wanted/);
  const next = { port, path: '/chunked', headers: {}, signal: undefined };
  assert.equal(await connections.get(next, () => {}), 200);
  assert.equal(opened() <= 2, true);
});
