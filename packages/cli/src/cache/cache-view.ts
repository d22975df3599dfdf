/** Renders the cache for the operator: by configuration, or result by result. */

import { basename } from 'node:path';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { computationNamed } from '@tapeloom/core/studies/catalogue';
import type { Params } from '@tapeloom/core/studies/indicator';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { CacheEntry } from '@tapeloom/server/results/cache-entries';
import { timeJson, timeText } from '../accounts/time-text.ts';
import { dateText } from '../day-text.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';
import { type Column, tableText } from '../table-text.ts';
import { paramsText } from './params-text.ts';

/** Day, indicator and digest: readable even when the file is damaged. */
const FILE_NAME = /^(\d{8})-(.+)-[0-9a-f]+\.result$/;

export type ResultState = 'good' | 'outdated' | 'damaged';

/** One result, or what can be read of a damaged one. */
export interface ResultView {
  readonly state: ResultState;
  readonly dataset: string;
  readonly contract: string;
  readonly indicator: string | null;
  /** Null when the file is damaged. */
  readonly params: Params | null;
  readonly day: UtcDay | null;
  readonly bytes: number;
  readonly lines: number | null;
  readonly lastUsedMs: number | null;
}

/** All results of one contract and configuration that are in the same state. */
export interface ResultGroup extends Omit<ResultView, 'day' | 'lines'> {
  readonly firstDay: UtcDay | null;
  readonly lastDay: UtcDay | null;
  readonly days: number;
}

/** A result of an older computation of its indicator is `outdated`: no read finds it again. */
export function resultView(entry: CacheEntry): ResultView {
  const { dataset, contract, bytes, about } = entry;
  if (about === null) {
    const [, day = null, indicator = null] = FILE_NAME.exec(basename(entry.path)) ?? [];
    const rest = { params: null, lines: null, lastUsedMs: null };
    const known = { indicator, day: day === null ? null : (Number(day) as UtcDay) };
    return { state: 'damaged', dataset, contract, ...known, bytes, ...rest };
  }
  const { day, indicator, params, lines, lastUsedMs } = about;
  const state = about.fingerprint === computationNamed(indicator) ? 'good' : 'outdated';
  return { state, dataset, contract, indicator, params, day, bytes, lines, lastUsedMs };
}

/** Sorted by dataset, contract, indicator, state and parameters. */
export function groupsOf(results: readonly ResultView[]): readonly ResultGroup[] {
  const groups = Map.groupBy(results, ({ state, dataset, contract, indicator, params }) =>
    JSON.stringify([dataset, contract, indicator, params, state]),
  );
  return [...groups.values()]
    .map((members) => {
      const { day: _, lines: __, ...first } = members[0]!;
      const days = members.flatMap(({ day }) => day ?? []);
      const uses = members.flatMap(({ lastUsedMs }) => lastUsedMs ?? []);
      return {
        ...first,
        firstDay: days.length === 0 ? null : (Math.min(...days) as UtcDay),
        lastDay: days.length === 0 ? null : (Math.max(...days) as UtcDay),
        // A day with very many lines is stored as several results.
        days: new Set(members.map(({ day }, at) => day ?? `unnamed ${at}`)).size,
        bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
        lastUsedMs: uses.length === 0 ? null : Math.max(...uses),
      };
    })
    .sort((a, b) => compareText(nameOf(a), nameOf(b)));
}

export function groupsTable(groups: readonly ResultGroup[]): string {
  return table(groups, [
    ['first', false, ({ firstDay }) => dayCell(firstDay)],
    ['last', false, ({ lastDay }) => dayCell(lastDay)],
    ['days', true, ({ days }) => wholeText(days)],
  ]);
}

export function resultsTable(results: readonly ResultView[]): string {
  return table(results, [
    ['day', false, ({ day }) => dayCell(day)],
    ['lines', true, ({ lines }) => (lines === null ? '-' : wholeText(lines))],
  ]);
}

export function resultJson<T extends ResultView | ResultGroup>(view: T) {
  const { lastUsedMs, ...rest } = view;
  return { ...rest, lastUsedAt: timeJson(instantOf(lastUsedMs)) };
}

type Cell<T> = readonly [title: string, isNumber: boolean, text: (row: T) => string];

/** The caller prints what all rows share. The note appears only for results that are not good. */
function table<T extends ResultView | ResultGroup>(
  rows: readonly T[],
  own: readonly Cell<T>[],
): string {
  const hasDatasets = new Set(rows.map(({ dataset }) => dataset)).size > 1;
  const cells: readonly Cell<T>[] = [
    ...(hasDatasets ? [['dataset', false, ({ dataset }: T) => dataset] as const] : []),
    ['contract', false, ({ contract }) => contract],
    ['indicator', false, ({ indicator }) => indicator ?? '-'],
    ['params', false, paramsCell],
    ...own,
    ['size', true, ({ bytes }) => sizeText(bytes)],
    ['last used', false, ({ lastUsedMs }) => useCell(lastUsedMs)],
    ['', false, ({ state }) => (state === 'good' ? '' : state.toUpperCase())],
  ];
  const columns: readonly Column[] = cells.map(([title, isNumber]) => ({ title, isNumber }));
  return tableText(
    columns,
    rows.map((row) => cells.map(([, , text]) => text(row))),
  );
}

function paramsCell({ indicator, params }: ResultView | ResultGroup): string {
  return indicator === null || params === null ? '-' : paramsText(indicator, params);
}

function dayCell(day: UtcDay | null): string {
  return day === null ? '-' : dateText(day);
}

function useCell(lastUsedMs: number | null): string {
  const instant = instantOf(lastUsedMs);
  return instant === null ? '-' : timeText(instant);
}

function instantOf(ms: number | null): EpochNs | null {
  return ms === null ? null : ((BigInt(Math.round(ms)) * MS_NS_BIG) as EpochNs);
}

function nameOf({ dataset, contract, indicator, params, state }: ResultGroup): string {
  return [dataset, contract, indicator ?? '', state, JSON.stringify(params)].join('\0');
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
