import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { Problem } from '@tapeloom/protocol/problem';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import type { AnsweredRequest } from '../../platform/log/access-log.ts';

const KEY_BODY = { name: 'x', environment: 'live', scopes: ['stream'] };
const INVALID = 'INVALID_PARAMETERS';

let service: RestService;
let port = 0;
/** A key of an account with a large allowance. */
let key = '';
before(async () => {
  service = await RestService.start();
  port = await service.listen();
  key = await service.customer('live_history');
});
after(() => service[Symbol.asyncDispose]());

const request = (path: string, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${key}`, ...init.headers };
  return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
};
const post = (
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
  path = '/v1/keys',
) => request(path, { method: 'POST', body, headers: { 'content-type': type } });

/** Checks everything that holds for every error, and returns the document for the rest. */
async function problemFrom(response: Response, status: number, code: ErrorCode): Promise<Problem> {
  const headers = Object.fromEntries(response.headers);
  const answer = { status: response.status, headers, body: (await response.json()) as unknown };
  return checkProblem(answer, DOCS_URL, { status, code });
}
const pathsOf = (problem: Problem) => problem.errors!.map(({ path }) => path).sort();

/** Sends raw bytes and returns what came back when the server closed the connection. */
async function rawExchange(bytes: string, target = port): Promise<string> {
  const socket = connect(target, '127.0.0.1');
  socket.end(bytes);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

function rawProblem(text: string, status: number, code: ErrorCode): Problem {
  const [head, body] = text.split('\r\n\r\n') as [string, string];
  assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(': ') as [string, string])
      .map(([name, value]) => [name.toLowerCase(), value]),
  );
  return checkProblem({ status, headers, body: JSON.parse(body) }, DOCS_URL, { status, code });
}

test('an unknown path is 404 NOT_FOUND with every field of the error document [HTTP-06] [ERR-01] [ERR-03] [ERR-04] [ERR-05] [ERR-06] [ERR-07] [ERR-08] [ERR-32]', async () => {
  for (const path of ['/v1/nothing', '/v1/usage/', '/v1/KEYS', '/', '//v1/keys', '/v1', '/v1/']) {
    await problemFrom(await request(path), 404, 'NOT_FOUND');
  }
  await problemFrom(await post('no json', 'text/plain', '/v1/nothing'), 404, 'NOT_FOUND');
  await problemFrom(await post('x'.repeat(20_000), 'text/plain', '/x'), 404, 'NOT_FOUND');
});

test('a path without the prefix /v1 is not the REST API [VER-01]', async () => {
  for (const path of ['/keys', '/usage', '/v2/keys', '/api/v1/keys']) {
    await problemFrom(await request(path), 404, 'NOT_FOUND');
  }
});

test('an unknown method on a known path is 405 with Allow, whatever its body [HTTP-07]', async () => {
  for (const [path, allow] of [
    ['/v1/keys', 'POST, GET, HEAD, OPTIONS'],
    ['/v1/usage', 'GET, HEAD, OPTIONS'],
    ['/v1/keys/some', 'DELETE, OPTIONS'],
    ['/v1/keys/some/rotate', 'POST, OPTIONS'],
    ['/v1/indicators', 'GET, HEAD, OPTIONS'],
  ] as const) {
    for (const method of ['PUT', 'PATCH', 'PROPFIND', 'QUERY']) {
      const response = await request(path, { method, body: 'x' });
      assert.equal(response.headers.get('allow'), allow);
      await problemFrom(response, 405, 'NOT_FOUND');
    }
  }
  const anonymous = await service.request('PUT', '/v1/keys', { body: 'x' });
  checkProblem(anonymous, DOCS_URL, { status: 405, code: 'NOT_FOUND' });
  rawProblem(await rawExchange('CONNECT /v1/keys HTTP/1.1\r\nHost: x\r\n\r\n'), 405, 'NOT_FOUND');
});

test('HEAD answers as GET without a body, OPTIONS says what a path allows', async () => {
  const get = await request('/v1/instruments');
  const head = await request('/v1/instruments', { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
  assert.equal(await head.text(), '');
  assert.equal((await service.request('HEAD', '/v1/usage')).status, 401);
  const options = await request('/v1/keys', { method: 'OPTIONS', body: 'x' });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get('allow'), 'POST, GET, HEAD, OPTIONS');
  await problemFrom(await request('/v1/nothing', { method: 'OPTIONS' }), 404, 'NOT_FOUND');
});

test('a JSON object is accepted where a route takes a body [HTTP-01]', async () => {
  const created = await post(JSON.stringify(KEY_BODY));
  assert.equal(created.status, 201);
  const { id } = (await created.json()) as { id: string };
  const rotated = await post('{ "gracePeriodSeconds": 0 }', undefined, `/v1/keys/${id}/rotate`);
  assert.equal(rotated.status, 201);
  assert.equal((await post('{}', undefined, '/v1/stream-tokens')).status, 201);
});

test('a body of 16,384 bytes passes and one of 16,385 is 413 INVALID_PARAMETERS [HTTP-02] [HTTP-03] [ERR-17]', async () => {
  const bodyOf = (bytes: number) => JSON.stringify(KEY_BODY).padEnd(bytes);
  assert.equal((await post(bodyOf(16_384))).status, 201);
  await problemFrom(await post(bodyOf(16_385)), 413, INVALID);
  const chunked = { body: new Blob([bodyOf(16_385)]).stream(), duplex: 'half' } as RequestInit;
  const headers = { 'content-type': 'application/json' };
  await problemFrom(
    await request('/v1/keys', { method: 'POST', headers, ...chunked }),
    413,
    INVALID,
  );
  await problemFrom(await post(bodyOf(16_385), undefined, '/v1/stream-tokens'), 413, INVALID);
});

test('a body that is not JSON is 415 INVALID_PARAMETERS, by its type or its text [HTTP-04] [HTTP-05] [ERR-17]', async () => {
  const whole = JSON.stringify(KEY_BODY);
  const wrong: [string | Uint8Array<ArrayBuffer>, string][] = [
    ['plain text', 'text/plain'],
    ['name=x', 'application/x-www-form-urlencoded'],
    [whole, 'text/plain'],
    [whole, 'application/json5'],
    [whole, 'application/problem+json'],
    [whole, 'multipart/form-data; boundary=x'],
    [whole, 'application/'],
    [whole.slice(0, -1), 'application/json'],
    ['{name:1}', 'application/json'],
    [`${whole}{}`, 'application/json'],
    ['NaN', 'application/json'],
    [`\ufeff${whole}`, 'application/json'],
    [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'application/json'],
  ];
  for (const [body, type] of wrong) {
    for (const path of ['/v1/keys', '/v1/keys/x/rotate', '/v1/stream-tokens']) {
      const problem = await problemFrom(await post(body, type, path), 415, INVALID);
      assert.deepEqual(pathsOf(problem), [''], `${type} ${String(body)}`);
    }
  }
  const head = `POST /v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`;
  const untyped = `${head}Connection: close\r\nContent-Length: ${whole.length}\r\n\r\n${whole}`;
  rawProblem(await rawExchange(untyped), 415, INVALID);
});

test('broken JSON is told where it breaks, and nothing of it is repeated', async () => {
  for (const [body, fault] of [
    ['{"name":"hush","scopes":[}', 'it breaks at line 1, column 26'],
    ['{\n  "name": "hush"\n  "scopes": []\n}', 'it breaks at line 3, column 3'],
    ['{"name":"hush"', 'it ends too early, at line 1, column 15'],
    [new Uint8Array([0x22, 0xff, 0x22]), 'it is not UTF-8'],
  ] as const) {
    const { detail } = await problemFrom(await post(body), 415, INVALID);
    assert.equal(detail, `The body is not JSON: ${fault}.`);
  }
});

test('a missing body is told what is expected', async () => {
  const { detail } = await problemFrom(await request('/v1/keys', { method: 'POST' }), 400, INVALID);
  const expected = 'a JSON object with name, environment, scopes is expected.';
  assert.equal(detail, `The body is missing: ${expected}`);
  const rotation = await request('/v1/keys/x/rotate', { method: 'POST' });
  const rotated = await problemFrom(rotation, 400, INVALID);
  assert.match(rotated.detail, /with gracePeriodSeconds is expected/);
});

test('a missing body is 400 at the pointer of the whole body', async () => {
  for (const headers of [
    {},
    { 'content-type': 'application/json' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ]) {
    const response = await request('/v1/keys', { method: 'POST', headers });
    assert.deepEqual(pathsOf(await problemFrom(response, 400, INVALID)), ['']);
  }
  for (const body of ['null', '[]', '7', '"x"']) {
    assert.deepEqual(pathsOf(await problemFrom(await post(body), 400, INVALID)), ['']);
  }
});

test('nothing is coerced, and an unknown field is named by its pointer [ERR-09] [ERR-13] [ERR-15] [SEC-22]', async () => {
  const cases: [object, string[]][] = [
    [{ name: 7 }, ['/name']],
    [{ scopes: 'stream' }, ['/scopes']],
    [{ scopes: { 0: 'stream', length: 1 } }, ['/scopes']],
    [{ extra: 1 }, ['/extra']],
    [{ 'a/b~c': 1, '': 2 }, ['/', '/a~1b~0c']],
    [{ name: 7, extra: 1, environment: true }, ['/environment', '/extra', '/name']],
    [{ constructor: 1 }, ['/constructor']],
    [{ toString: 1 }, ['/toString']],
  ];
  for (const [fields, paths] of cases) {
    const problem = await problemFrom(
      await post(JSON.stringify({ ...KEY_BODY, ...fields })),
      400,
      INVALID,
    );
    assert.deepEqual(pathsOf(problem), paths);
  }
  for (const grace of ['1e999', '1e-1', '"60"', '-0.5', '604801', '9'.repeat(400)]) {
    const body = `{"gracePeriodSeconds":${grace}}`;
    const problem = await problemFrom(
      await post(body, undefined, '/v1/keys/x/rotate'),
      400,
      INVALID,
    );
    assert.deepEqual(pathsOf(problem), ['/gracePeriodSeconds'], grace);
  }
});

test('an unknown, repeated or poisoned query field is 400 at its pointer [SEC-22]', async () => {
  for (const [path, pointer] of [
    ['/v1/usage?nothing=1', '/nothing'],
    ['/v1/instruments?dataset=SIM&dataset=SIM', '/dataset'],
    ['/v1/instruments?dataset=', '/dataset'],
    ['/v1/instruments?dataset[]=SIM', '/dataset[]'],
    ['/v1/keys?__proto__=1', '/__proto__'],
    ['/v1/status?constructor=1', '/constructor'],
    ['/v1/indicators?x', '/x'],
  ] as const) {
    const problem = await problemFrom(await request(path), 400, INVALID);
    assert.deepEqual(pathsOf(problem), [pointer]);
  }
});

test('prototype traps and deep nesting are refused, and no content type skips validation [SEC-22]', async () => {
  const rest = '"environment":"live","scopes":["stream"]';
  const deep = `{"name":${'['.repeat(40)}${']'.repeat(40)},${rest}}`;
  for (const [body, path] of [
    [`{"name":"x",${rest},"__proto__":{"admin":1}}`, '/__proto__'],
    [`{"name":{"\\u005f_proto__":1},${rest}}`, '/name/__proto__'],
    [`{"name":"x",${rest},"constructor":{"prototype":{}}}`, '/constructor'],
    [deep, `/name${'/0'.repeat(15)}`],
  ] as const) {
    assert.deepEqual(pathsOf(await problemFrom(await post(body), 400, INVALID)), [path]);
  }
  assert.equal(({} as { admin?: number }).admin, undefined);
  for (const type of [
    'application/json;charset=utf-8',
    'APPLICATION/JSON',
    'application/json ;a=b',
    'application/json\t',
  ]) {
    const problem = await problemFrom(await post(`{"name":7,${rest}}`, type), 400, INVALID);
    assert.deepEqual(pathsOf(problem), ['/name'], type);
  }
});

test('an unexpected failure is 500 INTERNAL and reveals a request id and nothing else [ERR-37] [SEC-02]', async () => {
  const { lastTrades } = service.market;
  service.market.lastTrades = {
    get: () => {
      throw new Error(`the wine is in the cellar, its key is ${key}`);
    },
  } as never;
  const response = await request(`/v1/instruments?dataset=SIM`);
  service.market.lastTrades = lastTrades;
  const problem = await problemFrom(response, 500, 'INTERNAL');
  assert.ok(!JSON.stringify(problem).includes('cellar'));
  const line = service.logged.find((entry) => entry.includes(problem.instance))!;
  assert.ok(line.includes('the wine is in the cellar'), 'the log has the cause');
  assert.ok(line.includes('"route":"/v1/instruments"'));
  assert.ok(!line.includes('dataset=SIM'), 'the address is not logged');
  assert.ok(!line.includes(key.slice(9)));
});

test('a key or token pasted into an address is neither logged nor repeated [SEC-02]', async () => {
  const token = (await (await post('{}', undefined, '/v1/stream-tokens')).json()) as {
    token: string;
  };
  for (const secret of [key, token.token]) {
    for (const path of [
      `/v1/${secret}`,
      `/v1/usage?${secret}=1`,
      `/v1/instruments?dataset=${secret}`,
      `/v1/keys/${secret}/rotate`,
      `/v1/%zz${secret}`,
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await request(path, { method });
        assert.ok(response.status >= 400);
        assert.ok(!(await response.text()).includes(secret.slice(10)), `${method} ${path}`);
      }
    }
    assert.ok(!service.logged.join('').includes(secret.slice(10)));
  }
});

test('malformed addresses and broken HTTP get the error document too [ERR-01]', async () => {
  await problemFrom(await request('/v1/%zz'), 400, INVALID);
  const get = (head: string) => rawExchange(`GET /v1/usage HTTP/1.1\r\nHost: x\r\n${head}\r\n`);
  for (const exchange of [
    () => rawExchange('no http at all\r\n\r\n'),
    () => rawExchange('GET / HTTP/9.9\r\n\r\n'),
    () => rawExchange('BREW /v1/usage HTTP/1.1\r\nHost: x\r\n\r\n'),
    () => rawExchange('GET /v1/usage HTTP/1.1\r\nConnection: close\r\n\r\n'),
    () => get('Bad Header: x\r\n'),
    () => get('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
  ]) {
    rawProblem(await exchange(), 400, INVALID);
  }
});

test('headers are limited in size and number [SEC-21]', async () => {
  const get = (head: string) =>
    rawExchange(`GET /v1/usage HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n`);
  const authorization = `Authorization: Bearer ${key}\r\n`;
  assert.match(await get(authorization), /^HTTP\/1\.1 200 /);
  rawProblem(await get(`${authorization}X-Large: ${'x'.repeat(16_384)}\r\n`), 400, INVALID);
  assert.match(await get(`${'X: y\r\n'.repeat(97)}${authorization}`), /^HTTP\/1\.1 200 /);
  rawProblem(await get(`${'X: y\r\n'.repeat(100)}${authorization}`), 400, INVALID);
});

test('headers and bodies that come too slowly are cut off, and so are idle connections [SEC-21]', async () => {
  const hurried = { headersMs: 40, requestMs: 80, keepAliveMs: 40, checkEveryMs: 20 };
  await using hasty = await RestService.start({ timeouts: hurried });
  const secret = await hasty.customer();
  const head = `POST /v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n`;
  const untilClosed = async (port: number, bytes: string) => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write(bytes);
    let text = '';
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    await once(socket, 'close');
    return text;
  };
  const port = await hasty.listen();
  rawProblem(await untilClosed(port, head), 400, INVALID);
  const body = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
  rawProblem(await untilClosed(port, `${head}${body}`), 400, INVALID);
  // A request may take its time, however busy this machine is.
  const patient = { ...hurried, headersMs: 10_000, requestMs: 20_000 };
  await using lonely = await RestService.start({ timeouts: patient });
  const get = 'GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n';
  const idle = await untilClosed(await lonely.listen(), get);
  assert.match(idle, /^HTTP\/1\.1 200 /);
  assert.equal(idle.split('HTTP/1.1').length, 2, 'one answer, then it was closed');
});

test('the limits of a server that nobody hurries [SEC-21]', () => {
  const { server } = service.http.app;
  assert.equal(server.headersTimeout, 10_000);
  assert.equal(server.requestTimeout, 20_000);
  assert.equal(server.keepAliveTimeout, 65_000);
  assert.equal(server.maxHeadersCount, 100);
  assert.equal(server.maxConnections, service.sockets.limits.all + 1);
});

test('an expectation that nobody understands is ignored, a wish to upgrade elsewhere too', async () => {
  const get = (head: string) =>
    rawExchange(`GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n`);
  assert.match(await get('Expect: the-spanish-inquisition\r\n'), /^HTTP\/1\.1 200 /);
  assert.match(await get('Upgrade: h2c\r\n'), /^HTTP\/1\.1 200 /);
});

test('answers to a key are never cached, and all have a request id', async () => {
  for (const path of ['/v1/usage', '/v1/status', '/v1/nothing']) {
    const { headers } = await request(path);
    assert.equal(headers.get('cache-control'), 'no-store', path);
    assert.match(headers.get('x-request-id')!, /^req_/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});

test('a server that is stopping refuses with 503 CAPACITY and Retry-After, without looking at a key', async () => {
  await using stopping = await RestService.start();
  const secret = await stopping.customer();
  stopping.http.stopAccepting();
  for (const path of ['/v1/usage', '/v1/indicators', '/v1/nothing', '/v1/%zz']) {
    const answer = await stopping.get(path, { key: secret });
    assert.equal(answer.headers['retry-after'], '2');
    checkProblem(answer, DOCS_URL, { status: 503, code: 'CAPACITY' });
    assert.equal(answer.headers['ratelimit-limit'], undefined);
  }
});

test('an answered request is told with its id and whose it was, without its query', async () => {
  const told: (readonly [string | null, AnsweredRequest])[] = [];
  const onAnswered = (...one: (typeof told)[number]) => void told.push(one);
  await using watched = await RestService.start({ onAnswered });
  const secret = await watched.customer();
  const usage = await watched.get('/v1/usage?token=hunter2', { key: secret });
  const unknown = await watched.get('/v1/nothing');
  const [[path, first], [, second]] = told as [(typeof told)[number], (typeof told)[number]];
  assert.deepEqual([path, first.path, first.method], ['/v1/usage', '/v1/usage', 'GET']);
  assert.equal(first.id, usage.headers['x-request-id']);
  assert.match(first.account!, /^acc_/);
  assert.match(first.key!, /^key_/);
  assert.equal(second.id, unknown.headers['x-request-id']);
  assert.deepEqual([second.status, second.account, second.key], [unknown.status, null, null]);
  assert.ok(!JSON.stringify(told).includes('hunter2'));
});
