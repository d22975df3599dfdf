import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import type { PushRules } from './push-contracts.ts';
import { PushRefusal } from './push-refusal.ts';
import { PushRows } from './push-rows.ts';
import { readPush } from './read-push.ts';
import { readPushLine } from './read-push-line.ts';

const DAY = utcDay(20_261_116);
const NOON = epochNs(DAY, 43_200_000_000_000);
const TICKS: Readonly<Record<string, number>> = { ESZ6: 250_000_000, BTC: 10_000_000 };
const rules: PushRules = {
  latest: (NOON + 7_200_000_000_000n) as EpochNs,
  contract: (symbol: string, day: UtcDay) =>
    Object.hasOwn(TICKS, symbol) && day < 20_300_101
      ? { symbol, tickSizeNanos: TICKS[symbol]!, lotSizeNanos: symbol === 'BTC' ? 1_000_000 : 1e9 }
      : null,
};
const ndjson = (text: string, limits = rules) =>
  readPush(
    { contentType: 'application/x-ndjson', body: new TextEncoder().encode(text), firstId: null },
    limits,
  );
const GOOD = { contract: 'ESZ6', id: 1, ts: '2026-11-16T12:00:00Z', price: '5000.25', size: 3 };
const lineOf = (change: object) => JSON.stringify({ ...GOOD, ...change });

function plain(rows: PushRows) {
  return rows.batches(null).map(({ symbol, day, count, id, ts, price, size, side }) => ({
    symbol,
    day,
    rows: Array.from({ length: count }, (_, row) => [
      id[row],
      ts[row],
      price[row],
      size[row],
      side[row],
    ]),
  }));
}

async function refusalOf(text: string): Promise<PushRefusal> {
  try {
    await ndjson(text);
  } catch (error) {
    assert.ok(error instanceof PushRefusal, String(error));
    return error;
  }
  return assert.fail(`was read: ${text}`);
}

test('every documented spelling of a trade gives the same trade', async () => {
  const [id, ts, price] = [7, 43_200_123_456_789, 20_001];
  const expected = [{ symbol: 'ESZ6', day: DAY, rows: [[id, ts, price, 3, -1]] }];
  const nanos = `${NOON + 123_456_789n}`;
  const spellings = [
    `{"contract":"ESZ6","id":7,"ts":"2026-11-16T12:00:00.123456789Z","price":"5000.25","size":"3","side":"sell"}`,
    `{"contract":"ESZ6","id":"7","ts":"${nanos}","price":5000.25,"size":3,"side":"sell"}\n`,
    `{ "side": "sell", "size": 3.0, "price": 5000.250, "ts": ${nanos}, "id": 7, "contract": "ESZ6" }\r\n`,
    `\n{"contract":"\\u0045SZ6","id":7,"ts":"2026-11-16T14:00:00.123456789+02:00","price":5.00025e3,"size":"3","side":"sell"}\n\n`,
    `\ufeff{"contract":"ESZ6","id":7,"ts":"2026-11-16T12:00:00.123456789Z","price":"5000.25","size":"3","side":"sell"}`,
  ];
  for (const text of spellings) assert.deepEqual(plain(await ndjson(text)), expected, text);
  for (const side of ['"unknown"', 'null', null]) {
    const field = side === null ? '' : `,"side":${side}`;
    const [batch] = plain(await ndjson(`${JSON.stringify(GOOD).slice(0, -1)}${field}}\n`));
    assert.equal(batch!.rows[0]![4], 0);
  }
});

test('a price is exact to its last digit, also where a double would not be', async () => {
  const big = lineOf({ contract: 'BTC', price: '9007199.25', size: '0.001' });
  assert.deepEqual(plain(await ndjson(big))[0]!.rows[0]!.slice(2, 4), [900_719_925, 1]);
  const { offTick } = await refusalOf(lineOf({ contract: 'BTC', price: '0.1000000000001' }));
  assert.equal(offTick?.price, '0.1000000000001');
});

test('trades stay in the order of their contract, over midnight and back', async () => {
  const at = (id: number, ts: string, contract = 'ESZ6') => lineOf({ id, ts, contract });
  const body = [
    at(1, '2026-11-15T23:59:59Z'),
    at(5, '2026-11-16T00:00:00Z', 'BTC'),
    at(2, '2026-11-16T00:00:00.5Z'),
    at(3, '2026-11-15T23:59:59.9Z'),
    at(4, '2026-11-16T00:00:01Z'),
  ].join('\n');
  const found = plain(await ndjson(body)).map(({ symbol, day, rows }) => [
    symbol,
    day,
    ...rows.map(([id]) => id),
  ]);
  assert.deepEqual(found, [
    ['ESZ6', 20_261_115, 1],
    ['ESZ6', DAY, 2],
    ['ESZ6', 20_261_115, 3],
    ['ESZ6', DAY, 4],
    ['BTC', DAY, 5],
  ]);
});

