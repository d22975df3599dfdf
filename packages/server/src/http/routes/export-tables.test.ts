/** Exports as Parquet and Arrow: the same results as the lines of the same query, at the same cost. */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { Problem } from '@tapeloom/protocol/problem';
import fc from 'fast-check';
import { seededRandom } from '../../../../../simulation/clock/seeded-random.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import {
  inMicroseconds,
  type Places,
  readArrow,
  readCsv,
  readParquet,
  readParquetByDuckDb,
  rowOfLine,
  type TableRow,
} from '../../../testing/table-readers.ts';
import type { MemoryTrade } from '../../../testing/tape/memory-tape.ts';
import { ExportTokens } from '../../exports/export-token.ts';
import { TABLE_VERSIONS } from '../../exports/table-versions.ts';
import type { DaysRead } from '../../results/settled-days.ts';

type Fields = Readonly<Record<string, string>>;
type Sources = RestService['sources'];

interface Usage {
  readonly used: { readonly computeUnits: number; readonly exportBytes: number };
}
interface Exported {
  readonly bytes: Buffer;
  readonly token: string;
  readonly headers: Headers;
}

const TABLES = ['parquet', 'arrow', 'csv'] as const;
const FIRST_DAY = utcDay(20261102);
const DAYS = 10;
const BURSTS_A_DAY = 60;
/** Ends in the middle of a session, with objects that form. */
const RANGE: Fields = {
  instrument: 'ESZ6',
  from: '2026-11-09T14:40:00Z',
  to: '2026-11-10T16:10:00.000000001Z',
};
const BARS: Fields = { ...RANGE, indicator: 'bars' };
/** Parameters for indicators whose defaults would find nothing on this tape. */
const PARAMS: Readonly<Record<string, object>> = {
  'large-trades': { minSize: 40, gapMs: 100 },
  imbalances: { size: 600, minVolume: 1, ratio: 1.1, stack: 1, zero: 'count' },
  'unfinished-auctions': { size: 3_600 },
  absorption: { minSize: 30, windowMs: 5_000, holdMs: 1_000, slip: 50 },
  sweeps: { levels: 2, gapMs: 100 },
};

const LEVELS: Places[string] = [['price'], ['bid'], ['ask'], ['unknown', 0]];
const PLACES: Readonly<Record<string, Places>> = {
  footprint: { levels: LEVELS, imbalances: [['price'], ['side']] },
  'volume-profile': { levels: LEVELS },
  tpo: { rows: [['price'], ['letters']] },
};

let service: RestService;
let port = 0;
let key = '';
/** Connections that are open. */
const lines = new Set<Socket>();
before(async () => {
  service = await RestService.start();
  service.http.app.server.on('connection', (line) => {
    lines.add(line);
    line.once('close', () => lines.delete(line));
  });
  fillTape();
  port = await service.listen();
  key = await service.customer('history');
});
after(() => service[Symbol.asyncDispose]());

/** Bursts of trades with times to the nanosecond; sides stay for a while, prices wander between two. */
function fillTape(): void {
  const random = seededRandom(11);
  const below = (limit: number) => Math.floor(random() * limit);
  let price = 20_006;
  for (let at = 0; at < DAYS; at += 1) {
    const day = addDays(FIRST_DAY, at);
    if (day === utcDay(20261107)) continue;
    const trades: MemoryTrade[] = [];
    for (let burst = 0; burst < BURSTS_A_DAY; burst += 1) {
      const side = ([-1, 1, 1, -1, 0] as const)[below(5)]!;
      let ns = 52_200_000_000_000 + burst * 97_000_000_000 + below(1_000_000_000);
      for (let left = 1 + below(12); left > 0; left -= 1) {
        ns += below(90_000_000);
        price = Math.min(20_012, Math.max(20_000, price + below(2) * (side === 1 ? 1 : -1)));
        trades.push({ at: epochNs(day, ns), price, size: 1 + below(30), side });
      }
    }
    const now = service.clock.now();
    const end = epochNs(day, 86_399_000_000_000);
    service.tape.commit('ESZ6', trades, end < now ? end : now);
  }
  service.market.tapeTime = service.clock.now();
}

