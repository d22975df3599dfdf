import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ERROR_CODES } from '@tapeloom/protocol/error-codes';
import { HurriedClock } from '../../../../simulation/clock/client-clock.ts';
import { json, problem, ScriptedHttp } from '../../../../simulation/network/scripted-http.ts';
import { RestClient } from '../rest.ts';
import { TapeloomError } from '../tapeloom-error.ts';

const KEY = 'svc_live_aSecretThatNobodyMayEverSeeAnywhere';

let server: ScriptedHttp;
let clock: HurriedClock;
let client: RestClient;
before(async () => {
  server = await ScriptedHttp.start();
});
after(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  clock = new HurriedClock();
  // Retries after a lost response: retries.test.ts.
  client = new RestClient({ url: server.url, key: KEY, clock, maxRetries: 0 });
});

/** The error of a call. The call leaves nothing behind and no message contains the key. */
async function failure(call: Promise<unknown>): Promise<TapeloomError> {
  const error = await call.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TapeloomError, String(error));
  assert.equal(clock.pending, 0);
  assert.ok(!JSON.stringify([error, error.message, error.stack]).includes(KEY));
  return error;
}

function limited(headers: OutgoingHttpHeaders): void {
  server.answering = (response) => problem(response, 429, 'RATE_LIMITED', {}, headers);
}

test('an error document reaches the caller with its code, status, request id and members unchanged [CLIENT-26]', async () => {
  const errors = [{ path: '/from', message: 'is missing' }];
  const cases: [number, string, object][] = [
    [400, 'INVALID_PARAMETERS', { errors }],
    [402, 'NOT_COVERED', { missingDays: ['2026-11-11'], missingDaysTotal: 1 }],
    [429, 'QUOTA_EXCEEDED', { computeUnits: 12, remainingComputeUnits: 5 }],
    [503, 'CAPACITY', {}],
    [418, 'A_CODE_OF_LATER', {}],
  ];
  for (const [status, code, more] of cases) {
    const detail = `Words of ${code}.`;
    server.answering = (response) => problem(response, status, code, { detail, ...more });
    const error = await failure(client.usage());
    assert.equal(error.code, code);
    assert.equal(error.status, status);
    assert.equal(error.requestId, 'req-1');
    assert.equal(error.message, detail);
    for (const [name, value] of Object.entries(more)) {
      assert.deepEqual(error[name as keyof TapeloomError], value);
    }
  }
});

test('what the texts of an error say changes nothing that the client does [VER-04]', async () => {
  const texts = ['', 'API key expired', 'Try again in 3 s. RATE_LIMITED 429', '\u202edecoded'];
  for (const [code, { statuses }] of Object.entries(ERROR_CODES)) {
    for (const status of statuses) {
      const done = new Set<string>();
      for (const text of texts) {
        server.requests.length = 0;
        const members = { title: text, detail: text, errors: [{ path: '/a', message: text }] };
        server.answering = (response) =>
          problem(response, status, code, members, { 'retry-after': '1' });
        const { code: told, status: seen, message, errors } = await failure(client.usage());
        done.add(JSON.stringify([told, seen, errors?.[0]?.path, server.requests.length]));
        assert.ok(message.includes(text));
      }
      assert.equal(done.size, 1, [...done].join(' '));
    }
  }
});

test('an error answer without an error document is HTTP_<status> [CLIENT-35]', async () => {
  const pages: [number, string, string][] = [
    [502, 'text/html', '<html><h1>502 Bad Gateway</h1></html>'],
    [504, 'application/json', '{"message":"upstream timed out"}'],
    [500, 'application/problem+json', '{"code":'],
    [429, 'text/plain', 'slow down'],
    [503, 'application/json', '[]'],
    [404, 'application/json', 'null'],
    [413, '', ''],
  ];
  for (const [status, type, body] of pages) {
    server.answering = (response) => json(response, body, status, { 'content-type': type });
    const error = await failure(client.usage());
    assert.equal(error.code, `HTTP_${status}`);
    assert.equal(error.status, status);
  }
  assert.equal(server.requests.length, pages.length);
});

test('429 RATE_LIMITED is asked again three times at most [CLIENT-36]', async () => {
  limited({});
  const error = await failure(client.usage());
  assert.equal(error.code, 'RATE_LIMITED');
  assert.equal(server.requests.length, 4);
});

