import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import { ERROR_CODES, type ErrorCode, errorAnchor } from '@tapeloom/protocol/error-codes';
import type { Problem } from '@tapeloom/protocol/problem';
import { Type } from 'typebox';
import { DevKeyAuthenticator } from '../accounts/dev-key-authenticator.ts';
import { createLog } from '../platform/log.ts';
import { createHttpServer } from './http-server.ts';
import { defineRoute } from './route.ts';

const DOCS = 'https://docs.example/api';
const KEY = 'svc_live_0123456789abcdefghijklmnopq';

const echo = defineRoute({
  method: 'POST',
  path: '/v1/echo',
  operationId: 'echo',
  summary: 'Test only: takes a body.',
  access: 'public',
  query: Type.Object({ dry: Type.Optional(Type.String()) }, { additionalProperties: false }),
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 16_384 }),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
      tags: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
      'a/b~c': Type.Optional(Type.Object({ x: Type.Integer() }, { additionalProperties: false })),
    },
    { additionalProperties: false },
  ),
  answer: Type.Object({ length: Type.Integer() }),
  handle: ({ body }) => ({ length: body.name.length }),
});
const locked = defineRoute({
  method: 'GET',
  path: '/v1/locked',
  operationId: 'locked',
  summary: 'Test only: needs a key.',
  access: 'key',
  answer: Type.Object({ account: Type.String() }),
  handle: ({ principal }) => ({ account: principal!.accountId }),
});
const broken = defineRoute({
  method: 'GET',
  path: '/v1/broken',
  operationId: 'broken',
  summary: 'Test only: fails.',
  access: 'public',
  answer: Type.Object({}),
  handle: () => {
    throw new Error('the wine is in the cellar');
  },
});

const logged: string[] = [];
const server = createHttpServer({
  routes: [echo, locked, broken],
  authenticator: new DevKeyAuthenticator(KEY),
  log: createLog({ level: 'info', readable: false, write: (line) => logged.push(line) }),
  docsUrl: () => DOCS,
});
let port = 0;
before(async () => {
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  port = (server.app.server.address() as AddressInfo).port;
});
after(() => server.app.close());

const seenIds = new Set<string>();

/** Checks everything that holds for every error, and returns the document for the rest. */
async function problemFrom(response: Response, status: number, code: ErrorCode): Promise<Problem> {
  assert.equal(response.status, status);
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return checkProblem(await response.json(), status, code, response.headers.get('x-request-id'));
}

function checkProblem(body: unknown, status: number, code: ErrorCode, id: string | null): Problem {
  const problem = body as Problem;
  assert.equal(problem.status, status);
  assert.equal(problem.code, code);
  assert.ok(ERROR_CODES[problem.code].statuses.some((allowed) => allowed === status));
  assert.equal(problem.type, `${DOCS}/errors#${errorAnchor(code)}`);
  assert.equal(typeof problem.title, 'string');
  assert.notEqual(problem.title, '');
  assert.equal(typeof problem.detail, 'string');
  assert.notEqual(problem.detail, '');
  assert.match(problem.instance, /^req_[0-9a-f]{32}$/);
  assert.equal(problem.instance, id);
  assert.ok(!seenIds.has(problem.instance), 'request ids are unique');
  seenIds.add(problem.instance);
  if (code === 'INVALID_PARAMETERS') {
    assert.ok(Array.isArray(problem.errors) && problem.errors.length > 0);
    for (const fault of problem.errors) {
      assert.deepEqual(Object.keys(fault).sort(), ['message', 'path']);
      assert.match(fault.path, /^(?:\/(?:[^~/]|~[01])*)*$/);
    }
  }
  return problem;
}

const request = (path: string, init?: RequestInit) =>
  fetch(`http://127.0.0.1:${port}${path}`, init);
const post = (body: string, type = 'application/json', path = '/v1/echo') =>
  request(path, { method: 'POST', body, headers: { 'content-type': type } });
