import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { Problem } from '@tapeloom/protocol/problem';
import fc from 'fast-check';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, instantOf, RestService } from '../../../testing/rest/rest-service.ts';
import { ExportTokens } from '../../exports/export-token.ts';
import { SIM_DATASET } from '../../markets/sim/sim-universe.ts';
import type { DaysRead } from '../../results/settled-days.ts';

type Fields = Readonly<Record<string, string>>;
type Sources = RestService['sources'];

interface Usage {
  readonly used: { readonly computeUnits: number; readonly exportBytes: number };
  readonly remaining: { readonly computeUnits: number; readonly exportBytes: number };
  readonly limits: { readonly computeBudget: number; readonly exportBytes: number };
}
interface Exported {
  readonly bytes: Buffer;
  readonly lines: readonly string[];
  readonly token: string;
  readonly headers: Headers;
}

/** A day, and parts of one before and one after; the first is a Sunday, before the open. */
const RANGE: Fields = {
  instrument: 'ESZ6',
  indicator: 'bars',
  params: JSON.stringify({ bar: 'tick', size: 5 }),
  from: '2026-11-08T14:40:00Z',
  to: '2026-11-10T15:10:00Z',
};
const VOLUME = 21_474_836_480;

let service: RestService;
let port = 0;
let key = '';
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  port = await service.listen();
  key = await service.customer('live_history');
});
after(() => service[Symbol.asyncDispose]());

function fetchExport(fields: Fields, secret = key, init: RequestInit = {}): Promise<Response> {
  const url = `http://127.0.0.1:${port}/v1/export?${new URLSearchParams(fields)}`;
  return fetch(url, { ...init, headers: { authorization: `Bearer ${secret}` } });
}

async function exported(fields: Fields, secret = key): Promise<Exported> {
  const response = await fetchExport(fields, secret);
  if (response.status !== 200) assert.fail(await response.text());
  const bytes = Buffer.from(await response.arrayBuffer());
  const { headers } = response;
  return { bytes, lines: linesOf(bytes), token: headers.get('x-export-token')!, headers };
}

/** Each with its line feed. */
function linesOf(bytes: Buffer): readonly string[] {
  return bytes.length === 0 ? [] : (zstdDecompressSync(bytes).toString().match(/.*\n/g) ?? []);
}

async function refused(
  fields: Fields,
  status: number,
  code: ErrorCode,
  secret = key,
): Promise<Problem & { readonly retryAfter: string | null }> {
  const response = await fetchExport(fields, secret);
  const headers = Object.fromEntries(response.headers);
  const answer = { status: response.status, headers, body: await response.json() };
  const problem = checkProblem(answer, DOCS_URL, { status, code });
  return { ...problem, retryAfter: response.headers.get('retry-after') };
}
const refusedAt = async (fields: Fields, path: string, secret = key) =>
  assert.deepEqual(
    (await refused(fields, 400, 'INVALID_PARAMETERS', secret)).errors!.map((fault) => fault.path),
    [path],
  );

async function usageOf(secret: string): Promise<Usage> {
  return (await service.get<Usage>('/v1/usage', { key: secret })).body;
}

/** Uses a budget up until so much is left. */
async function leave(
  accountId: string,
  budget: 'computeUnits' | 'exportBytes',
  limit: number,
  left: number,
): Promise<void> {
  const now = service.clock.now();
  const id = `${budget} of ${accountId}`;
  const amount = limit - left;
  const expiresAt = (now + 1n) as EpochNs;
  const whose = { id, accountId, keyId: 'any', budget, period: '2026-11' };
  const request = { ...whose, amount, limit, testLimit: null, expiresAt };
  assert.ok((await service.store.reserve(now, request)).granted);
  await service.store.settle(now, id, { amount });
}

async function pageItems(fields: Fields): Promise<readonly unknown[]> {
  const url = `/v1/history?${new URLSearchParams({ ...fields, limit: '10000' })}`;
  const { body, text } = await service.get<{ items: unknown[]; next: null }>(url, { key });
  assert.equal(body.next, null, text);
  return body.items;
}

