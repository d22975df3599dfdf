/** What a chart shows as a table: its bars, and the rows of one bar with marks in words. */

import { countText, priceText, signedText } from '../scene/number-text.ts';
import type { TimeText } from '../scene/scene-types.ts';
import type { ChartBar, Column, GapColumn } from '../series/chart-bar.ts';
import type { ChartContent } from '../series/chart-content.ts';
import { BUY, type Rows, rowsOf, SELL } from '../series/rows.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { barWords, tickSizeOf } from './view-words.ts';

/** Bars of a table; older ones are in the CSV only, since a page of more is slow to open and to hear. */
export const TABLE_BARS_MAX = 500;

const NANOS_PER_UNIT = 1_000_000_000;
const GAP_WORDS = {
  missing: 'no feed',
  damaged: 'damaged, cannot be read',
  partial: 'only a part is stored',
} as const;

export interface TableBar {
  readonly column: number;
  readonly id: string;
  readonly time: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly delta: string;
  /** Sign of the delta, for the dye. */
  readonly side: 1 | 0 | -1;
  /** Empty without volume by price. */
  readonly poc: string;
  /** Of a gap: until when and why there are no numbers. */
  readonly gap: string | null;
}

export interface TableRow {
  readonly price: string;
  readonly bid: string;
  readonly ask: string;
  readonly delta: string;
  readonly side: 1 | 0 | -1;
  readonly marks: string;
}

export interface ChartTable {
  /** "ES.c.0, 5 minutes, newest first". */
  readonly caption: string;
  /** Newest first, at most `TABLE_BARS_MAX`. */
  readonly bars: readonly TableBar[];
  /** Rows of the bar in that column, highest price first; empty without volume by price. */
  rows(column: number): readonly TableRow[];
  /** All loaded bars, oldest first, with a header; numbers without separators, times in UTC. */
  csv(): string;
  /** Rows of one bar, with a header. */
  rowsCsv(column: number): string;
}

export interface TableOptions {
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  /** Ticks per row, as drawn. */
  readonly group: number;
  readonly timeText: TimeText;
}

export function chartTable({ content, spec, group, timeText }: TableOptions): ChartTable {
  const { columns } = content.bars;
  const tick = tickSizeOf(content);
  const rowsIn = (column: Column | undefined): Rows | null =>
    column === undefined || column.kind === 'gap' || column.levels === null
      ? null
      : rowsOf(column, group, spec.rules);
  const hasDays = spansDays(columns, timeText);
  const when = (ns: bigint) =>
    `${hasDays ? `${timeText.day(ns)}, ` : ''}${timeText.clock(ns, spec.bar.kind !== 'time')}`;
  const from = Math.max(0, columns.length - TABLE_BARS_MAX);
  const bars = columns.slice(from).map((column, at) => {
    if (column.kind === 'gap') return gapOf(column, from + at, when);
    const rows = rowsIn(column);
    const poc = rows === null || rows.poc < 0 ? null : rows.first + rows.poc * rows.group;
    return barOf(column, { column: from + at, tick, poc, time: when(column.fromNs) });
  });
  return {
    caption: `${content.instrument?.name ?? spec.instrument}, ${barWords(spec.bar)}, newest first, times in ${timeText.zone}`,
    bars: bars.reverse(),
    rows: (column) => tableRows(rowsIn(columns[column]), tick),
    csv: () => barsCsv(columns, tick),
    rowsCsv: (column) => rowsCsv(rowsIn(columns[column]), tick),
  };
}

function spansDays(columns: readonly Column[], time: TimeText): boolean {
  const [first, last] = [columns[0], columns.at(-1)];
  if (first === undefined || last === undefined) return false;
  return time.day(first.fromNs) !== time.day(last.fromNs);
}

function gapOf(gap: GapColumn, column: number, when: (ns: bigint) => string): TableBar {
  return {
    ...{ column, id: `gap ${gap.fromNs}`, time: when(gap.fromNs) },
    ...{ open: '', high: '', low: '', close: '', volume: '', delta: '', side: 0, poc: '' },
    gap: `Gap until ${when(gap.endNs)}, ${GAP_WORDS[gap.why]}`,
  };
}