const pathsOf = (problem: Problem) => problem.errors!.map(({ path }) => path);

/** Sends raw bytes and returns what came back when the server closed the connection. */
async function rawExchange(bytes: string): Promise<{ head: string; body: unknown }> {
  const socket = connect(port, '127.0.0.1');
  socket.end(bytes);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  const [head, body] = text.split('\r\n\r\n') as [string, string];
  return { head, body: body === '' || body === undefined ? null : JSON.parse(body) };
}
const idIn = (head: string) => /x-request-id: (\S+)/i.exec(head)?.[1] ?? null;

test('an unknown path is 404 NOT_FOUND with every field of the error document [HTTP-06] [ERR-01] [ERR-03] [ERR-04] [ERR-05] [ERR-06] [ERR-07] [ERR-08]', async () => {
  for (const path of ['/v1/nothing', '/v1/echo/', '/v1/ECHO', '/', '//v1/echo', '/v1', '/v1/']) {
    await problemFrom(await request(path), 404, 'NOT_FOUND');
  }
  await problemFrom(await post('no json', 'text/plain', '/v1/nothing'), 404, 'NOT_FOUND');
  await problemFrom(await post('x'.repeat(20_000), 'text/plain', '/x'), 404, 'NOT_FOUND');
});

test('a path without the prefix /v1 is not the REST API [VER-01]', async () => {
  for (const path of ['/echo', '/locked', '/v2/locked', '/api/v1/locked']) {
    await problemFrom(await request(path), 404, 'NOT_FOUND');
  }
});

test('an unknown method on a known path is 405 with Allow, whatever its body [HTTP-07]', async () => {
  for (const method of ['PUT', 'DELETE', 'PATCH', 'PROPFIND', 'QUERY', 'GET']) {
    const response = await request('/v1/echo', {
      method,
      ...(method === 'GET' ? {} : { body: 'x' }),
    });
    assert.equal(response.headers.get('allow'), 'POST, OPTIONS');
    await problemFrom(response, 405, 'NOT_FOUND');
  }
  const post = await request('/v1/locked', { method: 'POST', body: '{}' });
  assert.equal(post.headers.get('allow'), 'GET, HEAD, OPTIONS');
  await problemFrom(post, 405, 'NOT_FOUND');
  const { head, body } = await rawExchange('CONNECT /v1/echo HTTP/1.1\r\nHost: x\r\n\r\n');
  checkProblem(body, 405, 'NOT_FOUND', idIn(head));
});

test('HEAD answers as GET without a body, OPTIONS says what a path allows', async () => {
  const head = await request('/v1/locked', {
    method: 'HEAD',
    headers: { authorization: `Bearer ${KEY}` },
  });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), '');
  assert.equal((await request('/v1/locked', { method: 'HEAD' })).status, 401);
  const options = await request('/v1/locked', { method: 'OPTIONS' });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get('allow'), 'GET, HEAD, OPTIONS');
  await problemFrom(await request('/v1/nothing', { method: 'OPTIONS' }), 404, 'NOT_FOUND');
});

test('a body of 16,384 bytes passes and one of 16,385 is 413 INVALID_PARAMETERS [HTTP-02] [HTTP-03] [ERR-17]', async () => {
  const bodyOf = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
  assert.equal(bodyOf(16_384).length, 16_384);
  const fits = await post(bodyOf(16_384));
  assert.equal(fits.status, 200);
  assert.deepEqual(await fits.json(), { length: 16_373 });
  await problemFrom(await post(bodyOf(16_385)), 413, 'INVALID_PARAMETERS');
  const chunked = await request('/v1/echo', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([bodyOf(16_385)]).stream(),
    duplex: 'half',
  } as RequestInit);
  await problemFrom(chunked, 413, 'INVALID_PARAMETERS');
});

