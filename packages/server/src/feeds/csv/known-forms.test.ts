/** The text forms of vendors and desks: guessed and read, whole, in pieces and truncated. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bytesOf, decode, outcome } from '../../../testing/feeds/csv-reading.ts';
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
import type { CsvHints } from './csv-guess.ts';
import { guessCsv } from './guess-csv.ts';
import { judgeMapping } from './judge-mapping.ts';

/** 2026-03-10 14:30:00 UTC, when Chicago is five hours behind. */
const BEGIN = 1_773_153_000_000_000_000n;

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
