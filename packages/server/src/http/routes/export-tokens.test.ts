/** Tokens of exports as attackers and careless clients send them, and the cost of their use. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import { fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  HistoryReader,
  RANGE,
  readingBy,
} from '../../../testing/history/history-requests.ts';
import { instantOf, RestService } from '../../../testing/rest/rest-service.ts';
import { ExportTokens } from '../../exports/export-token.ts';

const DAY_NS = 86_400_000_000_000n;
const SECRET = new Uint8Array(32).fill(7);
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

let service: RestService;
let port = 0;
let reader: HistoryReader;
let accountId = '';
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  port = await service.listen();
  service.tokens = tokensOf();
  accountId = await service.account('history');
  reader = new HistoryReader(service, (await service.key(accountId)).secret);
});
after(async () => {
  assert.deepEqual(service.logged, [], 'nothing failed inside');
  await service[Symbol.asyncDispose]();
});

function tokensOf(
  computations: Readonly<Record<string, string>> = {},
  secret = SECRET,
): ExportTokens {
  const computationNamed = (indicator: string) => computations[indicator] ?? 'one';
  return new ExportTokens({ secret, computationNamed });
}

interface Exported {
  readonly bytes: Buffer;
  readonly text: string;
  readonly token: string;
}

async function exported(fields: Fields, key = reader.key, at = port): Promise<Exported> {
  const url = `http://127.0.0.1:${at}${address('/v1/export', fields)}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  const text = zstdDecompressSync(bytes).toString();
  return { bytes, text, token: response.headers.get('x-export-token')! };
}

const refusedAtResume = async (resume: string, asker = reader) => {
  const problem = await asker.refusedAt({ resume }, '/resume', '/v1/export');
  if (resume.length > 4) assert.ok(!JSON.stringify(problem).includes(resume), 'it is not repeated');
};

test('a token with any character changed, missing or added is none [SEC-24]', async () => {
  const { token } = await exported(RANGE);
  const { used } = await reader.usage();
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: token.length - 1 }),
      fc.constantFrom(...BASE64URL, '.', '=', '+', '/', ' ', '\u0000', 'é'),
      fc.constantFrom('replace', 'insert', 'cut', 'drop'),
      async (at, character, how) => {
        service.clock.advance(100);
        const rest = token.slice(how === 'insert' ? at : at + 1);
        const put = how === 'drop' ? '' : character;
        const changed = how === 'cut' ? token.slice(0, at) : token.slice(0, at) + put + rest;
        if (changed === token) return;
        await refusedAtResume(changed);
      },
    ),
    { numRuns: 150 },
  );
  // The last character carries bits that no byte needs: they are no second spelling of the token.
  const last = BASE64URL.indexOf(token.at(-1)!);
  for (let bits = 1; bits < 4; bits += 1) {
    await refusedAtResume(token.slice(0, -1) + BASE64URL[last ^ bits]);
  }
  const { used: after } = await reader.usage();
  assert.equal(after.computeUnits, used.computeUnits);
  assert.equal(after.exportBytes, used.exportBytes);
});

test('a token of another account, another service or another query is refused [SEC-24]', async () => {
  const { token } = await exported(RANGE);
  const stranger = reader.with(await service.customer('live_history'));
  await refusedAtResume(token, stranger);
  const own = service.tokens;
  service.tokens = tokensOf({}, new Uint8Array(32).fill(8));
  await refusedAtResume(token);
  service.tokens = own;
  // The payload of one with the code of another.
  const other = await exported({ ...RANGE, from: '2026-11-10' });
  const [payload, code] = [token.split('.')[0]!, other.token.split('.')[1]!];
  await refusedAtResume(`${payload}.${code}`);
  // Parameters beside the token cannot widen its range.
  const names = [
    'from',
    'to',
    'params',
    'indicator',
    'instrument',
    'untilCursor',
    'mode',
    'format',
  ];
  for (const name of names) {
    const fields = { resume: token, [name]: RANGE[name] ?? 'live' };
    await reader.refusedAt(fields, `/${name}`, '/v1/export');
  }
});

test('a token is good for 24 hours and one version of its indicator, then it is gone [SEC-24] [COUNT-23]', async () => {
  await using own = await RestService.start();
  fillMarket(own);
  const at = await own.listen();
  own.tokens = tokensOf();
  const asker = new HistoryReader(own, await own.customer('history'));
  const { token, text } = await exported(RANGE, asker.key, at);
  const { used } = await asker.usage();
  own.tokens = tokensOf({ bars: 'another' });
  await asker.refused({ resume: token }, 410, 'CURSOR_EXPIRED', '/v1/export');
  own.tokens = tokensOf({ tpo: 'another' });
  own.catalogue = { ...own.catalogue, engineFingerprint: 'of other indicators' };
  const issued = own.clock.now();
  own.clock.advanceTo((issued + DAY_NS) as typeof issued);
  assert.equal((await exported({ resume: token }, asker.key, at)).text, text);
  assert.equal((await asker.usage()).used.computeUnits, used.computeUnits);
  own.clock.advanceTo((issued + DAY_NS + 1n) as typeof issued);
  await asker.refused({ resume: token }, 410, 'CURSOR_EXPIRED', '/v1/export');
  assert.ok(own.logged.every((line) => !line.includes(token)));
});

test('rights are judged again when an export is resumed', async () => {
  const { token } = await exported(RANGE);
  const key = async (rights: Parameters<RestService['key']>[1]) =>
    reader.with((await service.key(accountId, rights)).secret);
  for (const rights of [
    { instruments: ['CLF7'] },
    { instruments: ['ESU6'] },
    { environment: 'test' },
    { scopes: ['history', 'stream', 'keys'] },
  ] as const) {
    const asker = await key(rights);
    await asker.refused({ resume: token }, 403, 'FORBIDDEN', '/v1/export');
  }
  for (const rights of [{ instruments: ['ESZ6'] }, { scopes: ['export'] }] as const) {
    await exported({ resume: token }, (await key(rights)).key);
  }
  const now = service.clock.now();
  const operator = { now, actor: { kind: 'operator' } } as const;
  await service.store.setGrants(operator, accountId, [{ plan: 'live', until: null }]);
  service.clock.advance(10_000);
  await reader.refused({ resume: token }, 403, 'FORBIDDEN', '/v1/export');
  await service.store.setGrants(operator, accountId, [{ plan: 'history', until: null }]);
});

test('each response counts its own bytes once, also when many resume at the same time [SEC-28] [COUNT-26]', async () => {
  const asker = reader.with(await service.customer('history'));
  const { token, bytes } = await exported(RANGE, asker.key);
  const lines = [0, 0, 1, 5, 20, 40];
  const answers = await Promise.all(
    lines.map((line) => exported({ resume: token, line: String(line) }, asker.key)),
  );
  const written = answers.reduce((sum, answer) => sum + answer.bytes.length, bytes.length);
  const { used, remaining, limits } = await asker.usage();
  assert.equal(used.exportBytes, written);
  assert.equal(remaining.exportBytes, limits.exportBytes - written, 'nothing is held any more');
  assert.equal(used.computeUnits, 2 * TRADES_A_DAY, 'and the range once');
});

test('bytes that leave in the next month count in the month the response began [SEC-27]', async () => {
  await using own = await RestService.start({ start: instantOf('2026-11-30T23:59:59Z') });
  fillMarket(own);
  own.market.tapeTime = instantOf('2026-11-11T16:00:00Z');
  const at = await own.listen();
  const account = await own.account('history');
  const { secret } = await own.key(account);
  const { sources } = own;
  own.sources = readingBy(sources, async (request, signal) => {
    const read = await sources.days.read(request, signal);
    let taken = 0;
    return {
      next: () => {
        taken += 1;
        if (taken === 2) own.clock.advanceTo(instantOf('2026-12-01T00:00:01Z'));
        return read.next();
      },
      [Symbol.asyncDispose]: () => read[Symbol.asyncDispose](),
    };
  });
  const { bytes } = await exported(RANGE, secret, at);
  const used = async (period: string) => await own.store.usageOf(own.clock.now(), account, period);
  const [old, fresh] = [await used('2026-11'), await used('2026-12')];
  assert.equal(own.clock.now(), instantOf('2026-12-01T00:00:01Z'));
  assert.equal(old.used.exportBytes, bytes.length);
  assert.equal(old.used.computeUnits, 2 * TRADES_A_DAY);
  assert.deepEqual([old.reserved.exportBytes, old.reserved.computeUnits], [0, 0]);
  assert.deepEqual([fresh.used.exportBytes, fresh.used.computeUnits], [0, 0]);
});

test('a resume before the tape has come back to its end is told to wait', async () => {
  const { token, text } = await exported(RANGE);
  const { market } = service;
  const reached = market.tapeTime!;
  market.tapeTime = instantOf('2026-11-10T00:00:00Z');
  await reader.refused({ resume: token }, 409, 'WARMING', '/v1/export');
  market.tapeTime = reached;
  assert.equal((await exported({ resume: token })).text, text);
});

test('a resume on a machine whose clock is behind is told to wait, not that the plan has changed', async () => {
  const end = instantOf('2026-11-11T00:00:00Z');
  await using own = await RestService.start({ start: end });
  fillMarket(own);
  own.market.tapeTime = end;
  own.tokens = tokensOf();
  const at = await own.listen();
  const key = await own.customer('history');
  const { token, text } = await exported(RANGE, key, at);
  const onTime = own.clock.now;
  for (const [behindNs, tapeTime] of [
    [50_000_000n, end],
    [10_000_000_000n, end],
    [2_000_000_000n, end - 3_000_000_000n],
  ] as const) {
    own.clock.now = () => (end - behindNs) as EpochNs;
    own.market.tapeTime = tapeTime as EpochNs;
    await new HistoryReader(own, key).refused({ resume: token }, 409, 'WARMING', '/v1/export');
  }
  own.clock.now = onTime;
  own.market.tapeTime = end;
  assert.equal((await exported({ resume: token }, key, at)).text, text);
});
