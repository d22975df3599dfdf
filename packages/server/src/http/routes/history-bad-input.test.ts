/** For every fault in a query of history or its estimate, the response names the field, and nothing breaks. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../testing/any-text.ts';
import { FIRST_DAY, fillMarket, TRADES_A_DAY } from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  HistoryReader,
  RANGE,
  TICK_BARS,
} from '../../../testing/history/history-requests.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';

const PATHS = ['/v1/history', '/v1/history/estimate'] as const;
const ALL = [...PATHS, '/v1/export'] as const;
const { to: _to, ...OPEN }: Fields = RANGE;

let service: RestService;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  reader = new HistoryReader(service, await service.customer('live_history'));
});
after(async () => {
  assert.deepEqual(service.logged, [], 'nothing failed inside');
  await service[Symbol.asyncDispose]();
});

/** Texts that look like cursors but are not. */
const NO_CURSORS = [
  '',
  'x',
  'null',
  '20261110',
  '20261110.1',
  '20261110.01.0',
  '020261110.1.0',
  '20261110.1.0.0',
  '20261110.1.-1',
  '20261110.+1.0',
  '20261110.1e2.0',
  '20261110.1.0x',
  ' 20261110.1.0',
  '20261110.1.0\n',
  '20261110.1.0\u0000',
  '20261110,1,0',
  '20261310.1.0',
  '20261131.1.0',
  '00000000.0.0',
  '2026-11-10.1.0',
  '٢٠٢٦١١١٠.1.0',
  '20261110.99999999999999999999.0',
  `20261110.1.${'9'.repeat(400)}`,
  '9'.repeat(4_000),
];

test('a malformed next is refused at its field, wherever a cursor is taken [SEC-22]', async () => {
  for (const text of NO_CURSORS) {
    for (const path of PATHS) {
      await reader.refusedAt({ ...RANGE, cursor: text }, '/cursor', path);
      await reader.refusedAt({ ...OPEN, untilCursor: text }, '/untilCursor', path);
    }
    await reader.refusedAt({ ...OPEN, untilCursor: text }, '/untilCursor', '/v1/export');
  }
});

test('a foreign next is refused, or costs what lies behind it', async () => {
  for (const path of PATHS) {
    for (const cursor of [
      // Before the range and after it; of days that do not exist yet; of a trade that never was.
      '20261108.5.0',
      '20261111.1.0',
      '20261112.0.0',
      '99991231.1.0',
      `20261110.${TRADES_A_DAY + 1}.0`,
      '20261110.4294967295.0',
    ]) {
      await reader.refusedAt({ ...RANGE, cursor }, '/cursor', path);
    }
    for (const untilCursor of ['20261108.5.0', '20261112.0.0', '20261110.901.0', '99991231.1.0']) {
      await reader.refusedAt({ ...OPEN, untilCursor }, '/untilCursor', path);
    }
  }
  // A cursor of another indicator is a position on the same tape: it lowers no cost.
  for (const k of [0, 1, 5, 4_000_000_000]) {
    const cursor = `20261110.5.${k}`;
    const page = await reader.page({ ...RANGE, cursor, params: TICK_BARS, limit: '10000' });
    assert.equal(page.computeUnits, TRADES_A_DAY - 5);
    assert.equal((await reader.estimate({ ...RANGE, cursor })).computeUnits, TRADES_A_DAY - 5);
    assert.ok(page.items.every((item) => Number(item.cursor.split('.')[1]) > 5));
  }
});

test('a next is too old when its day has left the plan or the tape [HIST-07] [ERR-29]', async () => {
  const sandbox = reader.with(await service.customer('sandbox'));
  for (const path of PATHS) {
    const old = { ...RANGE, from: '2026-11-02', cursor: '20261103.5.1' };
    await sandbox.refused(old, 410, 'CURSOR_EXPIRED', path);
    const gone = { ...RANGE, from: '2026-10-20', cursor: '20261022.5.1' };
    await reader.refused(gone, 410, 'CURSOR_EXPIRED', path);
  }
});

