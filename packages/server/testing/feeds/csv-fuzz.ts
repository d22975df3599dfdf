/** Fuzzes trade texts from a seed. The fast path for ordinary rows must give the same trades or error as the other. */

import assert from 'node:assert/strict';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { CsvDecoder } from '../../src/feeds/csv/csv-decoder.ts';
import type { CsvMapping } from '../../src/feeds/feed-mapping.ts';
import { FeedError } from '../../src/feeds/feed-trades.ts';
import { mutated } from './mutated.ts';
import { plainTrades, type ReadTrade } from './plain-trades.ts';

/** Few, so that texts span several batches. */
const BATCH_ROWS = 5;
const ROWS = 14;
const SECONDS = 1_773_187_197;
const LETTERS = '0123456789.,;-+e"\' \t\r\ntruefalsB\u00e9';
const PRICES = [
  '7354.25',
  '7354.5',
  '7355',
  '0.00012000',
  '65432.10000000',
  '-3.5',
  '1e3',
  '99999999999999.25',
];
const SIZES = ['1', '2', '0.001', '15.25', '0', '123456789012', '.5', '3.'];
const UNITS = { s: 0, ms: 3, us: 6, ns: 9, 'by-digits': 3 } as const;

export interface CsvFuzzOutcome {
  readonly read: number;
  readonly refused: number;
  readonly trades: number;
}

export function fuzzCsv(mutations: number, seed: number): CsvFuzzOutcome {
  const random = seededRandom(seed);
  const outcome = { read: 0, refused: 0, trades: 0 };
  for (let index = 0; index < mutations; index += 1) {
    const { mapping, text } = anyText(random);
    const bytes = touched(Buffer.from(text), random);
    const cut = Math.floor(random() * bytes.length);
    const ours = readText(mapping, [bytes.subarray(0, cut), bytes.subarray(cut)]);
    assert.deepEqual(ours, readText(withoutOrdinary(mapping), [bytes]), `${index} of ${seed}`);
    outcome[ours.refusal === null ? 'read' : 'refused'] += 1;
    outcome.trades += ours.trades.length;
  }
  return outcome;
}

/** The same mapping with a rule that drops nothing, which disables the fast path. */
function withoutOrdinary(mapping: CsvMapping): CsvMapping {
  const never = {
    column: mapping.time.kind === 'epoch' ? mapping.time.column : 1,
    words: ['never'],
  };
  return { ...mapping, drop: [{ ...never, when: 'is', as: 'never' }] };
}

/** Trades before a rejection depend on the chunks, so they do not count. */
function readText(mapping: CsvMapping, pieces: readonly Uint8Array[]) {
  const decoder = new CsvDecoder(mapping, BATCH_ROWS);
  const trades: ReadTrade[] = [];
  try {
    for (const piece of pieces) {
      for (const batch of decoder.push(piece))
        trades.push(...plainTrades(batch, decoder.instruments));
    }
    for (const batch of decoder.finish()) trades.push(...plainTrades(batch, decoder.instruments));
    return { refusal: null, trades, counts: Object.fromEntries(decoder.counts) };
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    return { refusal: error.message, trades: [], counts: {} };
  }
}

type Random = () => number;

function oneOf<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** A text with a few columns in any order, and its mapping. */
function anyText(random: Random): { readonly mapping: CsvMapping; readonly text: string } {
  const unit = oneOf(['s', 'ms', 'us', 'ns', 'by-digits'] as const, random);
  const delimiter = oneOf([',', ';', '\t'] as const, random);
  const decimalSign = oneOf(['.', '.', ','] as const, random);
  const hasHeader = random() < 0.5;
  const hasSide = random() < 0.8;
  const columns = ['id', 'time', 'price', 'size', 'side', 'more'].sort(() => random() - 0.5);
  const ref = (name: string) => columns.indexOf(name) + 1;
  const mapping: CsvMapping = {
    time: { kind: 'epoch', column: ref('time'), unit },
    price: { column: ref('price'), decimals: oneOf([0, 0, 2], random) },
    size: { column: ref('size'), decimals: 0 },
    side: hasSide
      ? { kind: 'words', column: ref('side'), buy: ['false'], sell: ['true'], unknown: [''] }
      : { kind: 'none' },
    symbol: null,
    drop: [],
    delimiter,
    hasHeader,
    decimalSign,
  };
  const lineEnd = oneOf(['\n', '\r\n'], random);
  const isRough = random() < 0.5;
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const row: Readonly<Record<string, string>> = {
      id: String(9_000 + index),
      time: String(SECONDS + index) + '123456789'.slice(0, UNITS[unit]),
      price: (isRough ? oneOf(PRICES, random) : `73${index}.25`).replace('.', decimalSign),
      size: (isRough ? oneOf(SIZES, random) : String(index + 1)).replace('.', decimalSign),
      side: oneOf(['true', 'false', ''], random),
      more: oneOf(['', 'x', '"a"', '12.5 '], random),
    };
    return columns.map((name) => row[name]).join(delimiter) + lineEnd;
  });
  return { mapping, text: (hasHeader ? columns.join(delimiter) + lineEnd : '') + rows.join('') };
}

/** Inserts characters that are meaningful in such a text, and sometimes arbitrary damage. */
function touched(text: Uint8Array, random: Random): Uint8Array {
  if (random() < 0.2) return mutated(text, random);
  const bytes = text.slice();
  for (let change = Math.floor(random() * 4); change > 0; change -= 1) {
    bytes[Math.floor(random() * bytes.length)] = oneOf([...Buffer.from(LETTERS)], random);
  }
  return bytes;
}