function fetchExport(fields: Fields, secret = key, init: RequestInit = {}): Promise<Response> {
  const url = `http://127.0.0.1:${port}/v1/export?${new URLSearchParams(fields)}`;
  return fetch(url, { ...init, headers: { authorization: `Bearer ${secret}` } });
}

async function exported(fields: Fields, secret = key): Promise<Exported> {
  const response = await fetchExport(fields, secret);
  if (response.status !== 200) assert.fail(await response.text());
  const bytes = Buffer.from(await response.arrayBuffer());
  const { headers } = response;
  return { bytes, token: headers.get('x-export-token')!, headers };
}

async function linesOf(fields: Fields): Promise<readonly string[]> {
  const { bytes } = await exported(fields);
  return zstdDecompressSync(bytes).toString().trimEnd().split('\n');
}

async function refused(fields: Fields, status: number, code: ErrorCode): Promise<Problem> {
  const response = await fetchExport(fields);
  const headers = Object.fromEntries(response.headers);
  const answer = { status: response.status, headers, body: await response.json() };
  return checkProblem(answer, DOCS_URL, { status, code });
}

async function refusedAt(fields: Fields, path: string): Promise<string> {
  const { errors = [] } = await refused(fields, 400, 'INVALID_PARAMETERS');
  assert.deepEqual(
    errors.map((fault) => fault.path),
    [path],
  );
  return errors[0]!.message;
}

async function usageOf(secret: string): Promise<Usage['used']> {
  const { used } = (await service.get<Usage>('/v1/usage', { key: secret })).body;
  return { computeUnits: used.computeUnits, exportBytes: used.exportBytes };
}

test('a table of every indicator is the lines of the same query, row by row [EXP-01]', async () => {
  const seen: TableRow[] = [];
  for (const { id, data } of INDICATORS) {
    const params = JSON.stringify(PARAMS[id] ?? {});
    const fields = { ...RANGE, indicator: id, params };
    const [header, ...results] = await linesOf(fields);
    const { t: _header, ...facts } = JSON.parse(header!);
    const rows = results.slice(0, -1).map((line) => rowOfLine(line, PLACES[id]));
    assert.ok(rows.length > 0, `${id} has no results`);
    seen.push(...rows);
    const told = Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const expected = { rows, facts: Object.fromEntries(told), groups: [rows.length] };
    const arrow = await exported({ ...fields, format: 'arrow' });
    assert.deepEqual(readArrow(arrow.bytes), expected, id);
    const parquet = await exported({ ...fields, format: 'parquet' });
    assert.deepEqual(await readParquet(parquet.bytes), expected, id);
    assert.deepEqual(await readParquetByDuckDb(parquet.bytes), rows.map(inMicroseconds), id);
    if (isNested(data)) continue;
    const csv = await exported({ ...fields, format: 'csv' });
    assert.deepEqual(readCsv(csv.bytes), rows.map(inTexts), id);
  }
  assert.ok(seen.some(({ t }) => t === 'remove'));
  assert.ok(seen.some(({ final }) => final === false));
  assert.ok(seen.some(({ ts }) => !String(ts).endsWith('000')));
});

