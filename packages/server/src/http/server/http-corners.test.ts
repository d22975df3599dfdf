import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import type { AnsweredRequest } from '../../platform/log/access-log.ts';

const KEY_BODY = JSON.stringify({ name: 'x', environment: 'live', scopes: ['stream'] });
const INVALID = 'INVALID_PARAMETERS';

let service: RestService;
let port = 0;
let key = '';
before(async () => {
  service = await RestService.start();
  port = await service.listen();
  key = await service.customer('live_history');
});
after(() => service[Symbol.asyncDispose]());

/** A connection that writes on demand, and all the text that came back. */
class Line {
  readonly #socket: Socket;
  text = '';

  constructor(at = port) {
    this.#socket = connect(at, '127.0.0.1');
    this.#socket.setEncoding('utf8').on('data', (part: string) => {
      this.text += part;
    });
  }

  write(lines: readonly string[], body = ''): this {
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return this;
  }

  send(body: string): void {
    this.#socket.write(body);
  }

  async seen(words: string): Promise<void> {
    while (!this.text.includes(words)) await turn();
  }

  async closed(): Promise<string> {
    if (!this.#socket.closed) await once(this.#socket, 'close');
    return this.text;
  }
}

function problem(text: string, status: number, code: ErrorCode) {
  const [head, body] = text.split('\r\n\r\n') as [string, string];
  assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
  const fields = head
    .split('\r\n')
    .slice(1)
    .map((line) => [line.split(': ')[0]!.toLowerCase(), line.slice(line.indexOf(': ') + 2)]);
  const headers = Object.fromEntries(fields) as Record<string, string>;
  checkProblem({ status, headers, body: JSON.parse(body) }, DOCS_URL, { status, code });
  return headers;
}

test('two lines of Host, or one that names no host, are 400', async () => {
  const ask = async (...hosts: readonly string[]) => {
    const lines = hosts.map((host) => `Host: ${host}`);
    const request = ['GET /v1/status HTTP/1.1', ...lines, 'Connection: close'];
    return await new Line().write(request).closed();
  };
  for (const host of ['a.example', 'a.example:8080', '127.0.0.1:80', '[::1]:8080', 'localhost']) {
    assert.match(await ask(host), /^HTTP\/1\.1 200 /, host);
  }
  for (const host of ['a b', 'a/b', 'me@a.example', 'a.example:x', '[::1', 'a\\b', '"a"']) {
    problem(await ask(host), 400, INVALID);
  }
  problem(await ask('a.example', 'b.example'), 400, INVALID);
  problem(await ask('a.example', 'a.example'), 400, INVALID);
});

test('an encoded body is 415 INVALID_PARAMETERS, and names what is taken [HTTP-05]', async () => {
  const post = async (encoding: string) => {
    const head = [
      'POST /v1/keys HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Encoding: ${encoding}`,
      `Content-Length: ${KEY_BODY.length}`,
      'Connection: close',
    ];
    return await new Line().write(head, KEY_BODY).closed();
  };
  for (const encoding of ['gzip', 'zstd', 'br', 'identity, gzip']) {
    const headers = problem(await post(encoding), 415, INVALID);
    assert.equal(headers['accept-encoding'], 'identity');
  }
  assert.match(await post('identity'), /^HTTP\/1\.1 201 /);
});

test('an address that is too long is 414, header fields that are too large are 400', async () => {
  const long = 'x'.repeat(20_000);
  const asked = [`GET /v1/status?${long} HTTP/1.1`, 'Host: x'];
  problem(await new Line().write(asked).closed(), 414, INVALID);
  const cookie = ['GET /v1/status HTTP/1.1', 'Host: x', `Cookie: ${long}`];
  problem(await new Line().write(cookie).closed(), 400, INVALID);
});

test('a body that is announced with 100-continue is asked for when the request is let in and small enough', async () => {
  const head = (secret: string, bytes: number) => [
    'POST /v1/keys HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
    'Expect: 100-continue',
  ];
  const good = new Line().write(head(key, KEY_BODY.length));
  await good.seen('HTTP/1.1 100 Continue\r\n\r\n');
  good.send(KEY_BODY);
  await good.seen('HTTP/1.1 201 ');
  for (const [secret, bytes, status, code] of [
    ['svc_live_unknown', KEY_BODY.length, 401, 'UNAUTHORIZED'],
    [key, 20_000, 413, INVALID],
  ] as const) {
    const text = await new Line().write(head(secret, bytes)).closed();
    assert.doesNotMatch(text, /100 Continue/);
    problem(text, status, code);
  }
});

test('CONNECT is 405 and says what is allowed', async () => {
  const text = await new Line().write(['CONNECT /v1/keys HTTP/1.1', 'Host: x']).closed();
  assert.match(problem(text, 405, 'NOT_FOUND').allow!, /GET/);
});

test('what was refused before it could be a request is told by its id', async () => {
  const told: AnsweredRequest[] = [];
  await using watched = await RestService.start({
    onUpgrade: (_request, socket) => socket.destroy(),
    onRefused: (request) => told.push(request),
  });
  const at = await watched.listen();
  const upgrade = ['Host: x', 'Upgrade: websocket', 'Connection: Upgrade'];
  const ids: string[] = [];
  for (const lines of [
    ['GET /v1?token=hunter2 HTTP/1.1', ...upgrade, 'Sec-WebSocket-Version: 8'],
    ['POST /v1 HTTP/1.1', ...upgrade],
    ['this is no HTTP'],
  ]) {
    const line = new Line(at).write(lines);
    ids.push(/^x-request-id: (\S+)\r$/m.exec(await line.closed())![1]!);
  }
  assert.deepEqual(
    told.map(({ id }) => id),
    ids,
  );
  assert.deepEqual(
    told.map(({ method, path, status }) => [method, path, status]),
    [
      ['GET', '/v1', 400],
      ['POST', '/v1', 405],
      ['', '', 400],
    ],
  );
});
