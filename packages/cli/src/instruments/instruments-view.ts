/** Renders a file's instruments, its faults and its changes as text. */

import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { formatPrice } from '@tapeloom/core/price';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import type { InstrumentsChange } from '@tapeloom/server/markets/instruments/instruments-diff';
import {
  aliasesOf,
  contractsOf,
  type ListedDataset,
} from '@tapeloom/server/markets/instruments/instruments-file';
import type { Fault } from '@tapeloom/server/markets/instruments/reading';
import { dateText } from '../day-text.ts';
import { tableText } from '../table-text.ts';

/** How far ahead the next session is searched. */
const AHEAD_DAYS = 30;

export interface ProductView {
  readonly root: string;
  readonly contracts: number;
  readonly first: string;
  readonly last: string;
  readonly tick: string;
  readonly lot: string;
  readonly pointValue: string;
  readonly currency: string;
  readonly calendar: string;
}

export interface CalendarView {
  readonly calendar: string;
  /** The open session, or the next one; null when none is near. */
  readonly session: { readonly open: string; readonly close: string } | null;
}

export interface AliasView {
  readonly alias: string;
  readonly rule: 'calendar or list' | 'volume';
  /** Null when the alias designates no contract today. */
  readonly today: string | null;
  readonly nextRoll: { readonly from: string; readonly symbol: string } | null;
}

export interface DatasetView {
  readonly dataset: string;
  readonly contracts: number;
  readonly products: readonly ProductView[];
  readonly calendars: readonly CalendarView[];
  readonly aliases: readonly AliasView[];
}

export function datasetView(dataset: ListedDataset, now: EpochNs): DatasetView {
  return {
    dataset: dataset.name,
    contracts: dataset.contracts.length,
    products: productViews(dataset),
    calendars: calendarViews(dataset, now),
    aliases: aliasViews(dataset, now),
  };
}

export function datasetText({ dataset, contracts, ...view }: DatasetView): string {
  const title = `${dataset}: ${contracts.toLocaleString('en')} contract${contracts === 1 ? '' : 's'}`;
  const tables = [
    productsTable(view.products),
    calendarsTable(view.calendars),
    ...(view.aliases.length === 0 ? [] : [aliasesTable(view.aliases)]),
  ];
  return `${title}\n\n${tables.join('\n')}`;
}

/** One line each: `instruments.yaml:7:9 datasets.X.products.ES.tick is …`. */
export function faultsText(file: string, faults: readonly Fault[]): string {
  return faults
    .map(({ line, column, path, message }) => `${file}:${line}:${column} ${path} ${message}\n`)
    .join('');
}

export function changesText(changes: readonly InstrumentsChange[]): string {
  if (changes.length === 0) return 'Nothing changes.\n';
  return changes
    .map(({ dataset, isRefused, sentence }) => {
      return `${isRefused ? 'REFUSED  ' : ''}${dataset}: ${sentence}\n`;
    })
    .join('');
}

function productViews(dataset: ListedDataset): ProductView[] {
  const byRoot = Map.groupBy(contractsOf(dataset), ({ root }) => root);
  return [...byRoot].map(([root, contracts]) => {
    const [first, last] = [contracts[0]!, contracts.at(-1)!];
    return {
      root,
      contracts: contracts.length,
      first: first.symbol,
      last: last.symbol,
      tick: formatPrice(1, last.tickSizeNanos),
      lot: formatPrice(1, last.lotSizeNanos),
      pointValue: formatPrice(1, last.pointValueNanos),
      currency: last.currency,
      calendar: last.calendar,
    };
  });
}

function calendarViews({ calendars }: ListedDataset, now: EpochNs): CalendarView[] {
  const today = dayOf(now);
  return calendars.map((calendar) => {
    const sessions = resolveSessions(
      calendar,
      'full',
      addDays(today, -1),
      addDays(today, AHEAD_DAYS),
    );
    const session = sessions.find(({ close }) => close > now);
    const text = session && { open: timeText(session.open), close: timeText(session.close) };
    return { calendar: calendar.name, session: text ?? null };
  });
}

function aliasViews(dataset: ListedDataset, now: EpochNs): AliasView[] {
  const book = new InstrumentBook(contractsOf(dataset), aliasesOf(dataset));
  const today = dayOf(now);
  return dataset.aliases.map(({ alias, kind }) => {
    const roll = book.nextRoll(alias, today);
    return {
      alias,
      rule: kind === 'volume' ? 'volume' : 'calendar or list',
      today: book.resolve(alias, today)?.symbol ?? null,
      nextRoll: roll && { from: dateText(roll.from), symbol: roll.symbol },
    };
  });
}

function productsTable(products: readonly ProductView[]): string {
  const columns = [
    { title: 'product' },
    { title: 'contracts', isNumber: true },
    { title: 'first' },
    { title: 'last' },
    { title: 'tick', isNumber: true },
    { title: 'lot', isNumber: true },
    { title: 'a point is worth', isNumber: true },
    { title: 'calendar' },
  ];
  return tableText(
    columns,
    products.map((it) => [
      it.root,
      it.contracts.toLocaleString('en'),
      it.first,
      it.last,
      it.tick,
      it.lot,
      `${it.pointValue} ${it.currency}`,
      it.calendar,
    ]),
  );
}

function calendarsTable(calendars: readonly CalendarView[]): string {
  return tableText(
    [{ title: 'calendar' }, { title: 'session opens (UTC)' }, { title: 'closes' }],
    calendars.map(({ calendar, session }) => [
      calendar,
      session?.open ?? 'not soon',
      session?.close ?? '-',
    ]),
  );
}

function aliasesTable(aliases: readonly AliasView[]): string {
  return tableText(
    [{ title: 'alias' }, { title: 'rolls by' }, { title: 'means today' }, { title: 'next roll' }],
    aliases.map(({ alias, rule, today, nextRoll }) => {
      const by = rule === 'volume' ? ', or sooner' : '';
      const next = nextRoll === null ? '-' : `${nextRoll.symbol} on ${nextRoll.from}${by}`;
      return [alias, rule, today ?? '-', next];
    }),
  );
}

function timeText(instant: EpochNs): string {
  const text = Temporal.Instant.fromEpochNanoseconds(instant).toString();
  return text.slice(0, 16).replace('T', ' ');
}