test('ranges that are reversed, empty, in the future or no ranges are refused at the field', async () => {
  for (const path of ALL) {
    await reader.refusedAt({ ...RANGE, to: '2026-11-09' }, '/to', path);
    await reader.refusedAt({ ...RANGE, to: '2026-11-08T23:59:59.999999999Z' }, '/to', path);
    await reader.refusedAt({ ...RANGE, from: '2026-12-01', to: '2026-12-02' }, '/from', path);
    await reader.refusedAt({ ...OPEN, from: String(service.clock.now()) }, '/from', path);
    for (const text of [
      'yesterday',
      '',
      ' 2026-11-09',
      '2026-11-9',
      '2026-11-31',
      '2026-02-29',
      '2026-11-09T25:00:00Z',
      '2026-11-09T10:00:00',
      '2026-11-09T10:00:00.0000000001Z',
      '-1',
      '+1',
      '1.5',
      '1e18',
      '0x10',
      'NaN',
      '٢٠٢٦-١١-٠٩',
      '10000-01-01',
      '9'.repeat(40),
      '2026-11-09\u0000',
      '1794481200',
      '1794481200000',
    ]) {
      await reader.refusedAt({ ...OPEN, from: text }, '/from', path);
      await reader.refusedAt({ ...RANGE, to: text }, '/to', path);
    }
    for (const field of ['from', 'to']) {
      const dense = { ...RANGE, [field]: '20261112' };
      const { detail } = await reader.refused(dense, 400, 'INVALID_PARAMETERS', path);
      assert.match(detail, new RegExp(`^/${field} .* did you mean the date 2026-11-12\\?$`));
    }
  }
});

test('what lies before the tape is not covered, however long ago [HIST-18] [HIST-19] [ERR-20]', async () => {
  const first = `${FIRST_DAY}`.replace(/^(....)(..)(..)$/, '$1-$2-$3');
  for (const path of ALL) {
    for (const from of ['2026-10-30', '2026-08-20', '2026-01-05', '2012-02-29', '1970-01-02']) {
      const before = { ...RANGE, from, to: first };
      const { missingDays } = await reader.refused(before, 402, 'NOT_COVERED', path);
      const days = missingDays as string[];
      assert.ok(days.includes(from), `${from} is missing`);
      assert.ok(days.every((day, at) => day < first && (at === 0 || day > days[at - 1]!)));
      const part = await reader.refused({ ...RANGE, from }, 402, 'NOT_COVERED', path);
      assert.deepEqual(part.missingDays, days);
    }
    // No alias meant anything then.
    const alias = { ...RANGE, instrument: 'ES.c.0', from: '1971-01-01' };
    await reader.refused(alias, 404, 'UNKNOWN_INSTRUMENT', path);
  }
});

test('parameters of 16 KiB and more, huge numbers and odd texts are refused at the field', async () => {
  const odd: readonly [string, string][] = [
    [JSON.stringify({ size: 1e308 }), '/params/size'],
    ['{"size":1e999}', '/params/size'],
    ['{"size":-1}', '/params/size'],
    ['{"size":1.5}', '/params/size'],
    ['{"size":"60"}', '/params/size'],
    ['{"size":99999999999999999999}', '/params/size'],
    ['{"size":null}', '/params/size'],
    ['{"size":[60]}', '/params/size'],
    ['{"bar":"time\\u0000"}', '/params/bar'],
    ['{"bar":"ТIME"}', '/params/bar'],
    ['{"__proto__":{"size":1}}', '/params/__proto__'],
    ['{"constructor":1}', '/params/constructor'],
    ['{"a/b~c":1}', '/params/a~1b~0c'],
    [JSON.stringify({ bar: 'x'.repeat(16_000) }), '/params/bar'],
    ['', '/params'],
    ['null', '/params'],
    ['{"size":60', '/params'],
    ['{"size":60}}', '/params'],
    ['{size:60}', '/params'],
    ['\u0000{}', '/params'],
    ['['.repeat(8_000), '/params'],
  ];
  for (const path of ALL) {
    for (const [params, at] of odd) {
      const problem = await reader.refusedAt({ ...RANGE, params }, at, path);
      assert.ok(JSON.stringify(problem).length < 2_000, 'what was sent is not repeated at length');
    }
    const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [n, n])));
    for (const params of [deep, many, JSON.stringify({ ['x'.repeat(16_384)]: 1 })]) {
      const problem = await reader.refused({ ...RANGE, params }, 400, 'INVALID_PARAMETERS', path);
      assert.ok(problem.errors!.length <= 32);
      assert.ok(problem.errors!.every((fault) => fault.path.startsWith('/params')));
      assert.ok(JSON.stringify(problem).length < 20_000);
    }
  }
});