const BAD: readonly (readonly [string, string, string, RegExp])[] = [
  ['garbage', '\x00\x01garbage', '', /is not JSON: it breaks at column 1/],
  ['half a line', JSON.stringify(GOOD).slice(0, 40), '', /breaks at column 41/],
  ['a list', '[1,2]', '', /must be a JSON object/],
  ['a field of another name', lineOf({ aggressor: 'buy' }), '/aggressor', /is not known/],
  ['no price', '{"contract":"ESZ6","id":1,"ts":1,"size":1}', '/price', /is missing/],
  ['size 0', lineOf({ size: 0 }), '/size', /is 0/],
  ['a negative size', lineOf({ size: -1 }), '/size', /less than 0/],
  ['half a lot', lineOf({ size: 0.5 }), '/size', /no multiple of the lot 1 of ESZ6/],
  ['an absurd size', lineOf({ size: 3e9 }), '/size', /more than 2147483647 lots/],
  ['a negative price', lineOf({ price: '-37.5' }), '/price', /must be greater than 0/],
  ['price 0', lineOf({ price: 0 }), '/price', /must be greater than 0/],
  ['an absurd price', lineOf({ price: 1e10 }), '/price', /more than 2147483647 ticks/],
  ['the error of a float', lineOf({ price: 0.1 + 0.2 }), '/price', /at most 15 digits/],
  ['a price that is no number', lineOf({ price: 'NaN' }), '/price', /must be a decimal number/],
  ['an unknown contract', lineOf({ contract: 'ESM7' }), '/contract', /lists no such contract/],
  ['a contract in other letters', lineOf({ contract: 'esz6' }), '/contract', /case-sensitive/],
  ['a contract that is a number', lineOf({ contract: 6 }), '/contract', /must be a text/],
  ['a time of tomorrow', lineOf({ ts: '2026-11-17T12:00:00Z' }), '/ts', /a time of tomorrow/],
  ['seconds', lineOf({ ts: 1_794_830_400 }), '/ts', /looks like seconds: in nanoseconds/],
  ['milliseconds', lineOf({ ts: '1794830400123' }), '/ts', /looks like milliseconds/],
  ['a date', lineOf({ ts: '2026-11-16' }), '/ts', /must be a time such as/],
  ['a time long ago', lineOf({ ts: '1999-12-31T23:59:59Z' }), '/ts', /before the year 2000/],
  ['a leap day that is none', lineOf({ ts: '2026-02-29T00:00:00Z' }), '/ts', /must be a time/],
  ['no number', lineOf({ id: null }), '/id', /must be a whole number/],
  ['a number beyond 2^53', lineOf({ id: '9007199254740993' }), '/id', /must be a whole number/],
  ['a side of its own', lineOf({ side: 'B' }), '/side', /must be "buy", "sell" or "unknown"/],
  ['a number again', `${lineOf({ id: 2 })}\n${lineOf({ id: 2 })}`, '/id', /is 2 after 2: .* grow/],
  ['a number that falls', `${lineOf({ id: 2 })}\n${lineOf({ id: 1 })}`, '/id', /is 1 after 2/],
  ['an endless line', `{"contract":"${'x'.repeat(5_000)}"}`, '', /more than 4096 bytes/],
  ['a prototype', '{"__proto__":{"x":1}}', '/__proto__', /is not known/],
];

for (const [name, text, path, message] of BAD) {
  test(`${name} is refused at its line and field`, async () => {
    for (const before of ['', `${lineOf({ id: 0 })}\n\n`]) {
      const refusal = await refusalOf(before + text);
      assert.equal(refusal.code, 'INVALID_BATCH');
      const lines = before.split('\n').length + text.split('\n').length - 1;
      assert.deepEqual([refusal.errors[0]!.line, refusal.errors[0]!.path], [lines, path]);
      assert.match(refusal.message, message);
      assert.match(refusal.message, new RegExp(`^Line ${lines}: `));
    }
  });
}

test('bytes that are no text are refused at their line', async () => {
  const body = Uint8Array.of(
    ...new TextEncoder().encode(`${lineOf({})}\n{"contract":"`),
    0xff,
    0xfe,
  );
  const reading = readPush({ contentType: 'application/x-ndjson', body, firstId: null }, rules);
  await assert.rejects(reading, /^PushRefusal: Line 2: is not UTF-8/);
});

