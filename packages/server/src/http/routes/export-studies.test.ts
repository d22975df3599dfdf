/** Several indicators of one contract in one export, and the digest headers of every export. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { utcDay } from '@tapeloom/core/utc-day';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import { HistoryReader, RANGE } from '../../../testing/history/history-requests.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

type Fields = Readonly<Record<string, string | readonly string[]>>;

const BARS = [
  { bar: 'tick', size: 5 },
  { bar: 'tick', size: 7 },
] as const;
const SEVERAL: Fields = {
  ...RANGE,
  indicator: ['bars', 'footprint', 'bars'],
  params: [JSON.stringify(BARS[0]), '{}', JSON.stringify(BARS[1])],
};

let service: RestService;
let port = 0;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  port = await service.listen();
  reader = new HistoryReader(service, await service.customer('history'));
});
after(async () => {
  assert.deepEqual(service.logged, [], 'nothing failed inside');
  await service[Symbol.asyncDispose]();
});

function addressOf(path: string, fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one]),
  );
  return `${path}?${new URLSearchParams(pairs)}`;
}

interface Exported {
  readonly lines: readonly string[];
  readonly bytes: Buffer;
  readonly answer: IncomingMessage;
}

/** By the plain client, which shows trailers. */
async function exported(fields: Fields, headers: Record<string, string> = {}): Promise<Exported> {
  const request = get({
    port,
    host: '127.0.0.1',
    path: addressOf('/v1/export', fields),
    headers: { authorization: `Bearer ${reader.key}`, ...headers },
  });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  const bytes = Buffer.concat(pieces);
  assert.equal(answer.statusCode, 200, bytes.toString());
  const isLines = bytes.length > 0 && answer.headers['content-type'] === 'application/zstd';
  const text = isLines ? zstdDecompressSync(bytes).toString() : '';
  return { lines: text.match(/.*\n/g) ?? [], bytes, answer };
}

async function faults(path: string, fields: Fields): Promise<readonly string[]> {
  const { status, body } = await service.get<{ errors: { path: string }[] }>(
    addressOf(path, fields),
    { key: reader.key },
  );
  assert.equal(status, 400);
  return body.errors.map((fault) => fault.path);
}

