/** Requests whose response is lost or cut: repeated only where that is safe, and never charged twice. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { HurriedClock } from '../../../../simulation/clock/client-clock.ts';
import {
  type Answering,
  json,
  problem,
  ScriptedHttp,
} from '../../../../simulation/network/scripted-http.ts';
import { fillMarket } from '../../../server/testing/history/history-market.ts';
import { RestService } from '../../../server/testing/rest/rest-service.ts';
import type { ClientOptions, ClientWarning } from '../options.ts';
import { RestClient } from '../rest.ts';

const RANGE = { indicator: 'bars', instrument: 'ESZ6', from: '2026-11-09' } as const;

let server: ScriptedHttp;
let clock: HurriedClock;
let warnings: ClientWarning[];
before(async () => {
  server = await ScriptedHttp.start();
});
after(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  clock = new HurriedClock();
  warnings = [];
});

function clientWith(options: ClientOptions = {}): RestClient {
  const onWarning = (warning: ClientWarning) => warnings.push(warning);
  return new RestClient({ url: server.url, key: 'svc_live_x', clock, onWarning, ...options });
}

/** A page with one bar; the last one has no next. */
function page(number: number, last = 3) {
  const object = { id: `b${number}`, final: true, ts: '1', data: {} };
  const cursor = `20261109.${number}.0`;
  return {
    tickSizeNanos: 1,
    to: '1794182400000000000',
    items: [{ t: 'upsert', cursor, ...object }],
    next: number === last ? null : cursor,
    computeUnits: 1,
  };
}

function pageAsked({ query }: Parameters<Answering>[1]): number {
  return Number((query.get('cursor') ?? '20261109.0.0').split('.')[1]) + 1;
}

const cutShort: Answering = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"items":[');
  setImmediate(() => response.destroy());
};

async function idsOf(client: RestClient, request: object = {}): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const entry of client.history({ ...RANGE, ...request })) {
    if (entry.t === 'upsert') ids.push(entry.object.id);
  }
  return ids;
}

test('history goes on from its last cursor when a connection breaks, each attempt for a page with the same Idempotency-Key', async () => {
  const broken = new Set([2, 3, 5]);
  server.answering = (response, request, count) => {
    if (broken.has(count)) cutShort(response, request, count);
    else json(response, page(pageAsked(request)));
  };
  assert.deepEqual(await idsOf(clientWith()), ['b1', 'b2', 'b3']);
  const sent = server.requests.map((it) => [pageAsked(it), it.headers['idempotency-key']] as const);
  assert.deepEqual(
    sent.map(([number]) => number),
    [1, 2, 2, 2, 3, 3],
  );
  const keys = Map.groupBy(sent, ([number]) => number);
  for (const attempts of keys.values())
    assert.equal(new Set(attempts.map(([, key]) => key)).size, 1);
  assert.equal(new Set(sent.map(([, key]) => key)).size, 3);
  assert.ok(sent.every(([, key]) => key !== undefined));
  assert.deepEqual(clock.waits, [1_000, 2_000, 1_000]);
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['REQUEST_RETRIED', 'REQUEST_RETRIED', 'REQUEST_RETRIED'],
  );
});

test('a page whose answer is lost after it was charged is charged once', async () => {
  await using service = await RestService.start();
  fillMarket(service);
  const url = `http://127.0.0.1:${await service.listen()}`;
  const key = await service.customer('history');
  let asked = 0;
  const losing: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    asked += 1;
    if (asked % 2 === 0) return response;
    // The response was sent in full, but the client gets none of it.
    await response.arrayBuffer();
    throw new TypeError('fetch failed');
  };
  const client = clientWith({ url, key, fetch: losing, maxRetries: 5 });
  const request = { ...RANGE, limit: 500, params: { bar: 'tick', size: 2 } } as const;
  const plain = new RestClient({ url, key });
  const { computeUnits } = await plain.estimate(request);
  const ids = await idsOf(client, request);
  assert.ok(asked >= 6);
  assert.equal((await plain.usage()).used.computeUnits, computeUnits);
  assert.deepEqual(ids, await idsOf(plain, request));
});