test('a price off the tick grid names line, contract, price and tick', async () => {
  const refusal = await refusalOf(`${lineOf({ id: 0 })}\n${lineOf({ price: 5000.3 })}`);
  assert.equal(refusal.code, 'OFF_TICK_PRICE');
  assert.deepEqual(refusal.offTick, { contract: 'ESZ6', price: '5000.3', tick: '0.25', line: 2 });
  assert.match(refusal.message, /is 5000\.3, which is no multiple of the tick 0\.25 of ESZ6\./);
});

test('at most 200,000 trades are read', async () => {
  const lines = (count: number) =>
    Array.from(
      { length: count },
      (_, id) => `{"contract":"ESZ6","id":${id},"ts":${NOON},"price":1,"size":1}`,
    );
  assert.equal((await ndjson(lines(200_000).join('\n'))).count, 200_000);
  assert.equal((await refusalOf(lines(200_001).join('\n'))).code, 'TOO_LARGE');
  const body = new Uint8Array(16 * 1_048_576 + 1);
  const reading = readPush({ contentType: 'application/x-ndjson', body, firstId: null }, rules);
  await assert.rejects(reading, { code: 'TOO_LARGE' });
});

/** What a body gives, or at which line, field and reason it is refused. */
async function outcome(read: () => Promise<PushRows>): Promise<unknown> {
  try {
    return plain(await read());
  } catch (error) {
    assert.ok(error instanceof PushRefusal, String(error));
    return [error.code, error.errors];
  }
}

/** Reads each line by the reader with every check. */
async function readSlowly(lines: readonly string[]): Promise<PushRows> {
  const rows = new PushRows(rules, 1_000);
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== '') readPushLine(line, index + 1, rows);
  }
  return rows;
}

const text = (value: fc.Arbitrary<unknown>) =>
  fc.tuple(value, fc.boolean()).map(([one, isText]) => (isText ? `"${one}"` : `${one}`));
const digits = fc.oneof(
  fc.nat(99_999).map((ticks) => (ticks / 4).toFixed(2)),
  fc.nat(999),
  fc.constantFrom(
    '0',
    '00',
    '1.',
    '.5',
    '-1',
    '1e3',
    '0.10',
    '123456789012345',
    '1234567890123456',
  ),
);
const time = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('2026-11-16', '2026-11-15', '2026-11-31', '1999-01-01'),
      fc.nat(23),
      fc.nat(61),
      fc.constantFrom('', '.1', '.123456789', '.1234567891', '.'),
    )
    .map(
      ([day, hour, minute, rest]) =>
        `"${day}T${`${hour}`.padStart(2, '0')}:${`${minute}`.padStart(2, '0')}:00${rest}Z"`,
    ),
  text(
    fc.constantFrom(
      NOON,
      NOON - 1n,
      rules.latest,
      rules.latest + 1n,
      1_794_830_400_123n,
      '01794830400123456789',
    ),
  ),
);
const field = fc.oneof(
  { weight: 30, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"x":1', '"id":null', '"side":"b"', '"contract":"E\\"S"', ''),
  },
);
const aLine = fc
  .record({
    contract: fc.constantFrom('"ESZ6"', '"ESZ6"', '"BTC"', '"ES"', '"ESZ66"'),
    id: text(fc.oneof(fc.nat(9_999), digits)),
    ts: time,
    price: text(digits),
    size: text(fc.oneof(fc.nat(5), digits)),
    side: fc.constantFrom('"buy"', '"sell"', '"unknown"', 'null', '"buys"'),
    order: fc.shuffledSubarray(['contract', 'id', 'ts', 'price', 'size', 'side'] as const, {
      minLength: 5,
    }),
    gap: fc.constantFrom('', ' ', '  '),
    other: field,
    end: fc.constantFrom('', ' ', '\r'),
  })
  .map(({ order, gap, other, end, ...values }) => {
    const fields = order.map((name) => `"${name}":${gap}${values[name]}`);
    if (other !== null) fields.push(other);
    return `{${gap}${fields.join(`,${gap}`)}}${end}`;
  });

test('the scan over bytes and the reader with every check agree on every line', async () => {
  const good = fc.nat(50).map((id) => lineOf({ id: 10_000 + id }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(aLine, good, fc.constantFrom('', ' ', '\r', '\t')), { maxLength: 5 }),
      async (lines) => {
        const body = lines.join('\n');
        assert.deepEqual(await outcome(() => ndjson(body)), await outcome(() => readSlowly(lines)));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('a body that is damaged anywhere is refused with a line, or is another sound body', async () => {
  const good = `${[1, 2, 3].map((id) => lineOf({ id })).join('\n')}\n`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
      async (changes) => {
        const body = new TextEncoder().encode(good);
        for (const [place, byte] of changes) body[place % body.length] = byte;
        await outcome(() =>
          readPush({ contentType: 'application/x-ndjson', body, firstId: null }, rules),
        );
      },
    ),
    { numRuns: 2_000 },
  );
});
