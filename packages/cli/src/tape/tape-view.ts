/** Renders the contents of the tape: a table of contracts, or one contract as a calendar and day by day. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { DayListing } from '@tapeloom/server/tape/inspect/list-days';
import type { ContractDays, ContractListing } from '@tapeloom/server/tape/inspect/list-tape';
import { dateText } from '../day-text.ts';
import { tradesText } from '../stream/text-format.ts';
import { type Column, tableText } from '../table-text.ts';

const CONTRACT_COLUMNS: readonly Column[] = [
  { title: 'dataset' },
  { title: 'contract' },
  { title: 'first', isNumber: true },
  { title: 'last', isNumber: true },
  { title: 'days', isNumber: true },
  { title: 'partial', isNumber: true },
  { title: 'no trades', isNumber: true },
  { title: 'replaced', isNumber: true },
  { title: 'trades', isNumber: true },
  { title: 'bytes', isNumber: true },
  { title: 'bytes/trade', isNumber: true },
  { title: 'state' },
  { title: 'gaps' },
];
const DAY_COLUMNS: readonly Column[] = [
  { title: 'day' },
  { title: 'trades', isNumber: true },
  { title: 'bytes', isNumber: true },
  { title: 'quality' },
  { title: 'origin' },
  { title: 'why' },
];
const GAPS_SHOWN_MAX = 3;
const SPANS_SHOWN_MAX = 4;
const SECOND_NS = 1_000_000_000;

/** One character per day. */
const MARKS = {
  complete: '#',
  partial: '%',
  'no trades': 'o',
  open: '>',
  damaged: '!',
  missing: '-',
  closed: '.',
} as const;
const LEGEND =
  '# complete  % partial  o no trades  > still growing  ! damaged  - missing  . closed or outside';

export function contractsTable(listings: readonly ContractListing[]): string {
  return tableText(CONTRACT_COLUMNS, listings.map(contractRow));
}

/** A contract's calendar, one line a month, and below it every present or missing day. */
export function contractText({ listing, days }: ContractDays): string {
  const { dataset, symbol, quality, gaps } = listing;
  const counts = [
    [quality.complete, 'complete'],
    [quality.partial, 'partial'],
    [quality.noTrades, 'without trades'],
    [quality.damaged, 'damaged'],
    [gaps.length, 'missing'],
  ] as const;
  const said = counts.flatMap(([count, what]) =>
    count === 0 ? [] : [`${count.toLocaleString('en')} ${what}`],
  );
  return [
    `${dataset} ${symbol}: ${said.join(', ') || 'one day that still grows'}\n`,
    `${calendarText(listing, days)}${LEGEND}\n`,
    tableText(DAY_COLUMNS, dayRows(days, gaps)),
  ].join('\n');
}

function contractRow(listing: ContractListing): readonly string[] {
  const { sealedTrades, sealedBytes, gaps, quality } = listing;
  const shown = gaps.slice(0, GAPS_SHOWN_MAX).join(' ');
  const number = (value: number) => value.toLocaleString('en');
  return [
    listing.dataset,
    listing.symbol,
    String(listing.firstDay),
    String(listing.lastDay),
    number(listing.days),
    number(quality.partial),
    number(quality.noTrades),
    number(quality.replaced),
    number(listing.trades),
    number(sealedBytes),
    sealedTrades === 0 ? '-' : (sealedBytes / sealedTrades).toFixed(2),
    quality.damaged > 0 ? 'damaged' : listing.state,
    gaps.length > GAPS_SHOWN_MAX
      ? `${shown} and ${gaps.length - GAPS_SHOWN_MAX} more`
      : shown || '-',
  ];
}

function calendarText(
  { firstDay, lastDay, gaps }: ContractListing,
  days: readonly DayListing[],
): string {
  const marks = new Map<UtcDay, string>(gaps.map((day) => [day, MARKS.missing]));
  for (const { day, quality } of days) marks.set(day, MARKS[quality]);
  const lines = new Map<number, string>();
  const monthOf = (day: UtcDay) => Math.floor(day / 100);
  const first = (monthOf(firstDay) * 100 + 1) as UtcDay;
  for (let day = first; monthOf(day) <= monthOf(lastDay); day = addDays(day, 1)) {
    lines.set(monthOf(day), (lines.get(monthOf(day)) ?? '') + (marks.get(day) ?? MARKS.closed));
  }
  const months = [...lines].map(([month, line]) => {
    return `${String(month).replace(/(....)(..)/, '$1-$2')}  ${line}\n`;
  });
  return ['         1   5    10   15   20   25   30\n', ...months].join('');
}

function dayRows(days: readonly DayListing[], gaps: readonly UtcDay[]): readonly string[][] {
  const rows = new Map<UtcDay, string[]>(
    gaps.map((day) => [day, [dateText(day), '-', '-', 'missing', '-', 'not on the tape']]),
  );
  for (const listing of days) {
    const { day, trades, bytes, quality, origin } = listing;
    rows.set(day, [
      dateText(day),
      trades.toLocaleString('en'),
      bytes.toLocaleString('en'),
      quality,
      origin,
      reasonText(listing),
    ]);
  }
  return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
}

function reasonText({ quality, gaps, imported }: DayListing): string {
  const parts: string[] = [];
  if (quality === 'damaged') parts.push('a file is missing');
  if (gaps.length > 0) parts.push(`gaps: ${spansText(gaps)}`);
  const outside = imported?.outside ?? 0;
  if (outside > 0) parts.push(`${tradesText(outside)} outside of the calendar's hours`);
  if (imported !== null) {
    parts.push(`from ${imported.sources.join(', ')} at ${imported.at}`);
    if (imported.sideRule !== null) parts.push(`sides by the ${imported.sideRule}`);
  }
  return parts.join('; ') || '-';
}

function spansText(gaps: DayListing['gaps']): string {
  const shown = gaps.slice(0, SPANS_SHOWN_MAX).map(([from, to]) => {
    return `${timeText(from)} to ${timeText(to)}`;
  });
  const more = gaps.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function timeText(ns: number): string {
  const seconds = Math.floor(ns / SECOND_NS);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