function digestOf(bytes: Buffer): string {
  return `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
}

test('several studies are the lines of each alone, one after the other, named, for the sum of their units', async () => {
  const before = (await reader.usage()).used.computeUnits;
  const { lines, answer } = await exported(SEVERAL);
  const { used } = await reader.usage();
  const { body: estimate } = await service.get<{ computeUnits: number; studies: object[] }>(
    addressOf('/v1/history/estimate', SEVERAL),
    { key: reader.key },
  );
  assert.equal(used.computeUnits - before, estimate.computeUnits);
  assert.equal(estimate.studies.length, 3);
  const expected: string[] = [];
  let units = 0;
  const ids = SEVERAL.indicator as readonly string[];
  for (const [at, indicator] of ids.entries()) {
    const alone = { ...RANGE, indicator, params: SEVERAL.params![at]! };
    const own = (await exported(alone)).lines.slice(1, -1);
    const mark = `,"indicator":"${indicator}","study":${at}`;
    expected.push(...own.map((line) => line.slice(0, 13) + mark + line.slice(13)));
    units += (await reader.estimate(alone)).computeUnits;
  }
  assert.equal(estimate.computeUnits, units);
  assert.ok(units >= 3 * TRADES_A_DAY);
  assert.deepEqual(lines.slice(1, -1), expected);
  const header = JSON.parse(lines[0]!);
  assert.deepEqual(
    header.studies.map((study: { indicator: string }) => study.indicator),
    ids,
  );
  assert.ok(!('indicator' in header || 'params' in header));
  assert.deepEqual(JSON.parse(lines.at(-1)!), { t: 'end', items: expected.length });
  assert.match(answer.headers['content-disposition']!, /"ESZ6-bars\+footprint\+bars-/);
});

test('the estimate of several studies lists each missing day once, also one that a single study needs [HIST-17]', async () => {
  service.tape.hide('ESZ6', utcDay(20261104), utcDay(20261105));
  const asked = {
    ...RANGE,
    indicator: ['bars', 'bars'],
    params: ['{"session":"utc"}', '{"session":"full"}'],
    from: '2026-11-05',
    to: '2026-11-07',
    gaps: 'allow',
  };
  const { body } = await service.get<{ missingDays: readonly string[] }>(
    addressOf('/v1/history/estimate', asked),
    { key: reader.key },
  );
  service.tape.hide('ESZ6');
  // The full session of the 5th opened on the 4th.
  assert.deepEqual(body.missingDays, ['2026-11-04', '2026-11-05']);
});

test('several studies go on at any line, for no units; a key makes them one request, charged whole [COUNT-22]', async () => {
  const key = { 'idempotency-key': 'studies' };
  const unused = (await reader.usage()).used.computeUnits;
  const { lines, answer } = await exported(SEVERAL, key);
  const before = (await reader.usage()).used.computeUnits;
  assert.equal(before - unused, 3 * 2 * TRADES_A_DAY);
  const resume = answer.headers['x-export-token'] as string;
  const secondAt = lines.findIndex((line) => line.includes('"study":1'));
  const thirdAt = lines.findIndex((line) => line.includes('"study":2'));
  const all = lines.length;
  for (const line of [0, 1, secondAt - 1, secondAt, secondAt + 1, thirdAt, all - 2, all - 1, all]) {
    const rest = await exported({ resume, line: String(line) });
    assert.deepEqual(rest.lines, lines.slice(line));
  }
  const again = await exported(SEVERAL, key);
  assert.deepEqual(again.lines, lines);
  assert.equal(again.answer.headers['idempotent-replayed'], 'true');
  assert.equal((await reader.usage()).used.computeUnits, before);
});

test('what is wrong with one of several is told at its place', async () => {
  for (const path of ['/v1/export', '/v1/history/estimate']) {
    const of = (more: Fields) => faults(path, { ...SEVERAL, ...more });
    assert.deepEqual(await of({ params: ['{}', '{}', '{"size":0}'] }), ['/params/2/size']);
    assert.deepEqual(await of({ params: ['{}', 'x', '{"sise":1}'], from: 'x' }), [
      '/from',
      '/params/1',
      '/params/2/sise',
    ]);
    assert.deepEqual(await of({ indicator: ['bars', '', 'bars'] }), ['/indicator/1']);
    assert.deepEqual(await of({ params: ['{}', '{}'] }), ['/params']);
    assert.deepEqual(await of({ params: '{}' }), ['/params']);
    assert.deepEqual(await of({ indicator: Array(9).fill('bars') }), ['/indicator']);
    const unknown = addressOf(path, { ...SEVERAL, indicator: ['bars', 'bras', 'bars'] });
    const { status, text } = await service.get(unknown, { key: reader.key });
    assert.equal(status, 404);
    assert.match(text, /no indicator \\"bras\\"/);
  }
  assert.deepEqual(await faults('/v1/export', { ...SEVERAL, format: 'parquet' }), ['/format']);
  assert.deepEqual(await faults('/v1/history/estimate', { ...SEVERAL, limit: '5' }), ['/limit']);
  const paged = await faults('/v1/history', SEVERAL);
  assert.deepEqual(paged, ['/indicator', '/params']);
});

test('an export says its digest: small ones ahead with their length, others and tables at the end', async () => {
  // The digest does not wait for a part that must be computed first.
  await exported(RANGE);
  const small = await exported(RANGE);
  const { headers } = small.answer;
  assert.equal(headers['content-length'], String(small.bytes.length));
  assert.equal(headers['content-digest'], digestOf(small.bytes));
  assert.ok(!('transfer-encoding' in headers || 'trailer' in headers));
  for (const fields of [SEVERAL, { ...RANGE, format: 'parquet' }]) {
    const { bytes, answer } = await exported(fields);
    assert.equal(answer.headers.trailer, 'Content-Digest');
    assert.equal(answer.headers['transfer-encoding'], 'chunked');
    assert.equal(answer.trailers['content-digest'], digestOf(bytes));
  }
  const resume = small.answer.headers['x-export-token'] as string;
  const rest = await exported({ resume, line: String(small.lines.length) });
  assert.equal(rest.answer.headers['content-length'], '0');
});
