/** Renders the comparison of a file with the tape, as text and as JSON. */

import type { DayComparison, FileComparison } from '@tapeloom/server/imports/compare-file';
import { dateText } from '../day-text.ts';
import { tradeText } from '../import/import-view.ts';
import { wholeText } from '../stream/text-format.ts';
import { type Column, tableText } from '../table-text.ts';

const COLUMNS: readonly Column[] = [
  { title: 'contract' },
  { title: 'day' },
  { title: 'result' },
  { title: 'same', isNumber: true },
  { title: 'only on the tape', isNumber: true },
  { title: 'only in the file', isNumber: true },
  { title: 'first difference' },
];
const RESULTS = {
  same: 'same',
  different: 'DIFFERENT',
  absent: 'NOT ON THE TAPE',
  damaged: 'DAMAGED',
} as const;
const LEFT_OUT_SHOWN_MAX = 20;

export function comparisonText({ days, leftOut }: FileComparison): string {
  const left = [...leftOut].sort(([, a], [, b]) => b - a).slice(0, LEFT_OUT_SHOWN_MAX);
  const notes = left.map(([what, times]) => `Not compared: ${what} (${wholeText(times)})\n`);
  if (days.length === 0) {
    return `${notes.join('')}The file has no trades of the dataset's contracts.\n`;
  }
  const different = days.filter(({ status }) => status !== 'same').length;
  const verdict =
    different === 0
      ? 'They are the same on every day that both have.\n'
      : `They differ on ${wholeText(different)} of ${wholeText(days.length)} days.\n`;
  return `${tableText(COLUMNS, days.map(dayRow))}${notes.join('')}${verdict}`;
}

export function comparisonJson({ trades, days, leftOut }: FileComparison) {
  return {
    trades,
    leftOut: Object.fromEntries(leftOut),
    days: days.map(({ contract, ...day }) => ({ contract: contract.symbol, ...day })),
  };
}

function dayRow(comparison: DayComparison): readonly string[] {
  const { contract, day, status, same, onlyHere, onlyThere } = comparison;
  return [
    contract.symbol,
    dateText(day),
    RESULTS[status],
    wholeText(same),
    wholeText(onlyHere),
    wholeText(onlyThere),
    differenceText(comparison),
  ];
}

function differenceText({ status, difference, contract }: DayComparison): string {
  if (status !== 'different' || difference === null) return '-';
  const { here, there } = difference;
  return `tape ${tradeText(here, contract)}, file ${tradeText(there, contract)}`;
}