test('a retry that succeeds is a success [CLIENT-36]', async () => {
  server.answering = (response, _request, count) =>
    count < 3 ? problem(response, 429, 'RATE_LIMITED') : json(response, { plan: 'live' });
  assert.equal((await client.usage()).plan, 'live');
  assert.equal(server.requests.length, 3);
  assert.equal(clock.pending, 0);
});

test('it waits as long as Retry-After says, and 60 s at most [CLIENT-37]', async () => {
  for (const [header, seconds] of [
    ['2', 2],
    ['60', 60],
    ['600', 60],
    ['86400', 60],
    ['0', 0],
  ] as const) {
    clock.waits.length = 0;
    limited({ 'retry-after': header });
    const error = await failure(client.usage());
    assert.deepEqual(clock.waits, [seconds * 1_000, seconds * 1_000, seconds * 1_000]);
    assert.equal(error.retryAfterSeconds, Number(header));
  }
});

test("a Retry-After that is a date is counted from the answer's own date [CLIENT-37]", async () => {
  limited({
    date: 'Mon, 16 Nov 2026 04:00:00 GMT',
    'retry-after': 'Mon, 16 Nov 2026 04:00:05 GMT',
  });
  await failure(client.usage());
  assert.deepEqual(clock.waits, [5_000, 5_000, 5_000]);
});

test('without Retry-After it waits 1, 2, then 4 s [CLIENT-38]', async () => {
  for (const headers of [{}, { 'retry-after': 'soon' }, { 'retry-after': '-1' }]) {
    clock.waits.length = 0;
    limited(headers);
    await failure(client.usage());
    assert.deepEqual(clock.waits, [1_000, 2_000, 4_000]);
  }
});

test('429 QUOTA_EXCEEDED is never asked again [CLIENT-39]', async () => {
  server.answering = (response) =>
    problem(response, 429, 'QUOTA_EXCEEDED', {}, { 'retry-after': '1' });
  assert.equal((await failure(client.usage())).code, 'QUOTA_EXCEEDED');
  assert.equal(server.requests.length, 1);
  assert.deepEqual(clock.waits, []);
});

test('options that cannot work are refused with CONFIGURATION, and a key is not repeated [CLIENT-27]', () => {
  const wrong = [
    { url: 'not an address' },
    { url: 'ftp://example.com' },
    { url: 'https://user:word@example.com' },
    { url: 'https://example.com/?key=x' },
    { key: '' },
    { key: 'svc_live_with a space' },
    { key: `${KEY}\n` },
  ];
  for (const options of wrong) {
    assert.throws(
      () => new RestClient(options),
      (error) =>
        error instanceof TapeloomError &&
        error.code === 'CONFIGURATION' &&
        !error.message.includes('svc_live'),
      JSON.stringify(options),
    );
  }
});

test('without a key the public routes answer, and the others are CONFIGURATION before anything is sent [CLIENT-27]', async () => {
  const stranger = new RestClient({ url: `${server.url}/v1/`, clock });
  server.answering = (response) => json(response, { indicators: [], instruments: [] });
  await stranger.indicators();
  await stranger.status();
  assert.equal((await failure(stranger.usage())).code, 'CONFIGURATION');
  assert.deepEqual(
    server.requests.map(({ path, headers }) => [path, headers.authorization]),
    [
      ['/v1/indicators', undefined],
      ['/v1/status', undefined],
    ],
  );
});

test('a fetch of the caller may add the key: without one of his own the client sends none', async () => {
  server.answering = (response) => json(response, { instruments: [] });
  const page = new RestClient({
    url: server.url,
    fetch: (url, init) => fetch(url, { ...init, headers: { authorization: 'of the backend' } }),
  });
  await page.instruments();
  assert.equal(server.requests[0]!.headers.authorization, 'of the backend');
});

test('the key goes to the routes that need it and to no other', async () => {
  server.answering = (response) => json(response, { instruments: [] });
  await client.status();
  await client.instruments();
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.authorization),
    [undefined, `Bearer ${KEY}`],
  );
});

