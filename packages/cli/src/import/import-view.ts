/** Renders the outcome of an import, or of a dry run, as text and as JSON. */

import { basename } from 'node:path';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { formatPrice } from '@tapeloom/core/price';
import { MS_NS } from '@tapeloom/core/units';
import type { DayResult, ImportedFile } from '@tapeloom/server/imports/file-import';
import type { AliasRoll, RollsOutcome } from '@tapeloom/server/markets/instruments/decide-rolls';
import type { DirectoryLockedError } from '@tapeloom/server/platform/disk/directory-lock';
import type { PlainTrade } from '@tapeloom/server/tape/imported/imported-manifest';
import type { DaySpan } from '@tapeloom/server/tape/tape';
import { dateText, rangesText } from '../day-text.ts';
import { tradesText, wholeText } from '../stream/text-format.ts';
import { type Column, tableText } from '../table-text.ts';

const COLUMNS: readonly Column[] = [
  { title: 'contract' },
  { title: 'days', isNumber: true },
  { title: 'trades', isNumber: true },
  { title: 'from' },
  { title: 'to' },
  { title: 'what' },
  { title: 'quality' },
];
const STATUSES: readonly DayResult['status'][] = [
  'added',
  'extended',
  'repaired',
  'replaced',
  'same',
  'refused',
];
const REFUSALS_SHOWN_MAX = 10;
const PARTIAL_SHOWN_MAX = 3;
const LEFT_OUT_SHOWN_MAX = 20;
const UNFINISHED = 'the live tape may still get trades of this day';
const UNFINISHED_WHY = 'it has a day of a live dataset that is not finished';
const UNFINISHED_REMEDY =
  'Such a day can be imported once it is sealed, soon after its end at midnight UTC, when its feed has come so far (tapeloom tape ls shows its state). Import a file that ends before it.';
const SIDES = ['sell', 'side unknown', 'buy'];

/** A row per contract, over all files. If several files had a day, the last result counts. */
export function contractsText(files: readonly Pick<ImportedFile, 'days'>[]): string {
  const rows = [...byContract(files)].map(([symbol, days]) => {
    const kept = days.filter(({ imported }) => imported !== null);
    const trades = kept.reduce((sum, { imported }) => sum + imported!.trades, 0);
    const what = STATUSES.flatMap((status) => {
      const count = days.filter((day) => day.status === status).length;
      return count === 0 ? [] : [`${wholeText(count)} ${status}`];
    });
    return [
      symbol,
      wholeText(days.length),
      wholeText(trades),
      dateText(days[0]!.day),
      dateText(days.at(-1)!.day),
      what.join(', '),
      qualityText(kept),
    ];
  });
  return rows.length === 0 ? '' : tableText(COLUMNS, rows);
}

function qualityText(days: readonly DayResult[]): string {
  const outside = days.filter((day) => outsideOf(day) > 0).length;
  const more = outside === 0 ? '' : `; ${wholeText(outside)} with trades outside of the calendar`;
  return wholenessText(days) + more;
}

function outsideOf({ imported }: DayResult): number {
  return imported?.outside ?? 0;
}

function wholenessText(days: readonly DayResult[]): string {
  const partial = days.filter(({ imported }) => imported!.gaps.length > 0);
  if (partial.length === 0) return 'complete';
  const shown = partial.slice(0, PARTIAL_SHOWN_MAX).map(({ day, imported }) => {
    const { gaps } = imported!;
    const more = gaps.length > 1 ? ', …' : '';
    return `${dateText(day)} lacks ${spanText(gaps[0]!)}${more}`;
  });
  const more = partial.length > shown.length ? ', …' : '';
  return `${wholeText(partial.length)} partial: ${shown.join(', ')}${more}`;
}