test('a body that is not JSON is 415 INVALID_PARAMETERS, by its type or its text [HTTP-04] [HTTP-05] [ERR-17]', async () => {
  const wrong: [string, string][] = [
    ['plain text', 'text/plain'],
    ['name=x', 'application/x-www-form-urlencoded'],
    ['{"name":"x"}', 'text/plain'],
    ['{"name":"x"}', 'application/json5'],
    ['{"name":"x"}', 'multipart/form-data; boundary=x'],
    ['{"name":"x"', 'application/json'],
    ['{name:1}', 'application/json'],
    ['{"name":"x"}{}', 'application/json'],
    ['NaN', 'application/json'],
    ['\ufeff{"name":"x"}', 'application/json'],
  ];
  for (const [body, type] of wrong) {
    const problem = await problemFrom(await post(body, type), 415, 'INVALID_PARAMETERS');
    assert.deepEqual(pathsOf(problem), [''], `${type} ${body}`);
  }
  const badUtf8 = await request('/v1/echo', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  });
  await problemFrom(badUtf8, 415, 'INVALID_PARAMETERS');
});

test('a missing body is 400 at the pointer of the whole body', async () => {
  for (const init of [{}, { headers: { 'content-type': 'application/json' } }]) {
    const response = await request('/v1/echo', { method: 'POST', ...init });
    assert.deepEqual(pathsOf(await problemFrom(response, 400, 'INVALID_PARAMETERS')), ['']);
  }
  for (const body of ['null', '[]', '7', '"x"']) {
    assert.deepEqual(pathsOf(await problemFrom(await post(body), 400, 'INVALID_PARAMETERS')), ['']);
  }
});

test('every faulty field is named by its pointer, and nothing is coerced or dropped [ERR-09] [ERR-13] [SEC-22]', async () => {
  const cases: [string, string[]][] = [
    ['{}', ['/name']],
    ['{"name":7}', ['/name']],
    ['{"name":""}', ['/name']],
    ['{"name":"x","count":"3"}', ['/count']],
    ['{"name":"x","count":1.5}', ['/count']],
    ['{"name":"x","count":11}', ['/count']],
    ['{"name":"x","count":1e999}', ['/count']],
    ['{"name":"x","extra":1}', ['/extra']],
    ['{"extra":1,"count":0}', ['/count', '/extra', '/name']],
    ['{"name":"x","tags":["a",1,"b",2]}', ['/tags', '/tags/1', '/tags/3']],
    ['{"name":"x","tags":"a"}', ['/tags']],
    ['{"name":"x","a/b~c":{"x":"1"}}', ['/a~1b~0c/x']],
    ['{"name":"x","a/b~c":{"x":1,"y/z":2}}', ['/a~1b~0c/y~1z']],
  ];
  for (const [body, paths] of cases) {
    const problem = await problemFrom(await post(body), 400, 'INVALID_PARAMETERS');
    assert.deepEqual(pathsOf(problem).sort(), paths, body);
  }
});

test('an unknown, repeated or poisoned query field is 400 at its pointer [SEC-22]', async () => {
  for (const [query, path] of [
    ['?nothing=1', '/nothing'],
    ['?dry=1&dry=2', '/dry'],
    ['?__proto__=1', '/__proto__'],
    ['?constructor=1', '/constructor'],
  ] as const) {
    const response = await post('{"name":"x"}', 'application/json', `/v1/echo${query}`);
    assert.deepEqual(pathsOf(await problemFrom(response, 400, 'INVALID_PARAMETERS')), [path]);
  }
});

