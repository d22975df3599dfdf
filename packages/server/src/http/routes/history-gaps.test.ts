/** `gaps=allow`: the present parts of an incomplete range, and the list of its missing parts. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { EpochNs } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  type HistoryPath,
  HistoryReader,
  type Page,
} from '../../../testing/history/history-requests.ts';
import { checkAnswer } from '../../../testing/rest/answer-check.ts';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';

const PATHS: readonly HistoryPath[] = ['/v1/history', '/v1/history/estimate', '/v1/export'];
const HOUR_NS = 3_600_000_000_000;
const WEEK: Fields = {
  instrument: 'ESZ6',
  indicator: 'bars',
  params: '{"bar":"tick","size":2,"session":"utc"}',
  from: '2026-11-02',
  to: '2026-11-07',
  limit: '10000',
};
const ALLOWED: Fields = { ...WEEK, gaps: 'allow' };
const [TUESDAY, WEDNESDAY, FRIDAY] = [20261103, 20261104, 20261106].map(utcDay);

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
beforeEach(() => {
  service.tape.hide('ESZ6');
  service.tape.of('ESZ6').partial.clear();
  service.tape.of('ESZ6').damaged.clear();
});
after(() => service[Symbol.asyncDispose]());

const text = (iso: string) => String(instantOf(iso));

/** A missing Tuesday, a Wednesday without an hour in which it traded, a Friday whose index cannot be read. */
function takeAway(): void {
  service.tape.hide('ESZ6', TUESDAY!);
  const tape = service.tape.of('ESZ6');
  tape.partial.set(WEDNESDAY!, [[16 * HOUR_NS, 17 * HOUR_NS]]);
  tape.damaged.set(FRIDAY!, 'index');
}

const GAPS = [
  { from: text('2026-11-03T00:00:00Z'), to: text('2026-11-04T00:00:00Z'), why: 'missing' },
  { from: text('2026-11-04T16:00:00Z'), to: text('2026-11-04T17:00:00Z'), why: 'partial' },
  { from: text('2026-11-06T00:00:00Z'), to: text('2026-11-06T22:00:00Z'), why: 'damaged' },
];