/** As CSV has it: empty fields are absent. */
function inTexts(row: TableRow): Readonly<Record<string, string>> {
  const entries = Object.entries(row).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** Decided without the code under test. */
function isNested(data: object): boolean {
  return /"type":"(array|object)"/.test(
    JSON.stringify((data as { properties: object }).properties),
  );
}

test('without results a table has its columns and no rows', async () => {
  const fields = { ...BARS, from: '2026-11-08T01:00:00Z', to: '2026-11-08T02:00:00Z' };
  const parquet = await exported({ ...fields, format: 'parquet' });
  assert.deepEqual(await readParquetByDuckDb(parquet.bytes), []);
  assert.deepEqual(readArrow((await exported({ ...fields, format: 'arrow' })).bytes).rows, []);
});

test('a table names its type and its file, and ndjson is the default', async () => {
  const named = async (format: string) => {
    const { headers } = await exported({ ...BARS, format });
    return [headers.get('content-type'), headers.get('content-disposition')];
  };
  const file = (end: string) => `attachment; filename="ESZ6-bars-20261109-20261110.${end}"`;
  assert.deepEqual(await named('parquet'), ['application/vnd.apache.parquet', file('parquet')]);
  assert.deepEqual(await named('arrow'), ['application/vnd.apache.arrow.stream', file('arrows')]);
  assert.deepEqual(await named('csv'), ['application/zstd', file('csv.zst')]);
  assert.deepEqual(await named('ndjson'), ['application/zstd', file('ndjson.zst')]);
  const plain = await exported(BARS);
  assert.ok(plain.bytes.equals((await exported({ ...BARS, format: 'ndjson' })).bytes));
});

test('a table costs what its lines cost, and the bytes that were sent [COUNT-15] [COUNT-24]', async () => {
  const costs = await Promise.all(
    ['ndjson', ...TABLES].map(async (format) => {
      const secret = await service.customer('history');
      const { bytes } = await exported({ ...BARS, format }, secret);
      const used = await usageOf(secret);
      assert.equal(used.exportBytes, bytes.length);
      return used.computeUnits;
    }),
  );
  assert.ok(costs[0]! > 0);
  assert.deepEqual(new Set(costs), new Set([costs[0]]));
});

test('a table is resumed at any byte, free of compute units [EXP-06] [COUNT-23] [COUNT-26]', async () => {
  for (const format of TABLES) {
    const secret = await service.customer('history');
    const { bytes, token } = await exported({ ...BARS, format }, secret);
    const { computeUnits } = await usageOf(secret);
    let written = bytes.length;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length }), async (byte) => {
        const rest = await exported({ resume: token, byte: String(byte) }, secret);
        assert.ok(rest.bytes.equals(bytes.subarray(byte)));
        assert.equal(rest.token, token);
        written += rest.bytes.length;
      }),
      { numRuns: 15, examples: [[0], [1], [bytes.length - 1], [bytes.length]] },
    );
    assert.ok((await exported({ resume: token }, secret)).bytes.equals(bytes));
    const used = await usageOf(secret);
    assert.deepEqual(used, { computeUnits, exportBytes: written + bytes.length });
  }
});

test('what does not fit a format is refused at its field, and costs nothing', async () => {
  const before = await usageOf(key);
  assert.equal(
    await refusedAt({ ...BARS, format: 'xlsx' }, '/format'),
    'must be one of ndjson, parquet, arrow, csv',
  );
  const message = await refusedAt({ ...RANGE, indicator: 'footprint', format: 'csv' }, '/format');
  for (const { id, data } of INDICATORS) {
    const isNamed = message.split(/[ ,:]+/).includes(id);
    assert.equal(isNamed, !isNested(data) || id === 'footprint', id);
  }
  await refusedAt({ ...BARS, byte: '5' }, '/byte');
  assert.deepEqual(await usageOf(key), before);

  const lines = (await exported(BARS)).token;
  const { token: table, bytes } = await exported({ ...BARS, format: 'arrow' });
  const after = await usageOf(key);
  await refusedAt({ resume: lines, byte: '0' }, '/byte');
  await refusedAt({ resume: table, line: '0' }, '/line');
  await refusedAt({ resume: table, line: '0', byte: '0' }, '/line');
  await refusedAt({ resume: table, format: 'arrow' }, '/format');
  await refusedAt({ resume: table, byte: String(bytes.length + 1) }, '/byte');
  for (const byte of ['-1', '1.5', 'x', '']) await refusedAt({ resume: table, byte }, '/byte');
  assert.deepEqual(await usageOf(key), after);
});