test('a redirect is not followed: nobody else gets the key [CLIENT-35]', async () => {
  const thief = await ScriptedHttp.start((response) => json(response, {}));
  try {
    for (const status of [301, 302, 303, 307, 308]) {
      server.answering = (response) =>
        json(response, '', status, { location: `${thief.url}/v1/usage?stolen` });
      const error = await failure(client.usage());
      assert.equal(error.code, `HTTP_${status}`);
    }
    assert.deepEqual(thief.requests, []);
  } finally {
    await thief.close();
  }
});

test('a success that is not JSON is INVALID_RESPONSE', async () => {
  const answers: [string, string][] = [
    ['text/html', '<html>Please sign in to the hotel</html>'],
    ['text/plain', '{"plan":"live"}'],
    ['application/json', '{"plan":'],
    ['application/json', '[]'],
    ['application/json', '"live"'],
    ['application/json', ''],
  ];
  for (const [type, body] of answers) {
    server.answering = (response) => json(response, body, 200, { 'content-type': type });
    const error = await failure(client.usage());
    assert.equal(error.code, 'INVALID_RESPONSE', body);
    assert.equal(error.status, 200);
  }
});

test('a server that is not there, or hangs up, is NETWORK with its cause, asked once', async () => {
  server.answering = (response) => {
    response.destroy();
  };
  const hungUp = await failure(client.usage());
  assert.equal(hungUp.code, 'NETWORK');
  assert.ok(hungUp.cause instanceof Error);
  assert.equal(server.requests.length, 1);
  server.answering = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"plan"');
    setImmediate(() => response.destroy());
  };
  assert.equal((await failure(client.usage())).code, 'NETWORK');
  const nobody = new RestClient({ url: 'http://127.0.0.1:1', key: KEY, clock });
  assert.equal((await failure(nobody.usage())).code, 'NETWORK');
});

test('a server that says nothing for two minutes is given up, before and within its answer', async () => {
  const silent: ((response: Parameters<ScriptedHttp['answering']>[0]) => void)[] = [
    () => {},
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"plan"');
    },
  ];
  for (const silence of silent) {
    server.requests.length = 0;
    server.answering = silence;
    const asked = failure(client.usage());
    while (server.requests.length === 0) await turn();
    await clock.run();
    // If the headers arrived, the body has a timeout of its own.
    const error = await Promise.race([asked, turnsOf(clock, asked)]);
    assert.equal(error!.code, 'NETWORK');
    assert.match(error!.message, /nothing came for 120 s/);
  }
});

/** Runs the clock's timers until the call has ended. */
async function turnsOf<T>(waiting: HurriedClock, call: Promise<T>): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  call.then(over, over);
  while (!isOver) {
    if (waiting.pending > 0) await waiting.run();
    await turn();
  }
  return await call;
}

test('an answer without an end is cut off', async () => {
  server.answering = async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.setMaxListeners(100);
    const piece = Buffer.alloc(4 * 1024 * 1024, ' ');
    while (!response.destroyed) {
      if (!response.write(piece)) {
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
    }
  };
  const error = await failure(client.usage());
  assert.equal(error.code, 'INVALID_RESPONSE');
  server.answering = (response) => response.end();
});

test('a signal ends a call, while it waits and before it begins, with its own reason', async () => {
  const reason = new Error('enough');
  const already = AbortSignal.abort(reason);
  await assert.rejects(client.usage({ signal: already }), reason);
  assert.equal(server.requests.length, 0);
  server.answering = () => {};
  const controller = new AbortController();
  const asked = client.usage({ signal: controller.signal });
  while (server.requests.length === 0) await turn();
  controller.abort(reason);
  await assert.rejects(asked, reason);
  assert.equal(clock.pending, 0);
});

test('a signal ends the wait before a retry', async () => {
  const patient = new HurriedClock(0);
  const waiting = new RestClient({ url: server.url, key: KEY, clock: patient });
  limited({ 'retry-after': '30' });
  const controller = new AbortController();
  const asked = waiting.usage({ signal: controller.signal });
  asked.catch(() => {});
  while (!patient.pendingMs.includes(30_000)) await turn();
  controller.abort();
  await assert.rejects(asked, { name: 'AbortError' });
  assert.equal(patient.pending, 0);
  assert.equal(server.requests.length, 1);
});