test('an export is the pages of its query as a zstd file, between a header and an end [EXP-01] [EXP-02] [EXP-03] [EXP-04] [EXP-05] [COUNT-15] [COUNT-24]', async () => {
  for (const rest of [{}, { mode: 'confirmed' }, { instrument: 'ES.c.0' }]) {
    const secret = await service.customer('history');
    const fields = { ...RANGE, ...rest };
    const { bytes, lines, token, headers } = await exported(fields, secret);
    assert.equal(bytes.readUInt32LE(0), 0xfd2fb528);
    assert.equal(headers.get('content-type'), 'application/zstd');
    assert.equal(
      headers.get('content-disposition'),
      'attachment; filename="ESZ6-bars-20261108-20261110.ndjson.zst"',
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.ok(headers.has('ratelimit-remaining'));
    assert.ok(token.length > 0);
    const [header, ...others] = lines.map((line) => JSON.parse(line));
    const end = others.pop();
    const items = await pageItems(fields);
    assert.ok(items.length > 100);
    assert.deepEqual(others, items);
    assert.deepEqual(end, { t: 'end', items: items.length });
    assert.equal(header.t, 'header');
    assert.equal(header.contract, 'ESZ6');
    assert.equal(header.tickSizeNanos, 250_000_000);
    assert.equal(header.engineFingerprint, service.catalogue.engineFingerprint);
    const { used } = await usageOf(secret);
    // From 14:40 on; a whole day; up to 15:10.
    assert.equal(used.computeUnits, TRADES_A_DAY - 120 + TRADES_A_DAY + 480);
    assert.equal(used.exportBytes, bytes.length);
  }
});

test('an export ends at untilCursor, without a tail', async () => {
  const { to: _to, ...open }: Fields = RANGE;
  const all = (await pageItems({ ...RANGE, mode: 'confirmed' })) as { cursor: string }[];
  const { lines } = await exported({ ...open, untilCursor: all[200]!.cursor });
  assert.deepEqual(
    lines.slice(1, -1).map((line) => JSON.parse(line)),
    all.slice(0, 201),
  );
});

test('resuming starts at exactly the line asked for, at any line, free of compute units [EXP-05] [EXP-06] [COUNT-26]', async () => {
  const secret = await service.customer('history');
  const { lines, token, bytes } = await exported(RANGE, secret);
  const { used } = await usageOf(secret);
  let written = bytes.length;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: lines.length }), async (line) => {
      const rest = await exported({ resume: token, line: String(line) }, secret);
      assert.deepEqual(rest.lines, lines.slice(line));
      assert.equal(rest.token, token);
      written += rest.bytes.length;
    }),
    { numRuns: 40, examples: [[0], [1], [lines.length - 1], [lines.length]] },
  );
  const after = await usageOf(secret);
  assert.equal(after.used.computeUnits, used.computeUnits);
  assert.equal(after.used.exportBytes, written);
  await refusedAt({ resume: token, line: String(lines.length + 1) }, '/line', secret);
  for (const line of ['-1', '1.5', 'x', '']) {
    await refusedAt({ resume: token, line }, '/line', secret);
  }
  await refusedAt({ resume: token, from: '2026-11-08' }, '/from', secret);
  assert.equal((await usageOf(secret)).remaining.exportBytes, VOLUME - written);
});

/** Returns a page that is not the last, then waits for ever, unless it must not stop. */
function stoppingAfterOne({ days, replays }: Sources, isStopped: () => boolean): Sources {
  const read: Sources['days']['read'] = async (request, signal) => {
    const whole = await days.read(request);
    let given = 0;
    const next: DaysRead['next'] = async () => {
      given += 1;
      if (!isStopped()) return await whole.next();
      const page = given === 1 ? await whole.next() : null;
      if (page !== null) return { ...page, isLast: false };
      return await new Promise((_resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason));
      });
    };
    return { next, [Symbol.asyncDispose]: () => whole[Symbol.asyncDispose]() };
  };
  return {
    replays,
    days: {
      read,
      cover: (...of) => days.cover(...of),
    },
  };
}