test('a token of a table ends with what wrote it; one of lines does not', async () => {
  const lines = (await exported(BARS)).token;
  const { token } = await exported({ ...BARS, format: 'parquet' });
  const { tokens } = service;
  // Other tokens of the same service: those of before are unknown to them.
  const options = { secret: new Uint8Array(32) };
  const old = new ExportTokens(options);
  const renewed = new ExportTokens({
    ...options,
    tableVersions: { ...TABLE_VERSIONS, parquet: 'another' },
  });
  try {
    service.tokens = old;
    const issued = {
      ndjson: (await exported(BARS)).token,
      parquet: (await exported({ ...BARS, format: 'parquet' })).token,
      arrow: (await exported({ ...BARS, format: 'arrow' })).token,
    };
    service.tokens = renewed;
    await refused({ resume: issued.parquet }, 410, 'CURSOR_EXPIRED');
    await exported({ resume: issued.arrow });
    await exported({ resume: issued.ndjson });
    await refusedAt({ resume: token }, '/resume');
    await refusedAt({ resume: lines }, '/resume');
  } finally {
    service.tokens = tokens;
  }
});

test('a cut table is charged its range and the bytes that were written; the rest joins it [COUNT-22] [COUNT-25] [EXP-06] [SEC-28]', async () => {
  const accountId = await service.account('history');
  const { secret } = await service.key(accountId);
  const fields = { ...BARS, format: 'arrow' };
  const whole = await exported(fields);
  const { sources } = service;
  service.sources = stoppingAfterOne(sources);
  try {
    const client = new AbortController();
    const response = await fetchExport(fields, secret, { signal: client.signal });
    const token = response.headers.get('x-export-token')!;
    const { value } = await response.body!.getReader().read();
    const held = Buffer.from(value!);
    const { computeUnits } = await usageOf(secret);
    const estimate = `/v1/history/estimate?${new URLSearchParams(BARS)}`;
    const { body } = await service.get<{ computeUnits: number }>(estimate, { key });
    assert.equal(computeUnits, body.computeUnits);
    // Bytes read are counted when their piece has left: when nothing is pending on a connection any more.
    while (lines.values().some(({ writableLength }) => writableLength > 0)) await turn();
    await turn();
    client.abort();
    assert.equal(await untilExported(accountId), held.length);
    service.sources = sources;
    const rest = await exported({ resume: token, byte: String(held.length) }, secret);
    assert.ok(Buffer.concat([held, rest.bytes]).equals(whole.bytes));
    const used = await usageOf(secret);
    assert.deepEqual(used, { computeUnits, exportBytes: whole.bytes.length });
  } finally {
    service.sources = sources;
  }
});

/** Returns one result, then waits until its reader goes. */
function stoppingAfterOne({ days, replays }: Sources): Sources {
  const read: Sources['days']['read'] = async (request, signal) => {
    const all = await days.read(request);
    let given = 0;
    const next: DaysRead['next'] = () => {
      given += 1;
      if (given === 1) return all.next();
      return new Promise((_resolve, reject) => {
        const over = () => reject(signal!.reason);
        // The reader may have gone before the wait.
        if (signal!.aborted) over();
        else signal!.addEventListener('abort', over);
      });
    };
    return { next, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() };
  };
  return { replays, days: { read, cover: (...of) => days.cover(...of) } };
}

/** The server notices a gone client a little later. */
async function untilExported(accountId: string): Promise<number> {
  for (;;) {
    const { used } = await service.store.usageOf(service.clock.now(), accountId, '2026-11');
    if (used.exportBytes > 0) return used.exportBytes;
    await turn();
  }
}
