/** Pages of history: their queries and their content. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  address,
  compare,
  type Fields,
  type HistoryItem,
  HistoryReader,
  RANGE,
  TICK_BARS,
} from '../../../testing/history/history-requests.ts';
import { checkAnswer } from '../../../testing/rest/answer-check.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';
import { SIM_DATASET } from '../../markets/sim/sim-universe.ts';

let service: RestService;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  const key = await service.customer('live_history');
  reader = new HistoryReader(service, key, checkAnswer);
});
after(() => service[Symbol.asyncDispose]());

test('a query takes its parameters, and refuses any other by name [HIST-01]', async () => {
  const fields = { ...RANGE, params: TICK_BARS, mode: 'confirmed' };
  const page = await reader.page(fields);
  assert.ok(page.items.length > 0);
  // Every one of them matters.
  for (const other of [
    { indicator: 'delta' },
    { params: JSON.stringify({ bar: 'tick', size: 3 }) },
    { from: '2026-11-10' },
    { to: '2026-11-10' },
  ]) {
    assert.notDeepEqual((await reader.page({ ...fields, ...other })).items, page.items);
  }
  assert.equal((await reader.page({ ...fields, instrument: 'CLF7' })).contract, 'CLF7');
  const open = { ...fields, to: '2026-11-10T14:30:12Z' };
  assert.notDeepEqual(
    (await reader.page({ ...open, mode: 'live', limit: '10000' })).items,
    (await reader.page({ ...open, limit: '10000' })).items,
  );
  for (const from of ['2026-11-09T00:00:00Z', '1794182400000000000']) {
    assert.deepEqual((await reader.page({ ...fields, from })).items, page.items);
  }
  await reader.refusedAt({ ...fields, extra: '1' }, '/extra');
  await reader.refusedAt({ ...fields, params: '{"size":0}' }, '/params/size');
  await reader.refusedAt({ ...fields, params: '[1]' }, '/params');
  await reader.refusedAt({ ...fields, mode: 'fast' }, '/mode');
  const { instrument: _left, ...without }: Fields = fields;
  await reader.refusedAt(without, '/instrument');
  const twice = `${address('/v1/history', fields)}&from=2026-11-08`;
  const { status, body } = await service.get(twice, { key: reader.key });
  assert.equal(status, 400);
  assert.equal(body.errors![0]!.path, '/from');
});

test('limit is a whole number from 1 to 10,000, and 1,000 when left out [HIST-02] [HIST-03]', async () => {
  const fields = { ...RANGE, from: '2026-11-04', params: TICK_BARS };
  assert.equal((await reader.page({ ...fields, limit: '1' })).items.length, 1);
  const all = await reader.page({ ...fields, limit: '10000' });
  assert.ok(all.items.length > 2_000);
  assert.equal(all.next, null);
  const { items, next } = await reader.page(fields);
  assert.equal(items.length, 1_000);
  assert.equal(next, items.at(-1)!.cursor);
  for (const limit of ['0', '-1', '10001', '1.5', '1e2', '', 'all']) {
    await reader.refusedAt({ ...fields, limit }, '/limit');
  }
});

test('a page of footprint has at most 5,400 bars [HIST-04]', async () => {
  const fields = {
    ...RANGE,
    indicator: 'footprint',
    params: JSON.stringify({ bar: 'tick', size: 1 }),
    from: '2026-11-03',
    to: '2026-11-12',
    limit: '10000',
  };
  const { items, next } = await reader.page(fields);
  assert.equal(items.length, 5_400);
  assert.notEqual(next, null);
});

test('walking next gives the range once, in order, and costs what the estimate said [HIST-05] [HIST-06] [HIST-16] [COUNT-14] [USE-10]', async () => {
  const own = reader.with(await service.customer('history'));
  for (const [rest, limit] of [
    [{}, '100'],
    [{ params: TICK_BARS }, '333'],
    [{ params: TICK_BARS, mode: 'confirmed' }, '450'],
    [{ params: TICK_BARS, snapshot: 'true' }, '500'],
  ] as const) {
    const fields = { ...RANGE, ...rest };
    const before = await own.usage();
    const pages = await own.walk({ ...fields, limit });
    assert.ok(pages.length > 1);
    const whole = await reader.page({ ...fields, limit: '10000' });
    assert.equal(whole.next, null);
    const items = pages.flatMap((page) => page.items);
    assert.deepEqual(items, whole.items);
    for (const [at, { cursor }] of items.entries()) {
      if (at > 0) assert.ok(compare(items[at - 1]!.cursor, cursor) < 0);
    }
    const { computeUnits, trades } = await own.estimate({ ...fields, limit });
    assert.equal(trades, 2 * TRADES_A_DAY);
    assert.equal(computeUnits, trades);
    assert.equal(
      pages.reduce((sum, page) => sum + page.computeUnits, 0),
      computeUnits,
    );
    const { used } = await own.usage();
    assert.equal(used.computeUnits - before.used.computeUnits, computeUnits);
    assert.equal(used.historyItems - before.used.historyItems, items.length);
    for (const page of pages) {
      assert.equal(page.instrument, 'ESZ6');
      assert.equal(page.contract, 'ESZ6');
      assert.equal(page.tickSizeNanos, 250_000_000);
      const isOpening = page === pages[0] && 'snapshot' in rest;
      assert.equal(page.snapshot, isOpening ? true : undefined);
    }
  }
});

test('with snapshot the state at from comes first, then updates with their cursors [HIST-08] [HIST-09] [HIST-10]', async () => {
  const from = '2026-11-10T14:40:02Z';
  const to = '2026-11-10T14:50:00Z';
  for (const params of ['{}', TICK_BARS]) {
    const fields = { ...RANGE, params };
    const { items, snapshot } = await reader.page({ ...fields, from, to, snapshot: 'true' });
    assert.equal(snapshot, true);
    const [first, ...updates] = items;
    assert.equal(first!.t, 'snapshot');
    assert.ok(updates.length > 0);
    let last = first!.cursor;
    for (const { t, cursor } of updates) {
      assert.ok(t === 'upsert' || t === 'remove');
      assert.ok(compare(last, cursor) < 0);
      last = cursor;
    }
    // The state at `from` is the result of everything since the session opened, the evening before.
    const session = { ...fields, from: '2026-11-09T23:00:00Z', to: from, limit: '10000' };
    const rebuilt = stateAfter((await reader.page(session)).items);
    assert.ok(rebuilt.length > 10);
    assert.deepEqual(first!.items, rebuilt);
    assert.equal(first!.items!.at(-1)!.final, false, 'something forms there');
  }
  const plain = await reader.page({ ...RANGE, snapshot: 'false' });
  assert.ok(!('snapshot' in plain));
  for (const snapshot of ['yes', '1', '', 'TRUE', 'null']) {
    await reader.refusedAt({ ...RANGE, snapshot }, '/snapshot');
  }
});

function stateAfter(items: readonly HistoryItem[]): readonly unknown[] {
  const state = new Map<string, unknown>();
  for (const { t, id, final, ts, data } of items) {
    if (t === 'remove') state.delete(id!);
    else state.set(id!, { id, final, ts, data });
  }
  return [...state.values()];
}

test('untilCursor is the last update of a range, in place of to [HIST-11]', async () => {
  const { to: _to, ...open }: Fields = { ...RANGE, mode: 'confirmed' };
  const { items } = await reader.page({ ...RANGE, mode: 'confirmed', limit: '10000' });
  const { cursor: untilCursor } = items[40]!;
  const until = await reader.page({ ...open, untilCursor });
  assert.deepEqual(until.items, items.slice(0, 41));
  assert.equal(until.next, null);
  assert.equal(until.untilCursor, untilCursor);
  await reader.refusedAt({ ...open, untilCursor: '20261110.01.0' }, '/untilCursor');
  await reader.refusedAt({ ...RANGE, untilCursor }, '/untilCursor');
  await reader.refusedAt({ ...open, untilCursor: '20261101.5.0' }, '/untilCursor');
});

test('a contract that is not streamed is read with its dataset only [HIST-12] [HIST-13]', async () => {
  const fields = { ...RANGE, instrument: 'ESU6', from: '2026-09-09', to: '2026-09-10' };
  const page = await reader.page({ ...fields, dataset: SIM_DATASET });
  assert.equal(page.contract, 'ESU6');
  assert.ok(page.items.length > 0);
  for (const path of ['/v1/history', '/v1/history/estimate', '/v1/export'] as const) {
    await reader.refused(fields, 404, 'UNKNOWN_INSTRUMENT', path);
    await reader.refused({ ...fields, dataset: 'other' }, 404, 'UNKNOWN_INSTRUMENT', path);
  }
});

test('an invented indicator or instrument is 404 [ERR-18] [ERR-19]', async () => {
  for (const path of ['/v1/history', '/v1/history/estimate', '/v1/export'] as const) {
    await reader.refused({ ...RANGE, indicator: 'invented' }, 404, 'UNKNOWN_INDICATOR', path);
    await reader.refused({ ...RANGE, instrument: 'XXZ9' }, 404, 'UNKNOWN_INSTRUMENT', path);
  }
});

test('a page comes compressed as its reader asks for it, and is the same page', async () => {
  const port = await service.listen();
  const path = address('/v1/history', { ...RANGE, mode: 'confirmed', limit: '10000' });
  const ask = async (accepted: string | null) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      path,
      headers: {
        authorization: `Bearer ${reader.key}`,
        ...(accepted === null ? {} : { 'accept-encoding': accepted }),
      },
    }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(answer.headers.vary, 'Accept-Encoding');
    return { encoding: answer.headers['content-encoding'], body: await buffer(answer) };
  };
  const plain = await ask(null);
  assert.equal(plain.encoding, undefined);
  const zstd = await ask('gzip, zstd');
  assert.equal(zstd.encoding, 'zstd');
  assert.ok(zstdDecompressSync(zstd.body).equals(plain.body));
  const gzip = await ask('gzip, br');
  assert.equal(gzip.encoding, 'gzip');
  assert.ok(gunzipSync(gzip.body).equals(plain.body));
  assert.ok(gzip.body.length < plain.body.length / 2);
  assert.equal((await ask('identity')).encoding, undefined);
});

test('a page links to the next one, and the last page to none', async () => {
  const fields = { ...RANGE, params: TICK_BARS, mode: 'confirmed', limit: '400' };
  const { body: first, headers } = await service.get(address('/v1/history', fields), {
    key: reader.key,
  });
  const [, query] = /^<(\?[^>]+)>; rel="next"$/.exec(String(headers.link))!;
  const next = await service.get(`/v1/history${query}`, { key: reader.key });
  const { next: cursor } = first as unknown as { readonly next: string };
  assert.deepEqual(next.body, await reader.page({ ...fields, cursor }));
  const all = address('/v1/history', { ...fields, limit: '10000' });
  assert.equal((await service.get(all, { key: reader.key })).headers.link, undefined);
});

test('HEAD of what costs something judges the request as GET does, and costs nothing', async () => {
  const head = (path: string, fields: Fields) =>
    service.request('HEAD', address(path, fields), { key: reader.key });
  const used = async () => {
    const { body } = await service.get('/v1/usage', { key: reader.key });
    return (body as unknown as { used: { computeUnits: number } }).used.computeUnits;
  };
  const before = await used();
  for (const path of ['/v1/history', '/v1/export']) {
    const { status, headers } = await head(path, RANGE);
    assert.equal(status, 200, path);
    assert.equal(headers['content-length'], undefined);
    assert.ok(headers['content-type'] !== undefined);
    assert.equal((await head(path, { ...RANGE, indicator: 'candles' })).status, 404);
    assert.equal((await head(path, { ...RANGE, from: 'now' })).status, 400);
    assert.equal((await service.request('HEAD', address(path, RANGE))).status, 401);
  }
  assert.equal(await used(), before);
});