test('a cut export is charged its whole range and the bytes that were written; the resumed rest joins it [COUNT-22] [COUNT-25] [COUNT-26] [EXP-06] [SEC-28]', async () => {
  const accountId = await service.account('history');
  const { secret } = await service.key(accountId);
  const { lines: whole } = await exported(RANGE);
  const { sources } = service;
  let isStopped = true;
  service.sources = stoppingAfterOne(sources, () => isStopped);
  try {
    const client = new AbortController();
    const response = await fetchExport(RANGE, secret, { signal: client.signal });
    const token = response.headers.get('x-export-token')!;
    const reader = response.body!.getReader();
    const pieces: Uint8Array[] = [];
    let lines: readonly string[] = [];
    // The header and the lines that are ready: the end does not come.
    while (lines.length < 2) {
      pieces.push((await reader.read()).value!);
      lines = linesOf(Buffer.concat(pieces));
    }
    const received = Buffer.concat(pieces).length;
    const { used } = await usageOf(secret);
    assert.equal(used.computeUnits, 2 * TRADES_A_DAY + 360, 'all of it is charged at the start');
    assert.equal(used.exportBytes, 0, 'bytes are charged at the end');
    client.abort();
    assert.equal(await untilExported(accountId), received);
    assert.equal((await usageOf(secret)).used.computeUnits, used.computeUnits);

    isStopped = false;
    const rest = await exported({ resume: token, line: String(lines.length) }, secret);
    assert.deepEqual([...lines, ...rest.lines], whole);
    const after = await usageOf(secret);
    assert.equal(after.used.exportBytes, received + rest.bytes.length);
    assert.equal(after.used.computeUnits, used.computeUnits);
    assert.equal(after.remaining.exportBytes, VOLUME - after.used.exportBytes, 'nothing is held');
  } finally {
    service.sources = sources;
  }
});

/** The server notices a gone client a little later. */
async function untilExported(accountId: string): Promise<number> {
  for (;;) {
    const { used } = await service.store.usageOf(service.clock.now(), accountId, '2026-11');
    if (used.exportBytes > 0) return used.exportBytes;
    await turn();
  }
}

test('forged, foreign, cut and outdated tokens are refused, and cost nothing [SEC-24]', async () => {
  const accountId = await service.account('history');
  const { secret } = await service.key(accountId);
  const { token } = await exported(RANGE, secret);
  const { used } = await usageOf(secret);
  const [payload, code] = token.split('.') as [string, string];
  const flipped = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
  for (const resume of [
    '',
    'x',
    payload,
    `${payload}.`,
    token.slice(0, -1),
    token.slice(1),
    `${token}A`,
    `${flipped(payload, 20)}.${code}`,
    `${payload}.${flipped(code, 5)}`,
    'A'.repeat(9_000),
  ]) {
    await refusedAt({ resume }, '/resume', secret);
  }
  await refusedAt({ resume: token }, '/resume', await service.customer('history'));
  // Another key of the account needs the rights itself.
  const other = await service.key(accountId, { instruments: ['CLF7'] });
  await refused({ resume: token }, 403, 'FORBIDDEN', other.secret);
  const trial = await service.key(accountId, { environment: 'test' });
  await refused({ resume: token }, 403, 'FORBIDDEN', trial.secret);
  const reader = await service.key(accountId, { scopes: ['history'] });
  await refused({ resume: token }, 403, 'FORBIDDEN', reader.secret);

  const { tokens } = service;
  service.tokens = new ExportTokens({ secret: new Uint8Array(32) });
  await refusedAt({ resume: token }, '/resume', secret);
  service.tokens = tokens;
  assert.deepEqual((await usageOf(secret)).used.computeUnits, used.computeUnits);
  assert.deepEqual((await usageOf(secret)).used.exportBytes, used.exportBytes);
});

test('a key needs the scope export and a right to the instrument [AUTH-23] [AUTH-16]', async () => {
  const accountId = await service.account('history');
  const exporter = await service.key(accountId, { scopes: ['export'] });
  await exported(RANGE, exporter.secret);
  const reader = await service.key(accountId, { scopes: ['history', 'stream', 'keys'] });
  await refused(RANGE, 403, 'FORBIDDEN', reader.secret);
  const other = await service.key(accountId, { instruments: ['CLF7'] });
  await refused(RANGE, 403, 'FORBIDDEN', other.secret);
});

test('an export is refused like history is, and HEAD costs nothing', async () => {
  await refusedAt({ ...RANGE, extra: '1' }, '/extra');
  await refusedAt({ ...RANGE, limit: '5' }, '/limit');
  await refused({ ...RANGE, indicator: 'invented' }, 404, 'UNKNOWN_INDICATOR');
  await refused({ ...RANGE, instrument: 'XXZ9' }, 404, 'UNKNOWN_INSTRUMENT');
  const gap = { ...RANGE, instrument: 'CLF7', from: '2026-11-04', dataset: SIM_DATASET };
  assert.deepEqual((await refused(gap, 402, 'NOT_COVERED')).missingDays, ['2026-11-05']);
  const before = (await usageOf(key)).used;
  assert.equal((await fetchExport(RANGE, key, { method: 'HEAD' })).status, 200);
  const { computeUnits, exportBytes } = (await usageOf(key)).used;
  assert.deepEqual([computeUnits, exportBytes], [before.computeUnits, before.exportBytes]);
});

