import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bytesOf, decode, outcome } from '../../../testing/feeds/csv-reading.ts';
import { databentoText } from '../../../testing/feeds/csv-texts.ts';
import type { CsvMapping } from '../feed-mapping.ts';
import { guessCsv } from './guess-csv.ts';

/** 2026-03-10 14:30:00 UTC. */
const BEGIN = 1_773_153_000_000_000_000n;
const simple: CsvMapping = {
  time: { kind: 'epoch', column: 'time', unit: 'ms' },
  price: { column: 'price', decimals: 0 },
  size: { column: 'size', decimals: 0 },
  side: { kind: 'words', column: 'side', buy: ['buy'], sell: ['sell'], unknown: [''] },
  symbol: null,
  drop: [],
  delimiter: ',',
  hasHeader: true,
  decimalSign: '.',
};
const HEADER = 'time,price,size,side\n';

const decodeText = (text: string, mapping: CsvMapping = simple) => decode(mapping, [bytesOf(text)]);

const faultOf = (text: string, mapping = simple) =>
  (outcome(mapping, [bytesOf(text)]) as { message?: string }).message;

describe('what a text may look like', () => {
  it('a mark before UTF-8, line ends of either kind, quotes, spaces, empty lines, no last line end', () => {
    const text =
      '\ufefftime, "price" ,size,side\r\n\r\n1690000000123, "5000.25",  3 ,"buy"\r\n\n1690000000124,-1e1,2,sell';
    const { trades, counts } = decodeText(text);
    assert.deepEqual(
      trades.map(({ price, size, side, row }) => [price, size, side, row]),
      [
        ['5000.25', '3', 1, 3],
        ['-10', '2', -1, 5],
      ],
    );
    assert.deepEqual(counts, { 'last row without a line end (was the file cut?)': 1 });
  });

  it('nothing at all, or a header alone, has no trades', () => {
    assert.deepEqual(decodeText('').trades, []);
    assert.deepEqual(decodeText(HEADER).trades, []);
  });

  it('rows without a size and rows that are no trades are counted and left out', () => {
    const mapping: CsvMapping = {
      ...simple,
      drop: [{ column: 'side', words: ['quote'], when: 'is', as: 'quotes' }],
    };
    const text = `${HEADER}1690000000123,1,0,buy\n1690000000123,x,y,quote\n1690000000123,2,1,buy\n1690000000123,3,0.00,sell\n`;
    const { trades, counts } = decodeText(text, mapping);
    assert.deepEqual(
      trades.map(({ price, row }) => [price, row]),
      [['2', 4]],
    );
    assert.deepEqual(counts, { 'size zero': 2, quotes: 1 });
  });

  it('numbers of very different size are exact, each in a batch that can hold it', () => {
    const prices = [
      '15000000',
      '0.000000001',
      '9007199254740991',
      '0.1',
      '123456.789012345',
      '1e-7',
    ];
    const rows = prices.map((price) => `1690000000123,${price},1,buy\n`).join('');
    assert.deepEqual(
      decodeText(HEADER + rows).trades.map(({ price }) => price),
      ['15000000', '0.000000001', '9007199254740991', '0.1', '123456.789012345', '0.0000001'],
    );
  });

  it('numbers of every unit are exact to the nanosecond, with a fraction or without', () => {
    const cases = [
      ['s', '1773153000.123456789', 123_456_789n],
      ['s', '1773153000', 0n],
      ['ms', '1773153000123.5', 123_500_000n],
      ['us', '1773153000123456.7890', 123_456_789n],
      ['ns', '1773153000123456789.0', 123_456_789n],
      ['by-digits', '1773153000.25', 250_000_000n],
      ['by-digits', '1773153000123456', 123_456_000n],
    ] as const;
    for (const [unit, time, ns] of cases) {
      const mapping: CsvMapping = { ...simple, time: { kind: 'epoch', column: 'time', unit } };
      const { trades } = decodeText(`${HEADER}${time},1,1,buy\n`, mapping);
      assert.deepEqual(
        trades.map(({ ts }) => ts),
        [BEGIN + ns],
        time,
      );
    }
    const mapping: CsvMapping = { ...simple, time: { kind: 'epoch', column: 'time', unit: 'ns' } };
    for (const time of [
      '1773153000123456789.1',
      '.',
      '.5',
      '1.2.3',
      '-1',
      '17731530001234567890',
    ]) {
      assert.match(
        faultOf(`${HEADER}${time},1,1,buy\n`, mapping)!,
        /has the time|before 1973/,
        time,
      );
    }
  });

  it('spreads and options are told by name', () => {
    const text = databentoText(
      ['ESU4-ESZ4', 'ESH4 C5000', 'BRN FMH0025!', 'ESH4'].map((symbol) => ({
        symbol,
        ts: BEGIN,
        price: '1.5',
        size: '1',
        side: 0 as const,
      })),
      { isPretty: true },
    );
    const { instruments } = decode(guessCsv(bytesOf(text), 'x.csv').mapping!, [bytesOf(text)]);
    assert.deepEqual(
      instruments.map(({ skipped }) => skipped),
      ['spread', 'option', null, null],
    );
  });

  it('wall times follow their zone over a change of the clocks, and one that exists twice is refused', () => {
    const mapping: CsvMapping = {
      ...simple,
      time: { kind: 'text', column: 'time', pattern: 'iso', zone: 'America/Chicago' },
    };
    const times = [
      '2026-10-31 23:59:59.5',
      '2026-11-01 00:59:59',
      '2026-11-01 02:00:00',
      '2026-11-02T08:30:00',
    ];
    const rows = times.map((time) => `${time},1,1,buy\n`).join('');
    assert.deepEqual(
      decodeText(HEADER + rows, mapping).trades.map(({ ts }) => ts),
      [
        '2026-11-01T04:59:59.5Z',
        '2026-11-01T05:59:59Z',
        '2026-11-01T08:00:00Z',
        '2026-11-02T14:30:00Z',
      ].map((text) => Temporal.Instant.from(text).epochNanoseconds),
    );
    assert.match(faultOf(`${HEADER}2026-11-01 01:30:00,1,1,buy\n`, mapping)!, /Row 2 .*clocks/);
  });
});