interface BarPlace {
  readonly column: number;
  readonly tick: number;
  readonly poc: number | null;
  readonly time: string;
}

function barOf(bar: ChartBar, { column, tick, poc, time }: BarPlace): TableBar {
  const price = (ticks: number) => priceText(ticks, tick);
  return {
    ...{ column, id: bar.id, time },
    open: price(bar.open),
    high: price(bar.high),
    low: price(bar.low),
    close: price(bar.close),
    volume: countText(bar.volume),
    delta: signedText(bar.delta),
    side: sideOf(bar.delta),
    poc: poc === null ? '' : price(poc),
    gap: null,
  };
}

function tableRows(rows: Rows | null, tick: number): readonly TableRow[] {
  if (rows === null) return [];
  return Array.from({ length: rows.count }, (_, down) => {
    const row = rows.count - 1 - down;
    const [bid, ask] = [rows.bid[row]!, rows.ask[row]!];
    return {
      price: priceText(rows.first + row * rows.group, tick),
      bid: countText(bid),
      ask: countText(ask),
      delta: signedText(ask - bid),
      side: sideOf(ask - bid),
      marks: marksOf(rows, row).join(', '),
    };
  });
}

/** What a cell shows by ink and dye. */
export function marksOf(rows: Rows, row: number): readonly string[] {
  const marks: string[] = [];
  if (row === rows.poc) marks.push('POC');
  if (row === rows.vah) marks.push('VAH');
  if (row === rows.val) marks.push('VAL');
  const imbalance = rows.imbalance[row]!;
  for (const [bit, side, words] of [
    [BUY, 1, 'buy imbalance'],
    [SELL, -1, 'sell imbalance'],
  ] as const) {
    if ((imbalance & bit) === 0) continue;
    const stack = rows.stacks.find(
      (each) => each.side === side && row >= each.from && row <= each.to,
    );
    marks.push(stack === undefined ? words : `${words}, stack of ${stack.to - stack.from + 1}`);
  }
  if (row === rows.count - 1 && rows.isUnfinishedHigh) marks.push('unfinished high');
  if (row === 0 && rows.isUnfinishedLow) marks.push('unfinished low');
  return marks;
}

const BARS_HEADER = 'time,open,high,low,close,volume,bid,ask,unknown,delta,trades,final';

function barsCsv(columns: readonly Column[], tick: number): string {
  const lines = columns.flatMap((bar) => {
    if (bar.kind === 'gap') return [];
    const prices = [bar.open, bar.high, bar.low, bar.close].map((ticks) => plainPrice(ticks, tick));
    const { volume, bid, ask, unknown, delta, trades, isFinal } = bar;
    return [
      [isoText(bar.fromNs), ...prices, volume, bid, ask, unknown, delta, trades, isFinal].join(),
    ];
  });
  return `${[BARS_HEADER, ...lines].join('\n')}\n`;
}

function rowsCsv(rows: Rows | null, tick: number): string {
  const lines = Array.from({ length: rows?.count ?? 0 }, (_, down) => {
    const row = rows!.count - 1 - down;
    const [bid, ask, unknown] = [rows!.bid[row]!, rows!.ask[row]!, rows!.unknown[row]!];
    const price = plainPrice(rows!.first + row * rows!.group, tick);
    return [price, bid, ask, unknown, ask - bid, marksOf(rows!, row).join('; ')].join();
  });
  return `${['price,bid,ask,unknown,delta,marks', ...lines].join('\n')}\n`;
}

/** With a minus that programs read. */
function plainPrice(ticks: number, tick: number): string {
  return priceText(ticks, tick).replace('−', '-');
}

function isoText(ns: bigint): string {
  const seconds = new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19);
  const fraction = String(ns % BigInt(NANOS_PER_UNIT))
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${seconds}${fraction === '' ? '' : `.${fraction}`}Z`;
}

function sideOf(delta: number): 1 | 0 | -1 {
  return delta > 0 ? 1 : delta < 0 ? -1 : 0;
}