test('names of 65 characters, of none, and of every script are no instruments and no indicators', async () => {
  for (const path of ALL) {
    for (const [name, code] of [
      ['instrument', 'UNKNOWN_INSTRUMENT'],
      ['indicator', 'UNKNOWN_INDICATOR'],
    ] as const) {
      for (const text of ['', 'x'.repeat(65), 'x'.repeat(12_000)]) {
        await reader.refusedAt({ ...RANGE, [name]: text }, `/${name}`, path);
      }
      for (const text of [
        'esz6',
        'ESZ6 ',
        'ＥＳＺ６',
        'bars\u0000',
        '../bars',
        '__proto__',
        '💥',
      ]) {
        await reader.refused({ ...RANGE, [name]: text }, 404, code, path);
      }
    }
  }
});

test('an address is judged field by field, however it is written [SEC-22]', async () => {
  const good = new URLSearchParams(RANGE).toString();
  for (const path of ALL) {
    for (const [query, at] of [
      [`${good}&from=2026-11-09`, '/from'],
      [`${good}&params=%7B%7D&params=%7B%7D`, '/params'],
      [`${good}&mode=live&mode=live&mode=live`, '/mode'],
      [`${good}&FROM=2026-11-09`, '/FROM'],
      [`${good}&mode%00=live`, '/mode\u0000'],
      [`${good}&__proto__=1`, '/__proto__'],
      [`${good}&constructor=1`, '/constructor'],
      [`${good}&mode[]=live`, '/mode[]'],
      [`${good}&mode=live%00`, '/mode'],
      [`${good}&mode=%ff%fe`, '/mode'],
      [`${good}&mode=%zz`, '/mode'],
      [`${good}&mode=l%u0069ve`, '/mode'],
      [`${good}&=1`, '/'],
    ] as const) {
      const answer = await service.get(`${path}?${query}`, { key: reader.key });
      const problem = checkProblem(answer, DOCS_URL, { status: 400, code: 'INVALID_PARAMETERS' });
      assert.deepEqual(
        problem.errors!.map((fault) => fault.path),
        [at],
        query,
      );
    }
    // Needless escapes, plus signs for spaces and empty pieces mean what they always mean.
    const same = `&&${good.replace('ESZ6', '%45S%5A6').replace('2026-11-11', '2026%2D11%2d11')}&`;
    const answer = await service.http.app.inject({
      url: `${path}?${same}`,
      headers: { authorization: `Bearer ${reader.key}` },
    });
    assert.equal(answer.statusCode, 200);
  }
});

test('whatever the fields are, the answer is a page, an estimate or a complete refusal', async () => {
  const field = fc.oneof(
    anyText({ maxLength: 80 }),
    fc.constantFrom(...NO_CURSORS),
    fc.constantFrom(
      'ESZ6',
      'ES.c.0',
      'bars',
      '2026-11-10',
      '20261110.7.1',
      '5',
      'true',
      '{}',
      'live',
    ),
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
    fc.double().map(String),
    fc.json({ maxDepth: 3 }),
  );
  const names = ['instrument', 'indicator', 'params', 'from', 'to', 'mode', 'limit', 'cursor'];
  const name = fc.constantFrom(...names, 'snapshot', 'untilCursor', 'dataset');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PATHS),
      fc.array(fc.tuple(name, field), { minLength: 1, maxLength: 3 }),
      async (path, changes) => {
        // An account has so many requests a minute.
        service.clock.advance(100);
        const fields = { ...RANGE, limit: '3', ...Object.fromEntries(changes) };
        const answer = await service.get(address(path, fields), { key: reader.key });
        if (answer.status !== 200) checkProblem(answer, DOCS_URL);
        assert.ok(answer.status < 500, answer.text);
      },
    ),
    { numRuns: 600 },
  );
});
