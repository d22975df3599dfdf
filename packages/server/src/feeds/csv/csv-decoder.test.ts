import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  binanceText,
  databentoText,
  leanText,
  ninjatraderText,
  type PlainTrade,
  sierraDumpText,
  sierraText,
  tardisText,
} from '../../../testing/feeds/csv-texts.ts';
import { plainTrades, type ReadTrade } from '../../../testing/feeds/plain-trades.ts';
import type { CsvMapping } from '../feed-mapping.ts';
import { FeedError } from '../feed-trades.ts';
import { CsvDecoder } from './csv-decoder.ts';
import type { CsvHints } from './csv-guess.ts';
import { guessCsv } from './guess-csv.ts';
import { judgeMapping } from './judge-mapping.ts';

/** 2026-03-10 14:30:00 UTC, when Chicago is five hours behind. */
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
/** Few, so that most files have several batches. */
const BATCH_ROWS = 16;
const HEADER = 'time,price,size,side\n';

interface Form {
  readonly name: string;
  readonly path: string;
  readonly hints: CsvHints;
  readonly unitNs: bigint;
  readonly hasSymbol: boolean;
  readonly hasSide: boolean;
  readonly text: (trades: readonly PlainTrade[]) => string;
}

const chicago = { zone: 'America/Chicago' };
const forms: readonly Form[] = [
  form('databento', 'es.csv', 1n, (all) => databentoText(all, { isPretty: true }), {
    hasSymbol: true,
  }),
  form('databento', 'es.csv', 1n, (all) => databentoText(all, { isPretty: false }), {
    hasSymbol: true,
  }),
  form('binance-trades', 'BTCUSDT-trades-2026-03-10.csv', 1_000_000n, (all) =>
    binanceText(all, { isAggregated: false, hasHeader: true }),
  ),
  form('binance-trades', 'BTCUSDT-trades-2021-03-10.csv', 1_000_000n, (all) =>
    binanceText(all, { isAggregated: false, hasHeader: false }),
  ),
  form('binance-aggtrades', 'BTCUSDT-aggTrades-2026-03-10.csv', 1_000_000n, (all) =>
    binanceText(all, { isAggregated: true, hasHeader: false }),
  ),
  form('tardis', 'trades.csv', 1_000n, tardisText, { hasSymbol: true }),
  form('sierra', 'ESH26.BarData.txt', 1_000_000n, (all) => sierraText(all, -5), { hints: chicago }),
  form('sierra', 'ticks.txt', 1_000n, (all) => sierraDumpText(all, -5), { hints: chicago }),
  form('ninjatrader', 'ES 03-26.Last.txt', 100n, ninjatraderText, {
    hints: { hasSideByQuotes: true },
  }),
  form(
    'quantconnect',
    'future/cme/tick/es/20260310_es_tick_trade_202603.csv',
    1_000_000n,
    leanText,
    {
      hasSide: false,
    },
  ),
];