test('prototype traps and deep nesting are refused, and no content type skips validation [SEC-22]', async () => {
  const deep = `{"name":${'['.repeat(40)}${']'.repeat(40)}}`;
  for (const [body, path] of [
    ['{"name":"x","__proto__":{"count":1}}', '/__proto__'],
    ['{"name":"x","a/b~c":{"\\u005f_proto__":1}}', '/a~1b~0c/__proto__'],
    ['{"name":"x","constructor":{"prototype":{}}}', '/constructor'],
    [deep, `/name${'/0'.repeat(15)}`],
  ] as const) {
    const problem = await problemFrom(await post(body), 400, 'INVALID_PARAMETERS');
    assert.deepEqual(pathsOf(problem), [path]);
  }
  assert.equal(({} as { count?: number }).count, undefined);
  for (const type of [
    'application/json;charset=utf-8',
    'APPLICATION/JSON',
    'application/json ;a=b',
    'application/json\t',
  ]) {
    const problem = await problemFrom(await post('{"name":7}', type), 400, 'INVALID_PARAMETERS');
    assert.deepEqual(pathsOf(problem), ['/name'], type);
  }
});

test('a keyed route needs a key, and says whether one was sent', async () => {
  const get = (headers: Record<string, string>) => request('/v1/locked', { headers });
  const missing = await get({});
  assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm=service');
  await problemFrom(missing, 401, 'UNAUTHORIZED');
  for (const authorization of [
    KEY,
    `Basic ${KEY}`,
    `Bearer ${KEY}x`,
    'Bearer',
    'Bearer svc_live_x',
  ]) {
    const refused = await get({ authorization });
    const challenge = refused.headers.get('www-authenticate');
    assert.equal(challenge, 'Bearer realm=service, error=invalid_token', authorization);
    const problem = await problemFrom(refused, 401, 'UNAUTHORIZED');
    assert.ok(!JSON.stringify(problem).includes('svc_'));
  }
  const accepted = await get({ authorization: `bEaReR ${KEY}` });
  assert.deepEqual(await accepted.json(), { account: 'development' });
  assert.match(accepted.headers.get('x-request-id')!, /^req_/);
  assert.equal(accepted.headers.get('cache-control'), 'no-store');
});

test('an unexpected failure is 500 INTERNAL and reveals a request id and nothing else [ERR-37]', async () => {
  const response = await request('/v1/broken');
  const problem = await problemFrom(response, 500, 'INTERNAL');
  assert.ok(!JSON.stringify(problem).includes('cellar'));
  const line = logged.find((entry) => entry.includes(problem.instance));
  assert.ok(line?.includes('the wine is in the cellar'), 'the log has the cause');
});

test('malformed addresses and broken HTTP get the error document too [ERR-01]', async () => {
  await problemFrom(await request('/v1/%zz'), 400, 'INVALID_PARAMETERS');
  const get = (head: string) => rawExchange(`GET /v1/locked HTTP/1.1\r\nHost: x\r\n${head}\r\n`);
  for (const exchange of [
    () => rawExchange('no http at all\r\n\r\n'),
    () => rawExchange('GET / HTTP/9.9\r\n\r\n'),
    () => rawExchange('BREW /v1/locked HTTP/1.1\r\nHost: x\r\n\r\n'),
    () => get(`X-Large: ${'x'.repeat(20_000)}\r\n`),
    () => get('Bad Header: x\r\n'),
    () => get('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
    () => get('Expect: the-spanish-inquisition\r\n'),
  ]) {
    const { head, body } = await exchange();
    assert.match(head, /^HTTP\/1\.1 400 /);
    assert.match(head, /content-type: application\/problem\+json/i);
    checkProblem(body, 400, 'INVALID_PARAMETERS', idIn(head));
  }
});

test('a server that is stopping refuses with 503 CAPACITY and Retry-After', async () => {
  const stopping = createHttpServer({
    routes: [locked],
    authenticator: new DevKeyAuthenticator(KEY),
    log: createLog({ level: 'silent', readable: false, write: () => {} }),
    docsUrl: () => DOCS,
  });
  stopping.stopAccepting();
  const response = await stopping.app.inject({ method: 'GET', url: '/v1/locked' });
  assert.equal(response.headers['retry-after'], '2');
  checkProblem(response.json(), 503, 'CAPACITY', String(response.headers['x-request-id']));
  await stopping.app.close();
});