export function fileNotes(
  { path, trades, days, leftOut, inferredSides, oneSided }: ImportedFile,
  feed: {
    readonly format: string;
    readonly reasons: readonly string[];
    /** Whether the file, or an option, declares its coverage. */
    readonly isCoverageSaid: boolean;
  },
): string {
  const lines = [`${basename(path)}: ${feed.format}, ${wholeText(trades)} trades`, ...feed.reasons];
  const left = [...leftOut].sort(([, a], [, b]) => b - a);
  for (const [what, times] of left.slice(0, LEFT_OUT_SHOWN_MAX)) {
    lines.push(`Left out: ${what} (${wholeText(times)})`);
  }
  if (left.length > LEFT_OUT_SHOWN_MAX) {
    const rest = left.slice(LEFT_OUT_SHOWN_MAX).reduce((sum, [, times]) => sum + times, 0);
    lines.push(`Left out: ${left.length - LEFT_OUT_SHOWN_MAX} others (${wholeText(rest)})`);
  }
  if (inferredSides > 0) {
    lines.push(`Sides of ${wholeText(inferredSides)} trades were inferred by the tick rule.`);
  }
  for (const [symbol, found] of Map.groupBy(oneSided, (one) => one.symbol)) {
    const when = rangesText(found.map(({ day }) => day));
    lines.push(`Look at its sides: all trades of ${symbol} are of one side on ${when}.`);
  }
  if (!feed.isCoverageSaid && days.some(({ imported }) => (imported?.gaps.length ?? 0) > 0)) {
    lines.push(
      'It counts as covering its first to its last trade. If it covers more, add --whole-day or --covers a..b.',
    );
  }
  for (const [{ symbol, calendar }, found] of Map.groupBy(
    days.filter((day) => outsideOf(day) > 0),
    ({ contract }) => contract,
  )) {
    const count = found.reduce((sum, day) => sum + outsideOf(day), 0);
    const when = rangesText(found.map(({ day }) => day));
    lines.push(
      `Outside of the hours of ${calendar}: ${tradesText(count)} of ${symbol} on ${when}. Indicators leave them out.`,
      'If the market was open then, give the product a calendar with its hours (docs/operating/instruments.md) and import again; tapeloom tape rm takes days off the tape before.',
    );
  }
  if (days.length === 0) lines.push("It has no trades of the dataset's contracts.");
  return `${lines.join('\n')}\n`;
}

/** Why a file was rejected; empty if it was not. */
export function refusalsText({ path, days }: ImportedFile): string {
  const refused = days.filter(({ status }) => status === 'refused');
  if (refused.length === 0) return '';
  const isUnfinished = refused.some((day) => day.isUnfinished);
  const isAtEdge = refused.every(({ equalAtEdge }) => equalAtEdge !== null);
  const lines = refused.slice(0, REFUSALS_SHOWN_MAX).map((one) => {
    const { contract, day, difference, equalAtEdge } = one;
    const place = `${contract.symbol} ${dateText(day)}`;
    if (one.isUnfinished) return `  ${place}: ${UNFINISHED}`;
    if (equalAtEdge !== null) {
      return `  ${place}: both have ${tradeText(equalAtEdge, contract)}, where one ends and the other begins`;
    }
    if (difference === null) return `  ${place}: the day on the tape is damaged`;
    const { here, there } = difference;
    return `  ${place}: the tape has ${tradeText(here, contract)}, the file ${tradeText(there, contract)}`;
  });
  const more = refused.length - lines.length;
  if (more > 0)
    lines.push(`  and ${rangesText(refused.slice(lines.length).map(({ day }) => day))}`);
  if (isUnfinished) return refusedText(path, lines, UNFINISHED_WHY, UNFINISHED_REMEDY);
  const why = isAtEdge
    ? 'it is not clear whether equal trades are one or two'
    : 'it differs from what is on the tape';
  const remedy = isAtEdge
    ? 'Use --at-edges two if the files were cut there, --at-edges one if both contain that time completely.'
    : 'With --replace its trades replace those on the tape.';
  return refusedText(path, lines, why, remedy);
}

function refusedText(path: string, lines: readonly string[], why: string, remedy: string): string {
  return `${basename(path)} is rejected, nothing of it is imported: ${why}.\n${lines.join('\n')}\n${remedy}\n`;
}

export function claimText({ days }: Pick<ImportedFile, 'days'>): string {
  const refused = days.filter(({ status }) => status === 'refused');
  if (refused.length === 0) return '';
  const isUnfinished = refused.some((day) => day.isUnfinished);
  const lines = refused.slice(0, REFUSALS_SHOWN_MAX).map((one) => {
    const { contract, day, difference } = one;
    if (one.isUnfinished) return `  ${contract.symbol} ${dateText(day)}: ${UNFINISHED}`;
    const here = difference?.here ?? null;
    const what = here === null ? 'others' : tradeText(here, contract);
    return `  ${contract.symbol} ${dateText(day)}: the tape has ${what}, no file has it`;
  });
  if (isUnfinished) {
    const what = 'The files were imported, but the range that they are declared to cover has days';
    return `${what} that are not finished.\n${lines.join('\n')}\nDeclare a range that ends before them.\n`;
  }
  return (
    'The files were imported, but they lack trades of the range that they are declared to cover.\n' +
    `${lines.join('\n')}\n--replace removes such trades.\n`
  );
}