test('a page is given up after five attempts in a row that brought nothing', async () => {
  server.answering = (response, request, count) => {
    if (count === 1) json(response, page(1));
    else cutShort(response, request, count);
  };
  await assert.rejects(idsOf(clientWith()), { code: 'NETWORK' });
  assert.equal(server.requests.length, 7);
  assert.deepEqual(clock.waits, [1_000, 2_000, 4_000, 8_000, 16_000]);
});

test('other GETs are asked again twice, for a service or a proxy that cannot answer now', async () => {
  const passing: [number, string][] = [
    [500, 'INTERNAL'],
    [503, 'CAPACITY'],
    [409, 'WARMING'],
  ];
  for (const [status, code] of passing) {
    server.requests.length = 0;
    server.answering = (response) => problem(response, status, code);
    await assert.rejects(clientWith().usage(), { code });
    assert.equal(server.requests.length, 3, code);
  }
  server.requests.length = 0;
  server.answering = (response, _request, count) =>
    count < 3
      ? json(response, '<h1>502</h1>', 502, { 'content-type': 'text/html' })
      : json(response, {});
  await clientWith().usage();
  assert.equal(server.requests.length, 3);
});

test('refusals that stay are not asked again', async () => {
  for (const [status, code] of [
    [400, 'INVALID_PARAMETERS'],
    [401, 'UNAUTHORIZED'],
    [402, 'NOT_COVERED'],
    [410, 'CURSOR_EXPIRED'],
    [429, 'QUOTA_EXCEEDED'],
  ] as const) {
    server.requests.length = 0;
    server.answering = (response) => problem(response, status, code);
    await assert.rejects(idsOf(clientWith()), { code });
    assert.equal(server.requests.length, 1, code);
  }
});

test('what changes something is sent once, unless the service says that it came too early', async () => {
  server.answering = cutShort;
  for (const call of [
    (client: RestClient) => client.streamToken(),
    (client: RestClient) => client.keys.revoke('key_1'),
    (client: RestClient) => client.keys.rotate('key_1', { gracePeriodSeconds: 0 }),
  ]) {
    server.requests.length = 0;
    await assert.rejects(call(clientWith({ maxRetries: 5 })), { code: 'NETWORK' });
    assert.equal(server.requests.length, 1);
  }
});

test('a service that never answered is not asked again: its address is probably wrong', async () => {
  server.answering = (response) => response.destroy();
  await assert.rejects(idsOf(clientWith()), { code: 'NETWORK' });
  assert.equal(server.requests.length, 1);
  server.requests.length = 0;
  await assert.rejects(clientWith({ maxRetries: 3 }).usage(), { code: 'NETWORK' });
  assert.equal(server.requests.length, 4, 'but whoever asks for retries gets them');
});

test('maxRetries 0 asks once', async () => {
  server.answering = (response) => problem(response, 503, 'CAPACITY');
  await assert.rejects(idsOf(clientWith({ maxRetries: 0 })), { code: 'CAPACITY' });
  assert.equal(server.requests.length, 1);
});

test('timeout is how long a request waits for the next byte', async () => {
  server.answering = () => {};
  const call = clientWith({ timeout: 5_000 }).usage();
  await assert.rejects(call, { code: 'NETWORK', message: /nothing came for 5 s/ });
});

test('maxRetries and timeout that cannot work are CONFIGURATION [CLIENT-27]', () => {
  for (const options of [
    { maxRetries: -1 },
    { maxRetries: 1.5 },
    { maxRetries: '3' as unknown as number },
    { timeout: 0 },
    { timeout: Number.NaN },
    { timeout: 2 ** 31 },
  ]) {
    assert.throws(() => clientWith(options), { code: 'CONFIGURATION' }, JSON.stringify(options));
  }
});
