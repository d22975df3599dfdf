/**
 * What the columns of somebody's file mean: where time, price, size, side and symbol of a trade stand, and which rows
 * are none. A mapping is data, as it stands in a JSON file or is shown to a person; everything in it is explicit, so
 * that nothing of a file is taken for something it does not say.
 */

/** A column by its name in the header, or by its number from 1. */
export type ColumnRef = string | number;

/** `by-digits`: 10 digits are seconds, 13 milliseconds, 16 microseconds, 19 nanoseconds: any time from 2001 to 2286. */
export const TIME_UNITS = ['s', 'ms', 'us', 'ns', 'by-digits'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** Numbers since 1970, in UTC. */
export interface EpochTime {
  readonly kind: 'epoch';
  readonly column: ColumnRef;
  readonly unit: TimeUnit;
}

/** Numbers since the midnight of a date that the file itself does not say, by the clocks of a zone. */
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
  /** IANA; null where every time says its own offset. */
  readonly zone: string | null;
}

/** Date and time in two columns. */
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
  /** The column has whole numbers of 10^-decimals; 0 where it has the value itself. */
  readonly decimals: number;
}

/** A word says who was the aggressor. Any other word than these is a broken row. */
export interface SideWords {
  readonly kind: 'words';
  readonly column: ColumnRef;
  readonly buy: readonly string[];
  readonly sell: readonly string[];
  readonly unknown: readonly string[];
}

/** The size stands in one of two columns: bought at the ask, or sold at the bid. A row with both is no single trade. */
export interface SideVolumes {
  readonly kind: 'volumes';
  readonly buyColumn: ColumnRef;
  readonly sellColumn: ColumnRef;
}

/** Quotes beside each trade: at the ask or above it was bought, at the bid or below it was sold, else it is unknown. */
export interface SideQuotes {
  readonly kind: 'quotes';
  readonly bidColumn: ColumnRef;
  readonly askColumn: ColumnRef;
}

/** The sign of the size says it: above zero was bought, below it was sold. */
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
  /** Spreads (`ESU4-ESZ4`) and options (`ESH4 C5000`) are told by their names and left out. */
  readonly isFuturesOnly: boolean;
}

/** Rows that are no trades: those whose column has one of these words, or has none of them. */
export interface DropRule {
  readonly column: ColumnRef;
  readonly words: readonly string[];
  readonly when: 'is' | 'is-not';
  /** What such rows are counted as. */
  readonly as: string;
}

export interface FeedMapping {
  readonly time: TimeMapping;
  readonly price: NumberMapping;
  readonly size: NumberMapping;
  readonly side: SideMapping;
  /** Null where the file has one instrument and does not name it. */
  readonly symbol: SymbolMapping | null;
  readonly drop: readonly DropRule[];
}

export const DELIMITERS = [',', ';', '\t', '|'] as const;

export interface CsvMapping extends FeedMapping {
  readonly delimiter: (typeof DELIMITERS)[number];
  readonly hasHeader: boolean;
  readonly decimalSign: '.' | ',';
}

/** All columns a mapping reads, each once. */
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
