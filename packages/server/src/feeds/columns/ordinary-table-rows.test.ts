import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainTrades } from '../../../testing/feeds/plain-trades.ts';
import { FeedError } from '../feed-trades.ts';
import { NO_WORD, type StoredValues, storedValueAt } from './stored-values.ts';
import type { TableColumn, TableMapping, TableType } from './table-mapping.ts';
import { TableTrades } from './table-trades.ts';

const NOON_NS = 1_773_144_000_000_000_000n;
const HOUR_NS = 3_600_000_000_000n;
const UNIT_NS = { ns: 1n, us: 1_000n, ms: 1_000_000n, s: 1_000_000_000n } as const;
type Unit = keyof typeof UNIT_NS;
const SIDES = ['buy', 'sell', ''];
const SYMBOLS = ['ESH6', 'ESM6', 'ESH6-ESM6'];

function column(type: TableType, stored: StoredValues): TableColumn {
  return { type, stored, at: storedValueAt(stored, type.kind) };
}

function halves(values: readonly bigint[], isSigned = true): StoredValues {
  const memory = BigInt64Array.from(values);
  return { kind: 'halves', values: new Uint32Array(memory.buffer), isSigned };
}

function words(values: readonly (string | null)[], known: readonly string[]): StoredValues {
  const codes = Uint32Array.from(values, (word) => (word === null ? NO_WORD : known.indexOf(word)));
  return { kind: 'words', codes, words: known };
}

/** The result of consecutive tables: trades and counts, or the error message. */
function outcome(
  mapping: TableMapping,
  tables: readonly (readonly [ReadonlyMap<string, TableColumn>, number])[],
) {
  const trades = new TableTrades(mapping);
  try {
    const read = [];
    for (const [columns, rows] of tables) {
      for (const batch of trades.push(columns, rows)) {
        read.push(...plainTrades(batch, trades.instruments));
      }
    }
    for (const batch of trades.finish()) read.push(...plainTrades(batch, trades.instruments));
    return { read, counts: [...trades.counts], instruments: trades.instruments };
  } catch (error) {
    assert.ok(error instanceof FeedError);
    return error.message;
  }
}

const number = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 40_000 }).map((ticks) => ticks / 4) },
  { weight: 2, arbitrary: fc.integer({ min: -500_000, max: 500_000 }).map((cents) => cents / 100) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 1e-9, 0.1 + 0.2, 1e15 + 0.5, 2 ** 53, 1e22) },
  { weight: 1, arbitrary: fc.double() },
);
const row = fc.record({
  ns: fc.oneof(
    { weight: 20, arbitrary: fc.bigInt({ min: 0n, max: HOUR_NS }) },
    { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 48n * HOUR_NS }) },
    { weight: 1, arbitrary: fc.bigInt({ min: -NOON_NS * 2n, max: NOON_NS * 3n }) },
  ),
  price: number,
  size: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, -1, 2 ** 31 - 1) },
  ),
  side: fc.constantFrom<string | null>('buy', 'sell', 'buy', 'sell', '', null),
  symbol: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<string | null>(...SYMBOLS) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  action: fc.constantFrom('T', 'T', 'T', 'A'),
});
const table = fc.record({
  unit: fc.constantFrom<Unit>('ns', 'us', 'ms', 's'),
  isTimestamp: fc.boolean(),
  isByDigits: fc.boolean(),
  isWholePrice: fc.boolean(),
  decimals: fc.integer({ min: 0, max: 9 }),
  hasSymbol: fc.boolean(),
  hasDrop: fc.boolean(),
  parts: fc.array(fc.array(row, { maxLength: 60 }), { minLength: 1, maxLength: 3 }),
});

