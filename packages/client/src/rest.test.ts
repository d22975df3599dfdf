import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { HurriedClock } from '../../../simulation/clock/client-clock.ts';
import { json, problem, ScriptedHttp } from '../../../simulation/network/scripted-http.ts';
import type { HistoryEntry } from './rest/history-entries.ts';
import { RestClient } from './rest.ts';
import { TapeloomError } from './tapeloom-error.ts';

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
  client = new RestClient({ url: server.url, key: 'svc_live_x', clock });
});

const REQUEST = {
  indicator: 'footprint',
  instrument: 'ES.c.0',
  params: { size: 300 },
  from: new Date('2026-11-12T14:30:00Z'),
} as const;

function item(cursor: string, more: object = {}): object {
  return { t: 'upsert', cursor, id: cursor, final: true, ts: '5', data: { open: 1 }, ...more };
}

function page(more: object): object {
  return { instrument: 'ES.c.0', tickSizeNanos: 1, to: '900', items: [], computeUnits: 3, ...more };
}

async function all<T>(iterable: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of iterable) found.push(one);
  return found;
}

test('history follows next to the end, over the range that the first page had', async () => {
  server.answering = (response, _request, count) =>
    json(
      response,
      [
        page({ items: [item('20261112.1.1')], next: '20261112.1.1' }),
        page({ items: [], next: '20261112.7.0' }),
        page({
          items: [item('20261112.9.1'), { ...item('20261112.10.0'), t: 'remove', data: undefined }],
          next: null,
        }),
      ][count - 1],
    );
  const found: HistoryEntry<'footprint'>[] = [];
  for await (const entry of client.history(REQUEST)) found.push(entry);
  assert.deepEqual(found, [
    {
      t: 'upsert',
      cursor: '20261112.1.1',
      object: { id: '20261112.1.1', final: true, ts: 5n, data: { open: 1 } },
    },
    {
      t: 'upsert',
      cursor: '20261112.9.1',
      object: { id: '20261112.9.1', final: true, ts: 5n, data: { open: 1 } },
    },
    { t: 'remove', cursor: '20261112.10.0', id: '20261112.10.0', final: true, ts: 5n },
  ]);
  assert.deepEqual(
    server.requests.map(({ query }) => [query.get('cursor'), query.get('to')]),
    [
      [null, null],
      ['20261112.1.1', '900'],
      ['20261112.7.0', '900'],
    ],
  );
  const [first] = server.requests;
  assert.equal(first!.query.get('params'), '{"size":300}');
  assert.equal(first!.query.get('from'), '1794493800000000000');
  assert.equal(first!.query.get('mode'), null);
});

test('a page is asked for when it is read, and none after the reader has gone', async () => {
  server.answering = (response, _request, count) =>
    json(response, page({ items: [item(`20261112.${count}.0`)], next: `20261112.${count}.0` }));
  const reading = client.history(REQUEST);
  assert.deepEqual(server.requests, []);
  let pages = 0;
  for await (const { items } of reading.pages()) {
    assert.equal(items.length, 1);
    pages += 1;
    assert.equal(server.requests.length, pages);
    if (pages === 2) break;
  }
  assert.equal(server.requests.length, 2);
  assert.equal(clock.pending, 0);
});

test('pages that lead in circles are not followed', async () => {
  server.answering = (response, _request, count) =>
    json(response, page({ next: ['20261112.5.0', '20261112.6.0'][count % 2] }));
  await assert.rejects(all(client.history(REQUEST)), { code: 'INVALID_RESPONSE' });
  assert.ok(server.requests.length <= 3);
});

test('pages and items that are none are INVALID_RESPONSE', async () => {
  const wrong = [
    {},
    page({ items: null, next: null }),
    page({ items: [], next: 5 }),
    page({ items: [null], next: null }),
    page({ items: [item('20261112.1.1', { t: 'other' })], next: null }),
    page({ items: [item('20261112.1.1', { ts: 'never' })], next: null }),
    page({ items: [item('20261112.1.1', { id: 5 })], next: null }),
    page({ items: [{ t: 'snapshot', cursor: '20261112.1.1' }], next: null }),
  ];
  for (const answer of wrong) {
    server.answering = (response) => json(response, answer);
    await assert.rejects(
      all(client.history(REQUEST)),
      { code: 'INVALID_RESPONSE' },
      JSON.stringify(answer),
    );
  }
});

test('a refusal in the middle of history ends it with the code of the service [CLIENT-26]', async () => {
  server.answering = (response, _request, count) =>
    count === 1
      ? json(response, page({ items: [item('20261112.1.1')], next: '20261112.1.1' }))
      : problem(response, 410, 'CURSOR_EXPIRED');
  const found: string[] = [];
  await assert.rejects(
    async () => {
      for await (const { cursor } of client.history(REQUEST)) found.push(cursor);
    },
    { code: 'CURSOR_EXPIRED', status: 410 },
  );
  assert.deepEqual(found, ['20261112.1.1']);
});

