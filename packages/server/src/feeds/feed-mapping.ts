/**
 * The meaning of a foreign file's columns: where time, price, size, side and symbol of a trade are, and which rows are
 * no trades. A mapping is data, in a JSON file or shown to a person. Everything in it is explicit, so nothing is
 * assumed about a file.
 */

/** A column by its name in the header, or by its number from 1. */
export type ColumnRef = string | number;

/** `by-digits`: 10 digits: seconds, 13: milliseconds, 16: microseconds, 19: nanoseconds (2001 to 2286). */
export const TIME_UNITS = ['s', 'ms', 'us', 'ns', 'by-digits'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** Numbers since 1970, in UTC. */
export interface EpochTime {
  readonly kind: 'epoch';
  readonly column: ColumnRef;
  readonly unit: TimeUnit;
}

/** Numbers since midnight of a date that the file does not contain, by the clocks of a zone. */
export interface MidnightTime {
  readonly kind: 'midnight';
  readonly column: ColumnRef;
  readonly unit: Exclude<TimeUnit, 'by-digits'>;
  /** A number like 20261116. */
  readonly date: number;
  readonly zone: string;
}

/** A text: `iso`, or a pattern such as `yyyyMMdd HHmmss fffffff` (see `csv/time-pattern.ts`). */
export interface TextTime {
  readonly kind: 'text';
  readonly column: ColumnRef;
  readonly pattern: string;
  /** An IANA zone; null if every time has its own offset. */
  readonly zone: string | null;
}

export interface DateAndTime {
  readonly kind: 'date-and-time';
  readonly dateColumn: ColumnRef;
  readonly datePattern: string;
  readonly timeColumn: ColumnRef;
  readonly timePattern: string;
  readonly zone: string;
}

export type TimeMapping = EpochTime | MidnightTime | TextTime | DateAndTime;

export interface NumberMapping {
  readonly column: ColumnRef;
  /** The column has integers of 10^-decimals; 0 if it has the value itself. */
  readonly decimals: number;
}

/** A word gives the aggressor. Any other word makes the row invalid. */
export interface SideWords {
  readonly kind: 'words';
  readonly column: ColumnRef;
  readonly buy: readonly string[];
  readonly sell: readonly string[];
  readonly unknown: readonly string[];
}

/** The size is in one of two columns: bought at the ask, or sold at the bid. A row with both is no single trade. */
export interface SideVolumes {
  readonly kind: 'volumes';
  readonly buyColumn: ColumnRef;
  readonly sellColumn: ColumnRef;
}

/** Quotes beside each trade: at or above the ask it is a buy, at or below the bid a sell, else unknown. */
export interface SideQuotes {
  readonly kind: 'quotes';
  readonly bidColumn: ColumnRef;
  readonly askColumn: ColumnRef;
}

/** The sign of the size: positive is a buy, negative a sell. */
export interface SideSign {
  readonly kind: 'sign';
}

export type SideMapping =
  | SideWords
  | SideVolumes
  | SideQuotes
  | SideSign
  | { readonly kind: 'none' };

export interface SymbolMapping {
  readonly column: ColumnRef;
  /** Spreads (`ESU4-ESZ4`) and options (`ESH4 C5000`) are recognised by name and skipped. */
  readonly isFuturesOnly: boolean;
}

/** Rows that are no trades: their column has one of these words, or none of them. */
export interface DropRule {
  readonly column: ColumnRef;
  readonly words: readonly string[];
  readonly when: 'is' | 'is-not';
  /** The reason under which such rows are counted. */
  readonly as: string;
}

export interface FeedMapping {
  readonly time: TimeMapping;
  readonly price: NumberMapping;
  readonly size: NumberMapping;
  readonly side: SideMapping;
  /** Null if the file has one instrument without a name. */
  readonly symbol: SymbolMapping | null;
  readonly drop: readonly DropRule[];
}

export const DELIMITERS = [',', ';', '\t', '|'] as const;

export interface CsvMapping extends FeedMapping {
  readonly delimiter: (typeof DELIMITERS)[number];
  readonly hasHeader: boolean;
  readonly decimalSign: '.' | ',';
}

/** All columns that a mapping uses, each once. */
export function columnsOf(mapping: FeedMapping): readonly ColumnRef[] {
  const { time, price, size, side, symbol, drop } = mapping;
  const all = [...timeColumns(time), price.column, size.column, ...sideColumns(side)];
  if (symbol !== null) all.push(symbol.column);
  all.push(...drop.map(({ column }) => column));
  return [...new Set(all)];
}

export function timeColumns(time: TimeMapping): readonly ColumnRef[] {
  return time.kind === 'date-and-time' ? [time.dateColumn, time.timeColumn] : [time.column];
}

export function sideColumns(side: SideMapping): readonly ColumnRef[] {
  switch (side.kind) {
    case 'words':
      return [side.column];
    case 'volumes':
      return [side.buyColumn, side.sellColumn];
    case 'quotes':
      return [side.bidColumn, side.askColumn];
    case 'sign':
    case 'none':
      return [];
    default:
      return side satisfies never;
  }
}