describe('a row that cannot be read', () => {
  const good = '1690000000123,5000.25,3,buy\n';
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['a price that is none', '1690000000123,abc,3,buy', /has the price "abc"/],
    ['an empty price', '1690000000123,,3,buy', /has the price ""/],
    [
      'a price with more digits than are exact',
      '1690000000123,9007199254740993,3,buy',
      /kept exactly/,
    ],
    ['a size below zero', '1690000000123,1,-3,buy', /size below zero/],
    ['a side nobody knows', '1690000000123,1,3,up', /has the side "up"/],
    ['a time in another unit', '1690000000,1,3,buy', /before 1973/],
    ['a time that is none', '16900x0000123,1,3,buy', /has the time "16900x0000123"/],
    ['too few columns', '1690000000123,1,3', /has 3 columns where the first row has 4/],
    ['too many columns', '1690000000123,1,3,buy,', /has 5 columns where the first row has 4/],
    ['a quote without an end', '1690000000123,"1,3,buy', /quote/],
  ];
  for (const [name, row, sentence] of cases) {
    it(`${name}: its number and its text are said, and nothing else happens`, () => {
      const text = `${HEADER}${good.repeat(3)}${row}\n${good}`;
      const whole = outcome(simple, [bytesOf(text)]) as { message: string; row: number };
      assert.match(whole.message, sentence);
      assert.equal(whole.row, 5);
      assert.ok(whole.message.startsWith('Row 5 '));
      assert.ok(whole.message.endsWith(`The row is: ${row}`));
      const single = Array.from(bytesOf(text), (byte) => Uint8Array.of(byte));
      assert.deepEqual(outcome(simple, single), whole);
    });
  }

  it('the earliest one has the word, whatever column it is', () => {
    const text = `${HEADER}${good}1690000000123,1,1,up\n1690000000123,1,x,buy\n`;
    assert.match(faultOf(text)!, /^Row 3 has the side/);
  });

  it('what a terminal would obey is not said', () => {
    assert.ok(!faultOf(`${HEADER}\u001b[2J,1,1,buy\n`)!.includes('\u001b'));
  });

  it('columns that are not there, UTF-16, and rows without an end are refused', () => {
    assert.match(
      faultOf('time,price,side\n1,2,3\n')!,
      /no column "size". It has: time, price, side/,
    );
    const side = { ...simple.side, column: 5 } as CsvMapping['side'];
    assert.match(
      faultOf(HEADER + good, { ...simple, side })!,
      /^Column 5 is asked for, and the header has 4: time, price, size, side$/,
    );
    assert.match(
      (outcome(simple, [Uint8Array.of(0xff, 0xfe, 0x0a, 0)]) as { message: string }).message,
      /UTF-16/,
    );
    assert.match(faultOf('x'.repeat(400_000))!, /longer than/);
  });

  it('whatever bytes come, the end is trades or a sentence', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const bytes = bytesOf(HEADER + good.repeat(6));
          for (const [place, byte] of changes) bytes[place % bytes.length] = byte;
          const whole = outcome(simple, [bytes]);
          assert.deepEqual(outcome(simple, [bytes.subarray(0, 50), bytes.subarray(50)]), whole);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