test('many rows at a time give what each row gives alone, the same refusal included', () => {
  fc.assert(
    fc.property(table, (its) => {
      const { unit, isTimestamp, isByDigits, isWholePrice, decimals, hasSymbol, hasDrop } = its;
      const mapping: TableMapping = {
        time: { column: 'ts', unit: isByDigits ? 'by-digits' : unit, zone: null },
        price: { column: 'price', decimals: isWholePrice ? decimals : 0 },
        size: { column: 'size', decimals: 0 },
        side: { kind: 'words', column: 'side', buy: ['buy'], sell: ['sell'], unknown: [''] },
        symbol: hasSymbol ? { column: 'symbol', isFuturesOnly: true } : null,
        drop: hasDrop
          ? [{ column: 'action', words: ['T'], when: 'is-not', as: 'not a trade' }]
          : [],
      };
      const timeType: TableType = isTimestamp
        ? { kind: 'timestamp', unit, isUtc: true }
        : { kind: 'whole' };
      const tables = its.parts.map((rows) => {
        const columns = new Map([
          [
            'ts',
            column(
              timeType,
              halves(rows.map(({ ns }) => BigInt.asIntN(64, NOON_NS + ns) / UNIT_NS[unit])),
            ),
          ],
          [
            'price',
            isWholePrice
              ? column(
                  { kind: 'whole' },
                  halves(
                    rows.map(
                      ({ price }) =>
                        BigInt(Math.trunc(Math.max(-1e15, Math.min(1e15, price || 0)) * 100)) *
                        10n ** 3n,
                    ),
                  ),
                )
              : column(
                  { kind: 'float' },
                  { kind: 'numbers', values: Float64Array.from(rows, ({ price }) => price) },
                ),
          ],
          [
            'size',
            column(
              { kind: 'whole' },
              { kind: 'numbers', values: Int32Array.from(rows, ({ size }) => size) },
            ),
          ],
          [
            'side',
            column(
              { kind: 'text' },
              words(
                rows.map(({ side }) => side),
                SIDES,
              ),
            ),
          ],
          [
            'symbol',
            column(
              { kind: 'text' },
              words(
                rows.map(({ symbol }) => symbol),
                SYMBOLS,
              ),
            ),
          ],
          [
            'action',
            column(
              { kind: 'text' },
              words(
                rows.map(({ action }) => action),
                ['A', 'T'],
              ),
            ),
          ],
        ]);
        return [columns, rows.length] as const;
      });
      const oneByOne = tables.map(([columns, rows]) => {
        const without = [...columns].map(
          ([name, its]) => [name, { ...its, stored: null }] as const,
        );
        return [new Map(without), rows] as const;
      });
      assert.deepEqual(outcome(mapping, tables), outcome(mapping, oneByOne));
    }),
    { numRuns: 300 },
  );
});

test('sides may be small numbers, and missing words are empty ones', () => {
  const mapping: TableMapping = {
    time: { column: 'ts', unit: 'ns', zone: null },
    price: { column: 'price', decimals: 9 },
    size: { column: 'size', decimals: 0 },
    side: { kind: 'words', column: 'side', buy: ['1'], sell: ['2'], unknown: ['0'] },
    symbol: null,
    drop: [],
  };
  const rows = 20;
  const columns = new Map([
    [
      'ts',
      column(
        { kind: 'whole' },
        halves(Array.from({ length: rows }, (_, at) => NOON_NS + BigInt(at))),
      ),
    ],
    [
      'price',
      column(
        { kind: 'whole' },
        halves(
          Array.from({ length: rows }, () => 5_000_250_000_000n),
          false,
        ),
      ),
    ],
    ['size', column({ kind: 'whole' }, { kind: 'numbers', values: new Uint16Array(rows).fill(3) })],
    [
      'side',
      column(
        { kind: 'whole' },
        { kind: 'numbers', values: Int8Array.from({ length: rows }, (_, at) => at % 3) },
      ),
    ],
  ]);
  const result = outcome(mapping, [[columns, rows]]);
  assert.ok(typeof result !== 'string');
  assert.deepEqual(
    result.read.map(({ price, side }) => [price, side]),
    Array.from({ length: rows }, (_, at) => ['5000.25', [0, 1, -1][at % 3]]),
  );
});