test('an estimate asks with the same query as history', async () => {
  server.answering = (response) => json(response, { computeUnits: 12, missingDays: [] });
  const request = { ...REQUEST, untilCursor: '20261112.9.9', limit: 10, snapshot: true };
  assert.equal((await client.estimate(request)).computeUnits, 12);
  const [{ path, query }] = server.requests as [(typeof server.requests)[0]];
  assert.equal(path, '/v1/history/estimate');
  assert.deepEqual(Object.fromEntries(query), {
    instrument: 'ES.c.0',
    indicator: 'footprint',
    params: '{"size":300}',
    from: '1794493800000000000',
    untilCursor: '20261112.9.9',
    limit: '10',
    snapshot: 'true',
  });
});

test('every repeat of a request that makes a key has the same idempotency key, and every request another', async () => {
  server.answering = (response, _request, count) =>
    count % 2 === 1
      ? problem(response, 429, 'RATE_LIMITED')
      : json(response, { id: 'k1', key: 'svc_test_new' }, 201);
  const body = { name: 'robot', environment: 'test', scopes: ['stream'] } as const;
  const made = await client.keys.create({ ...body, expiresAt: '2030-01-01' });
  assert.equal(made.key, 'svc_test_new');
  await client.keys.rotate('k 1/2', { gracePeriodSeconds: 60 });
  await client.keys.create(body, { idempotencyKey: 'mine' });
  const sent = server.requests.map(({ headers }) => String(headers['idempotency-key']));
  assert.equal(sent[0], sent[1]);
  assert.equal(sent[2], sent[3]);
  assert.notEqual(sent[0], sent[2]);
  assert.match(sent[0]!, /^[0-9a-f]{32}$/);
  assert.deepEqual(sent.slice(4), ['mine', 'mine']);
  assert.equal(JSON.parse(server.requests[0]!.body).expiresAt, '1893456000000000000');
  assert.equal(server.requests[2]!.path, '/v1/keys/k%201%2F2/rotate');
  assert.equal(server.requests[2]!.headers['content-type'], 'application/json');
});

test('keys are listed and revoked, and a token is made', async () => {
  server.answering = (response, { path }) =>
    json(
      response,
      path === '/v1/keys' ? { keys: [{ id: 'k1' }] } : { state: 'revoked', token: 't' },
    );
  assert.deepEqual(await client.keys.list(), [{ id: 'k1' }]);
  assert.equal((await client.keys.revoke('k1')).state, 'revoked');
  assert.equal((await client.streamToken()).token, 't');
  assert.deepEqual(
    server.requests.map(({ method, path }) => `${method} ${path}`),
    ['GET /v1/keys', 'DELETE /v1/keys/k1', 'POST /v1/stream-tokens'],
  );
});

test('one instrument and one indicator are found by name, or told to be unknown', async () => {
  server.answering = (response) =>
    json(response, {
      instruments: [{ symbol: 'ESZ6', alias: 'ES.c.0' }],
      indicators: [{ id: 'bars' }],
    });
  assert.equal((await client.instrument('ES.c.0')).symbol, 'ESZ6');
  assert.equal((await client.instrument('ESZ6', { dataset: 'sim' })).alias, 'ES.c.0');
  assert.equal((await client.indicator('bars')).id, 'bars');
  await assert.rejects(client.instrument('XX'), { code: 'UNKNOWN_INSTRUMENT' });
  await assert.rejects(client.indicator('XX'), { code: 'UNKNOWN_INDICATOR' });
});

test('sessions are asked for by any kind of time, and come as they were sent', async () => {
  const answer = { instrument: 'ES.c.0', contract: 'ESZ6', sessions: [] };
  server.answering = (response) => json(response, answer);
  const from = new Date('2026-11-12T00:00:00Z');
  assert.deepEqual(await client.sessions({ instrument: 'ES.c.0', from }), answer);
  await client.sessions({ instrument: 'X Y', from: 5n, to: '2026-11-20', dataset: 'D' });
  assert.deepEqual(
    server.requests.map(({ path, query }) => [path, Object.fromEntries(query)]),
    [
      ['/v1/sessions', { instrument: 'ES.c.0', from: '1794441600000000000' }],
      ['/v1/sessions', { instrument: 'X Y', from: '5', to: '2026-11-20', dataset: 'D' }],
    ],
  );
  server.answering = (response) => problem(response, 404, 'UNKNOWN_INSTRUMENT');
  await assert.rejects(client.sessions({ instrument: 'XX', from }), { code: 'UNKNOWN_INSTRUMENT' });
});

test('offers and pricing are asked for without the key; where there are none it is NOT_FOUND', async () => {
  server.answering = (response, { path }) =>
    path === '/v1/offers' ? json(response, { offers: [] }) : problem(response, 404, 'NOT_FOUND');
  assert.deepEqual(await client.offers(), { offers: [] });
  await assert.rejects(
    client.pricing(),
    (error) => error instanceof TapeloomError && error.code === 'NOT_FOUND',
  );
  assert.ok(server.requests.every(({ headers }) => headers.authorization === undefined));
});