test('sandbox and live have no exports [PLAN-21]', async () => {
  for (const plan of ['sandbox', 'live'] as const) {
    const secret = await service.customer(plan);
    assert.equal((await usageOf(secret)).limits.exportBytes, 0);
    await refused(RANGE, 403, 'FORBIDDEN', secret);
    assert.equal((await usageOf(secret)).used.computeUnits, 0);
  }
});

test('an export over the compute budget is refused before it starts, with its cost [ERR-11]', async () => {
  const accountId = await service.account('history');
  const { secret } = await service.key(accountId);
  const { limits } = await usageOf(secret);
  const cost = 2 * TRADES_A_DAY + 360;
  await leave(accountId, 'computeUnits', limits.computeBudget, cost - 1);
  const problem = await refused(RANGE, 429, 'QUOTA_EXCEEDED', secret);
  assert.equal(problem.computeUnits, cost);
  assert.equal(problem.remainingComputeUnits, cost - 1);
  const { used, remaining } = await usageOf(secret);
  assert.equal(used.exportBytes, 0);
  assert.equal(remaining.exportBytes, VOLUME);
});

test('while any volume is left an export runs to its end; then none starts [PLAN-22] [COUNT-30] [ERR-12] [ERR-23]', async () => {
  for (const plan of ['history', 'live_history'] as const) {
    const accountId = await service.account(plan);
    const { secret } = await service.key(accountId);
    const { limits } = await usageOf(secret);
    assert.equal(limits.exportBytes, VOLUME);
    await leave(accountId, 'exportBytes', VOLUME, 1);
    const { bytes, token } = await exported(RANGE, secret);
    const { used, remaining } = await usageOf(secret);
    assert.equal(used.exportBytes, VOLUME - 1 + bytes.length);
    assert.equal(remaining.exportBytes, 0);
    for (const fields of [RANGE, { resume: token }]) {
      const problem = await refused(fields, 429, 'QUOTA_EXCEEDED', secret);
      const seconds = instantOf('2026-12-01T00:00:00Z') - service.clock.now();
      assert.ok(BigInt(problem.retryAfter!) * 1_000_000_000n <= seconds);
    }
    assert.deepEqual((await usageOf(secret)).used.computeUnits, used.computeUnits);
  }
});

test('a token is good for 24 hours, and the volume renews with the month [COUNT-23] [COUNT-28]', async () => {
  await using own = await RestService.start({ start: instantOf('2026-11-30T12:00:00Z') });
  fillMarket(own);
  own.market.tapeTime = instantOf('2026-11-11T16:00:00Z');
  const secret = await own.customer('history');
  const listening = await own.listen();
  const ask = async (fields: Fields) => {
    const url = `http://127.0.0.1:${listening}/v1/export?${new URLSearchParams(fields)}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${secret}` } });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const usage = async () => (await own.get<Usage>('/v1/usage', { key: secret })).body;
  const first = await ask(RANGE);
  assert.equal(first.response.status, 200, first.bytes.toString());
  const resume = first.response.headers.get('x-export-token')!;
  assert.ok((await usage()).used.exportBytes > 0);

  own.clock.advanceTo(instantOf('2026-12-01T11:59:00Z'));
  const renewed = await usage();
  assert.equal(renewed.used.exportBytes, 0);
  assert.equal(renewed.remaining.exportBytes, VOLUME);
  const late = await ask({ resume, line: '3' });
  assert.equal(late.response.status, 200);
  assert.equal((await usage()).used.computeUnits, 0);
  assert.equal((await usage()).used.exportBytes, late.bytes.length);

  own.clock.advanceTo(instantOf('2026-12-01T12:00:01Z'));
  const expired = await ask({ resume, line: '3' });
  assert.equal(expired.response.status, 410);
  assert.equal(JSON.parse(expired.bytes.toString()).code, 'CURSOR_EXPIRED');
});
