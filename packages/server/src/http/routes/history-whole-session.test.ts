/** A session is served whole or not at all: the days a query needs before its range, and how far back objects come. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { utcDay } from '@tapeloom/core/utc-day';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  type HistoryPath,
  HistoryReader,
  TICK_BARS,
} from '../../../testing/history/history-requests.ts';
import { checkAnswer } from '../../../testing/rest/answer-check.ts';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';

const PATHS: readonly HistoryPath[] = ['/v1/history', '/v1/history/estimate', '/v1/export'];
/** Its session, Tuesday's, opened on Monday, the 9th. */
const TUESDAY: Fields = {
  instrument: 'ESZ6',
  indicator: 'vwap',
  params: TICK_BARS,
  from: '2026-11-10',
  to: '2026-11-11',
};
const MONDAY = utcDay(20261109);
const LEVELS: Fields = { ...TUESDAY, indicator: 'naked-levels', params: '{"lookback":3}' };

let service: RestService;
let reader: HistoryReader;
let port = 0;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  port = await service.listen();
  const key = await service.customer('live_history');
  reader = new HistoryReader(service, key, checkAnswer);
});
beforeEach(() => service.tape.hide('ESZ6'));
after(() => service[Symbol.asyncDispose]());

const text = (iso: string) => String(instantOf(iso));

async function exported(fields: Fields) {
  const url = `http://127.0.0.1:${port}${address('/v1/export', fields)}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${reader.key}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  const lines = zstdDecompressSync(bytes).toString().trim().split('\n');
  const token = response.headers.get('x-export-token')!;
  return { lines, header: JSON.parse(lines[0]!), token };
}

test('without the day on which the session of from opened: 402 with that day, everywhere, and nothing is charged [HIST-18] [HIST-19] [ERR-20]', async () => {
  const whole = await reader.page(TUESDAY);
  service.tape.hide('ESZ6', MONDAY);
  const before = await reader.usage();
  for (const path of PATHS) {
    const refused = await reader.refused(TUESDAY, 402, 'NOT_COVERED', path);
    assert.deepEqual(refused.missingDays, ['2026-11-09']);
    assert.equal(refused.computeUnits, TRADES_A_DAY, 'what [from, to) costs');
  }
  const replay = { ...TUESDAY, snapshot: 'true' };
  const refused = await reader.refused(replay, 402, 'NOT_COVERED');
  assert.deepEqual(refused.missingDays, ['2026-11-09']);
  // A further page begins inside that session.
  const further = { ...TUESDAY, cursor: whole.items[9]!.cursor };
  assert.deepEqual((await reader.refused(further, 402, 'NOT_COVERED')).missingDays, ['2026-11-09']);
  assert.deepEqual(
    { ...(await reader.usage()).used, restRequests: 0 },
    { ...before.used, restRequests: 0 },
  );
  service.tape.hide('ESZ6');
  assert.deepEqual(await reader.page(TUESDAY), whole);
});

test('of very many missing days the first 1,000 are named, and all are counted', async () => {
  const years = { ...TUESDAY, from: '2020-01-01' };
  const refused = await reader.refused(years, 402, 'NOT_COVERED');
  assert.equal(refused.missingDays!.length, 1_000);
  assert.equal(refused.missingDays![0], '2020-01-01');
  assert.ok(refused.missingDaysTotal! > 2_400);
  assert.equal((await reader.estimate(TUESDAY)).missingDaysTotal, 0);
});

test('only the session of the indicator counts, and only up to its open', async () => {
  const ofUtc = { ...TUESDAY, params: '{"bar":"tick","size":2,"session":"utc"}' };
  const next = { ...TUESDAY, from: '2026-11-10T23:00:00Z', to: '2026-11-12' };
  const whole = [await reader.page(ofUtc), await reader.page(next)];
  service.tape.hide('ESZ6', MONDAY);
  assert.deepEqual([await reader.page(ofUtc), await reader.page(next)], whole);
  const before = { ...next, from: '2026-11-10T21:59:59Z' };
  assert.deepEqual((await reader.refused(before, 402, 'NOT_COVERED')).missingDays, ['2026-11-09']);
  // While the market is shut nothing is open; a snapshot shows the session before, and needs it.
  const shut = { ...next, from: '2026-11-10T22:30:00Z' };
  assert.equal((await reader.page(shut)).items.length, whole[1]!.items.length);
  const refused = await reader.refused({ ...shut, snapshot: 'true' }, 402, 'NOT_COVERED');
  assert.deepEqual(refused.missingDays, ['2026-11-09']);
});

test('rights and charges look at the range alone [PLAN-16]', async () => {
  const own = reader.with(await service.customer('sandbox'));
  // Seven days ago, at midnight: the session opened an hour before.
  const page = await own.page({ ...TUESDAY, from: '2026-11-04', to: '2026-11-05' });
  assert.ok(page.items.length > 0);
  assert.equal(page.computeUnits, TRADES_A_DAY);
  assert.equal((await own.estimate({ ...TUESDAY, from: '2026-11-04', to: '2026-11-05' })).days, 1);
});

test('answers say how far back carried objects come: as far as sessions are whole, and no further than the look-back [DET-16]', async () => {
  const told = async (fields: Fields) => {
    const { lookBackFrom } = await reader.page(fields);
    assert.equal((await reader.estimate(fields)).lookBackFrom, lookBackFrom);
    assert.equal((await exported(fields)).header.lookBackFrom, lookBackFrom);
    return lookBackFrom;
  };
  // Three sessions before Tuesday's: those of Monday, Friday and Thursday.
  assert.equal(await told(LEVELS), text('2026-11-04T23:00:00Z'));
  service.tape.hide('ESZ6', utcDay(20261105));
  assert.equal(await told(LEVELS), text('2026-11-08T23:00:00Z'), 'Friday is not whole');
  service.tape.hide('ESZ6', utcDay(20261108));
  assert.equal(await told(LEVELS), text('2026-11-09T23:00:00Z'), 'Monday is not whole');
  const weekend = { ...LEVELS, from: '2026-11-07' };
  service.tape.hide('ESZ6', utcDay(20261105));
  assert.equal(await told(weekend), text('2026-11-07T00:00:00Z'), 'nothing is open then');
  assert.equal(await told({ ...TUESDAY, indicator: 'bars' }), null);
});

test('levels come from whole sessions only [DET-16]', async () => {
  const range = { ...LEVELS, from: '2026-11-07', to: '2026-11-11' };
  /** The days of the sessions whose levels are traded in the range. */
  const days = async () => {
    const { items } = await reader.page(range);
    const removed = items.filter(({ t }) => t === 'remove');
    return [...new Set(removed.map(({ id }) => id!.slice(0, 8)))];
  };
  assert.deepEqual(await days(), ['20261106', '20261109']);
  // Friday's session opened on Thursday.
  service.tape.hide('ESZ6', utcDay(20261105));
  assert.deepEqual(await days(), ['20261109']);
});

test('an export is not resumed with other days before its range [SEC-24]', async () => {
  service.tape.hide('ESZ6', utcDay(20261105));
  const levels = await exported(LEVELS);
  const bars = await exported(TUESDAY);
  service.tape.hide('ESZ6');
  await reader.refused({ resume: levels.token }, 410, 'CURSOR_EXPIRED', '/v1/export');
  assert.deepEqual(
    (await exported({ resume: bars.token })).lines,
    bars.lines,
    'it needs none of them',
  );
});