async function exported(fields: Fields) {
  const url = `http://127.0.0.1:${port}${address('/v1/export', fields)}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${reader.key}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  return { bytes, headers: response.headers };
}

const withoutPages = ({ limit: _, ...fields }: Fields): Fields => fields;

test('missing, partial and damaged days are refused, and passed over where gaps are allowed [HIST-17] [HIST-18] [HIST-19]', async () => {
  const whole = await reader.page(WEEK);
  takeAway();
  const missingDays = ['2026-11-03', '2026-11-04', '2026-11-06'];
  for (const path of PATHS) {
    const fields = path === '/v1/export' ? withoutPages(WEEK) : WEEK;
    const refused = await reader.refused(fields, 402, 'NOT_COVERED', path);
    assert.deepEqual(refused.missingDays, missingDays);
  }
  const page = await reader.page(ALLOWED);
  assert.deepEqual([page.gaps, page.gapsTotal], [GAPS, 3]);
  assert.equal(page.computeUnits, 3 * TRADES_A_DAY, 'what is there costs what it always does');
  const estimate = await reader.estimate(ALLOWED);
  assert.deepEqual([estimate.gaps, estimate.missingDays], [GAPS, missingDays]);
  assert.equal(estimate.computeUnits, page.computeUnits);
  const days = (items: Page['items']) => [
    ...new Set(items.map(({ cursor }) => cursor.slice(0, 8))),
  ];
  assert.deepEqual(days(page.items), ['20261102', '20261104', '20261105']);
  // Monday's session is there, so it gives the same as with all days on the tape.
  const monday = ({ cursor }: Page['items'][number]) => cursor.startsWith('20261102');
  assert.deepEqual(page.items.filter(monday), whole.items.filter(monday));
});

test('where nothing is missing, what is allowed changes nothing', async () => {
  const { gaps, gapsTotal, ...page } = await reader.page(ALLOWED);
  assert.deepEqual([gaps, gapsTotal], [[], 0]);
  assert.deepEqual(page, await reader.page({ ...WEEK, gaps: 'refuse' }));
  await reader.refusedAt({ ...WEEK, gaps: 'maybe' }, '/gaps');
});

test('pages of any size walk over the gaps, and cost together what the estimate says [HIST-05] [HIST-16]', async () => {
  takeAway();
  const page = await reader.page(ALLOWED);
  for (const snapshot of ['false', 'true']) {
    const pages = await reader.walk({ ...ALLOWED, limit: '97', snapshot });
    const items = pages.flatMap((one) => one.items);
    const units = pages.reduce((sum, { computeUnits }) => sum + computeUnits, 0);
    assert.equal(units, page.computeUnits);
    assert.deepEqual(pages[0]!.gaps, GAPS);
    assert.deepEqual(pages.at(-1)!.gaps, [GAPS[2]], 'from where it reads on');
    if (snapshot === 'false') assert.deepEqual(items, page.items);
    else {
      const finals = items.filter(({ final }) => final === true);
      assert.deepEqual(
        finals,
        page.items.filter(({ final }) => final === true),
      );
    }
  }
  // The midnight of a day that is not there is where a page may end.
  const rest = await reader.page({ ...ALLOWED, cursor: '20261103.0.0' });
  assert.deepEqual(
    rest.items,
    page.items.filter(({ cursor }) => !cursor.startsWith('20261102')),
  );
  await reader.refused({ ...ALLOWED, cursor: '20261103.5.0' }, 410, 'CURSOR_EXPIRED');
});

test('an export says its gaps in its header, and goes on with them', async () => {
  takeAway();
  const page = await reader.page(ALLOWED);
  const { bytes, headers } = await exported(withoutPages(ALLOWED));
  const [header, ...lines] = zstdDecompressSync(bytes).toString().trim().split('\n');
  assert.deepEqual(JSON.parse(header!).gaps, GAPS);
  assert.equal(headers.get('x-export-gaps'), '3');
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line)),
    page.items,
  );
  const token = headers.get('x-export-token')!;
  const resumed = await exported({ resume: token, line: '5' });
  const rest = zstdDecompressSync(resumed.bytes).toString().trim().split('\n');
  assert.deepEqual(rest, lines.slice(4));
  const csv = await exported({ ...withoutPages(ALLOWED), format: 'csv' });
  assert.equal(csv.headers.get('x-export-gaps'), '3');
  // A gap that is filled gives other lines.
  service.tape.hide('ESZ6');
  await reader.refused({ resume: token, line: '5' }, 410, 'CURSOR_EXPIRED', '/v1/export');
});

test('nothing of it is taken for whole later: not by who refuses gaps, nor when one is filled [DET-18]', async () => {
  const thursday: Fields = {
    ...WEEK,
    from: '2026-11-05',
    indicator: 'session-levels',
    params: '{}',
  };
  const whole = [await reader.page(WEEK), await reader.page(thursday)];
  const tag = async (fields: Fields) => {
    const { headers } = await service.get(address('/v1/history', fields), { key: reader.key });
    return headers.etag;
  };
  const tags = new Set([await tag(ALLOWED)]);
  takeAway();
  for (const fields of [ALLOWED, { ...thursday, gaps: 'allow' }]) await reader.page(fields);
  tags.add(await tag(ALLOWED));
  await reader.refused(WEEK, 402, 'NOT_COVERED');
  service.tape.hide('ESZ6');
  tags.add(await tag(ALLOWED));
  await reader.refused(WEEK, 402, 'NOT_COVERED');
  service.tape.of('ESZ6').partial.set(WEDNESDAY!, [[16 * HOUR_NS, 16.5 * HOUR_NS]]);
  tags.add(await tag(ALLOWED));
  service.tape.of('ESZ6').partial.clear();
  service.tape.of('ESZ6').damaged.clear();
  assert.deepEqual([await reader.page(WEEK), await reader.page(thursday)], whole);
  assert.equal(tags.size, 4, 'other gaps, another page');
});

test('damage that is found by reading is passed over in the same answer, until its files are put back', async () => {
  takeAway();
  const page = await reader.page(ALLOWED);
  const tape = service.tape.of('ESZ6');
  tape.damaged.set(FRIDAY!, 'trades');
  assert.deepEqual(await reader.page(ALLOWED), page);
  // Its files are restored: that is noticed within a second.
  const whole = { ...WEEK, from: '2026-11-05' };
  assert.deepEqual((await reader.refused(whole, 402, 'NOT_COVERED')).missingDays, ['2026-11-06']);
  tape.damaged.clear();
  service.tape.commit('ESZ6', [], (service.tape.promise! + 1_000_000_000n) as EpochNs);
  assert.equal((await reader.page(whole)).computeUnits, 2 * TRADES_A_DAY);
});

test('an export whose first days turn out to be damaged begins without them, and is charged once', async () => {
  service.tape.of('ESZ6').damaged.set(utcDay(20261102), 'trades');
  const before = (await reader.usage()).used.computeUnits;
  // Nothing of these is in memory.
  const params = '{"bar":"tick","size":5,"session":"utc"}';
  const { bytes, headers } = await exported({ ...withoutPages(ALLOWED), params });
  const [header] = zstdDecompressSync(bytes).toString().split('\n');
  const why = 'damaged';
  const gap = { from: text('2026-11-02T00:00:00Z'), to: text('2026-11-03T00:00:00Z'), why };
  assert.deepEqual(JSON.parse(header!).gaps, [gap]);
  assert.equal(headers.get('x-export-gaps'), '1');
  assert.equal((await reader.usage()).used.computeUnits - before, 4 * TRADES_A_DAY);
});
