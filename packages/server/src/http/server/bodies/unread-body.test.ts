import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Problem } from '@tapeloom/protocol/problem';
import { RestService } from '../../../../testing/rest/rest-service.ts';

const MIB = 1024 ** 2;
const BODY = Buffer.alloc(4 * MIB, 'x');
const OK = 'GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

let service: RestService;
let port = 0;
let key = '';
before(async () => {
  service = await RestService.start();
  port = await service.listen();
  key = await service.customer('live_history');
});
after(() => service[Symbol.asyncDispose]());

const headOf = (lines: readonly string[], path = '/v1/keys') =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...lines,
    '\r\n',
  ].join('\r\n');
const chunked = (body: Buffer) =>
  Buffer.concat([
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';

/** A client that reads nothing before it has written everything. */
async function writesFirst(...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  for (const part of parts) {
    await new Promise<void>((resolve, reject) => {
      socket.write(part, (error) => (error == null ? resolve() : reject(error)));
    });
  }
  return await read(socket);
}

async function read(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.resume();
  await once(socket, 'close');
  return text;
}

test('a client that writes 4 MiB before it reads anything gets its 413, and its connection goes on [HTTP-02]', async () => {
  for (const [lines, body] of [
    [[LENGTH], BODY],
    [[CHUNKED], chunked(BODY)],
  ] as const) {
    const text = await writesFirst(headOf(lines), body, OK);
    assert.match(text, /^HTTP\/1\.1 413 .*HTTP\/1\.1 200 /s, String(lines));
    assert.match(text, /The body is larger than 16,384 bytes\./);
  }
});

test('a client that wants its connection closed gets its 413 too, and then the end', async () => {
  for (const [lines, body] of [
    [[LENGTH, 'Connection: close'], BODY],
    [[CHUNKED, 'Connection: close'], chunked(BODY)],
  ] as const) {
    assert.match(await writesFirst(headOf(lines), body), /^HTTP\/1\.1 413 .*"code":"INV/s);
  }
  const old = `POST /v1/keys HTTP/1.0\r\nAuthorization: Bearer ${key}\r\n${LENGTH}\r\nContent-Type: application/json\r\n\r\n`;
  assert.match(await writesFirst(old, BODY), /^HTTP\/1\.1 413 .*"code":"INV/s);
});

test('whatever refuses a large body before it is read can be read: 401, 404', async () => {
  const unknown = headOf([LENGTH, 'Connection: close'], '/v1/nothing');
  assert.match(await writesFirst(unknown, BODY), /^HTTP\/1\.1 404 /);
  const nobody = headOf([LENGTH, 'Connection: close']).replace(key, 'x');
  assert.match(await writesFirst(nobody, BODY), /^HTTP\/1\.1 401 /);
});

test('fetch and a plain client of Node get the 413 of a 4 MiB body', async () => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const body of [BODY, new Blob([BODY]).stream()]) {
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/keys`, init);
    assert.equal(answer.status, 413);
    assert.equal(((await answer.json()) as Problem).code, 'INVALID_PARAMETERS');
  }
  const sent = request({ port, method: 'POST', path: '/v1/keys', headers });
  const answered = once(sent, 'response');
  await new Promise<void>((resolve) => sent.end(BODY, resolve));
  const [answer] = await answered;
  assert.equal(answer.statusCode, 413);
  // Read to its end: a later test lets the time pass in which an answer may lie unread.
  await once(answer.resume(), 'end');
});

test('a body without end is cut after 16 MiB', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(headOf([`Content-Length: ${1024 * MIB}`]));
  let sent = 0;
  while (!socket.destroyed && sent < 64 * MIB) {
    const written = new Promise((resolve) => socket.write(BODY, resolve));
    await Promise.race([written, gone]);
    sent += BODY.length;
  }
  await gone;
  assert.ok(sent >= 16 * MIB && sent < 64 * MIB, `${sent} bytes`);
});

test('a body that does not come on is cut 10 s after its answer', async () => {
  const socket = connect(port, '127.0.0.1');
  const text = read(socket);
  socket.write(headOf([LENGTH]));
  await once(socket, 'data');
  service.clock.advance(9_999);
  await turn();
  assert.equal(socket.destroyed, false);
  service.clock.advance(1);
  assert.match(await text, /^HTTP\/1\.1 413 /);
});

test('a client that goes away in its body is no error in the log', async () => {
  const before = service.logged.length;
  for (const lines of [['Content-Length: 100'], [CHUNKED]]) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${headOf(lines)}${lines[0] === CHUNKED ? '5\r\n{"a":\r\n' : '{"a":'}`);
    const [received] = await once(service.http.app.server, 'request');
    await turn();
    socket.destroy();
    if (!received.closed) await once(received, 'close').catch(() => {});
    await turn();
  }
  assert.deepEqual(service.logged.slice(before), []);
});