function form(
  name: string,
  path: string,
  unitNs: bigint,
  text: Form['text'],
  { hasSymbol = false, hasSide = true, hints = {} }: Partial<Form> = {},
): Form {
  return { name, path, unitNs, text, hasSymbol, hasSide, hints };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

function decode(mapping: CsvMapping, pieces: Iterable<Uint8Array>) {
  const decoder = new CsvDecoder(mapping, BATCH_ROWS);
  const trades: ReadTrade[] = [];
  for (const piece of pieces) {
    for (const batch of decoder.push(piece))
      trades.push(...plainTrades(batch, decoder.instruments));
  }
  for (const batch of decoder.finish()) trades.push(...plainTrades(batch, decoder.instruments));
  return { trades, counts: Object.fromEntries(decoder.counts), instruments: decoder.instruments };
}

const decodeText = (text: string, mapping: CsvMapping = simple) => decode(mapping, [bytesOf(text)]);

/** The trades, or the sentence of the error. */
function outcome(mapping: CsvMapping, pieces: Iterable<Uint8Array>): unknown {
  try {
    return decode(mapping, pieces);
  } catch (error) {
    assert.ok(error instanceof FeedError, String(error));
    return { message: error.message, row: error.row };
  }
}

const faultOf = (text: string, mapping = simple) =>
  (outcome(mapping, [bytesOf(text)]) as { message?: string }).message;

const decimal = (wholeMax: number, decimals: number) =>
  fc
    .tuple(fc.integer({ min: 1, max: wholeMax }), fc.integer({ min: 0, max: 10 ** decimals - 1 }))
    .map(([whole, fraction]) =>
      `${whole}.${String(fraction).padStart(decimals, '0')}`.replace(/\.?0+$/, (zeros) =>
        zeros.startsWith('.') || zeros === '' ? '' : zeros.replace(/0+$/, ''),
      ),
    );

const tradesOf = ({ unitNs }: Form) =>
  fc.array(
    fc.record({
      symbol: fc.constantFrom('ESH6', 'NQH6', 'ESM6'),
      ts: fc.integer({ min: 0, max: 20_000_000 }).map((ms) => {
        const ns = BEGIN + BigInt(ms) * 1_000_000n + BigInt(ms % 999_983);
        return (ns / unitNs) * unitNs;
      }),
      price: decimal(90_000, 2),
      size: fc.integer({ min: 1, max: 5_000 }).map(String),
      side: fc.constantFrom(-1 as const, 1 as const),
    }),
    { minLength: 1, maxLength: 60 },
  );

describe('rows in the known forms', () => {
  for (const each of forms) {
    const { name, path, hints, text, hasSymbol, hasSide } = each;

    it(`${name}, ${path}: what was written is what is read`, () => {
      fc.assert(
        fc.property(tradesOf(each), (trades) => {
          const bytes = bytesOf(text(trades));
          const guess = guessCsv(bytes, path, hints);
          assert.deepEqual(guess.unclear, []);
          assert.equal(guess.preset, name);
          assert.deepEqual(judgeMapping(guess.mapping), { mapping: guess.mapping });
          const first = guess.mapping!.hasHeader ? 2 : 1;
          const expected = trades.map(({ symbol, ts, price, size, side }, index) => ({
            symbol: hasSymbol ? symbol : null,
            ts,
            price: price.includes('.') ? price.replace(/\.?0+$/, '') : price,
            size,
            side: hasSide ? side : 0,
            row: first + index,
          }));
          assert.deepEqual(decode(guess.mapping!, [bytes]).trades, expected);
        }),
        { numRuns: 60 },
      );
    });

    it(`${name}, ${path}: however it is cut into pieces, it says the same`, () => {
      const [trades] = fc.sample(tradesOf(each), { numRuns: 1, seed: 7 }) as [PlainTrade[]];
      const bytes = bytesOf(text(trades));
      const mapping = guessCsv(bytes, path, hints).mapping!;
      const whole = decode(mapping, [bytes]);
      const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
      assert.deepEqual(decode(mapping, single), whole);
      for (let cut = 1; cut < bytes.length; cut += 7) {
        assert.deepEqual(decode(mapping, [bytes.subarray(0, cut), bytes.subarray(cut)]), whole);
      }
    });

    it(`${name}, ${path}: a file that ends anywhere gives the rows before, or says so`, () => {
      const [trades] = fc.sample(tradesOf(each), { numRuns: 1, seed: 11 }) as [PlainTrade[]];
      const bytes = bytesOf(text(trades.slice(0, 4)));
      const mapping = guessCsv(bytes, path, hints).mapping!;
      const whole = decode(mapping, [bytes]).trades;
      for (let end = 0; end < bytes.length; end += 1) {
        const cut = outcome(mapping, [bytes.subarray(0, end)]);
        if ('message' in (cut as object)) continue;
        const { trades: read, counts } = cut as ReturnType<typeof decode>;
        const isCutInRow = 'last row without a line end (was the file cut?)' in counts;
        const sure = isCutInRow ? read.slice(0, -1) : read;
        assert.deepEqual(sure, whole.slice(0, sure.length));
        assert.ok(read.length <= whole.length);
      }
    });
  }
});

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