export function rollsText({ changed, all, isFrozen }: RollsOutcome): string {
  const byCalendar = all.filter(({ alias, by }, index) => {
    // An alias's first contract is no roll.
    return by === 'calendar' && all[index - 1]?.alias === alias;
  });
  const told = changed.filter((roll) => !byCalendar.includes(roll)).map(rollText);
  const aliases = [...new Set(byCalendar.map(({ alias }) => alias))].join(', ');
  return (
    told.join('') +
    (byCalendar.length > 0
      ? `${aliases}: ${byCalendar.length === 1 ? '1 roll is' : `${byCalendar.length} rolls are`} by calendar, because the days of both ` +
        'contracts before it are not on the tape. Volume decides once they are imported. `tapeloom instruments rolls` lists them.\n'
      : '') +
    (isFrozen ? FROZEN_ROLLS : '')
  );
}

const FROZEN_ROLLS =
  'The rolls were decided by an earlier version and stay unchanged. To decide them again from the days on the tape: tapeloom instruments rolls --again\n';

export function lockedText({ holderPid }: DirectoryLockedError, dataset: string): string {
  const holder = holderPid === null ? 'another process' : `process ${holderPid}`;
  return `${dataset} is being imported into, or changed, by ${holder}. Wait until it has finished.\n`;
}

export function rollText({ alias, symbol, from, by }: AliasRoll): string {
  return `${alias} means ${symbol} from ${dateText(from)} on, by ${by}.\n`;
}

export function importJson(
  files: readonly ImportedFile[],
  claims: readonly Pick<ImportedFile, 'days'>[],
  rolls: readonly AliasRoll[],
) {
  return {
    files: files.map(({ path, trades, inferredSides, leftOut, days, oneSided }) => ({
      file: path,
      isRefused: days.some(({ status }) => status === 'refused'),
      trades,
      inferredSides,
      oneSided,
      leftOut: Object.fromEntries(leftOut),
    })),
    contracts: [...byContract([...files, ...claims])].map(([contract, days]) => ({
      contract,
      days: days.map(({ day, status, imported, difference, equalAtEdge }) => ({
        day,
        status,
        trades: imported?.trades ?? null,
        covered: imported?.covered ?? null,
        gaps: imported?.gaps ?? null,
        outsideHours: imported?.outside ?? 0,
        ...(difference !== null && { difference }),
        ...(equalAtEdge !== null && { equalAtEdge }),
      })),
    })),
    rolls,
  };
}

function byContract(
  files: readonly Pick<ImportedFile, 'days'>[],
): ReadonlyMap<string, readonly DayResult[]> {
  const last = new Map<string, DayResult>();
  for (const { days } of files) {
    for (const result of days) {
      const key = `${result.contract.symbol} ${result.day}`;
      const before = last.get(key);
      // A day added by an earlier file of this import is not `same`: it keeps its first status.
      const isNews =
        before !== undefined && before.status !== 'refused' && result.status !== 'refused';
      const status = isNews && before.status !== 'same' ? before.status : result.status;
      last.set(key, { ...result, status });
    }
  }
  const sorted = [...last.values()].sort((a, b) =>
    a.contract.symbol < b.contract.symbol
      ? -1
      : a.contract.symbol > b.contract.symbol
        ? 1
        : a.day - b.day,
  );
  return Map.groupBy(sorted, ({ contract }) => contract.symbol);
}

export function tradeText(
  trade: PlainTrade | null,
  { tickSizeNanos, lotSizeNanos }: Contract,
): string {
  if (trade === null) return 'no further trade';
  const { ns, price, size, side } = trade;
  const lots = formatPrice(size, lotSizeNanos);
  return `${clockText(ns, true)} ${formatPrice(price, tickSizeNanos)} × ${lots} ${SIDES[side + 1]}`;
}

function spanText([from, to]: DaySpan): string {
  return `${clockText(from, false)}–${clockText(to, false)}`;
}

/** The time of a day; its closing midnight is 24:00. */
function clockText(ns: number, isExact: boolean): string {
  const seconds = Math.floor(ns / (1_000 * MS_NS));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}`;
  if (!isExact) return seconds % 60 === 0 ? minutes : `${minutes}:${two(seconds % 60)}`;
  const rest = String(ns % (1_000 * MS_NS)).padStart(9, '0');
  return `${minutes}:${two(seconds % 60)}.${rest}`;
}
