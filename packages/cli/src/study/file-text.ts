/** Reports on stderr how a file was read, before a study runs over it. */

import type { Session } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
import type { CsvQuestion } from '@tapeloom/server/feeds/csv/csv-guess';
import type { FileTrades } from '@tapeloom/server/feeds/file-trades';
import { dateText, rangesText } from '../day-text.ts';
import { tradesText, wholeText } from '../stream/text-format.ts';

const INSTRUMENTS_SHOWN_MAX = 20;
/** The option that answers each question; null: no option answers a question about the content. */
const ANSWERS: Readonly<Record<CsvQuestion['about'], string | null>> = {
  preset: '--preset <form>',
  zone: '--zone <zone>',
  date: '--date <date>',
  dayMonth: '--day-month day-first or --day-month month-first',
  time: '--mapping <file.json>',
  columns: '--mapping <file.json>',
  side: '--buy <words> --sell <words>',
  content: null,
};

export interface FileFacts {
  readonly name: string;
  readonly format: string;
  readonly reasons: readonly string[];
  readonly trades: FileTrades;
  readonly calendar: string;
  /** Trades outside any session of this calendar. */
  readonly outside: number;
  readonly count: number;
  readonly first: EpochNs;
  readonly last: EpochNs;
  /** The session that was open before the file's first trade, and the one that was still open after its last. */
  readonly cutAtBegin: Session | null;
  readonly cutAtEnd: Session | null;
  /** Days without trades although the market was open. */
  readonly emptyDays: readonly UtcDay[];
  /** Days on which many trades all have one side. */
  readonly oneSidedDays: readonly UtcDay[];
  /** Whether there is at most one trade a second, each exactly on the second. */
  readonly isLikeBars: boolean;
  readonly hasTickRule: boolean;
  readonly isTickSaid: boolean;
  readonly isLotSaid: boolean;
  readonly isCalendarSaid: boolean;
}

export function fileText(facts: FileFacts): string {
  const { name, format, reasons, trades, count, first, last } = facts;
  const lines = [
    `${name}: ${format}`,
    `${trades.name}: ${wholeText(count)} trades from ${timeText(first)} to ${timeText(last)}`,
    ...instrumentLines(facts),
    ...reasons,
  ];
  if (facts.hasTickRule) {
    lines.push(
      `Sides of ${wholeText(trades.inferredSides)} trades were inferred by the tick rule: the file does not contain them.`,
    );
  }
  if (trades.sortedDays > 0) {
    lines.push('Trades were sorted by time; trades with the same time keep the order of the file.');
  }
  for (const [what, times] of trades.leftOut) lines.push(`Noted: ${what} (${wholeText(times)})`);
  return `${[...lines, ...gapLines(facts)].join('\n')}\n`;
}

function instrumentLines(facts: FileFacts): string[] {
  const { trades, calendar, isTickSaid, isLotSaid, isCalendarSaid } = facts;
  const { root, tick, lot } = trades;
  const isGuessed = root === null && !isTickSaid;
  const tickSource = isTickSaid ? 'as given' : root === null ? 'guessed' : `known of ${root.root}`;
  const hint = isGuessed ? ': the coarsest grid that fits all prices; --tick sets another' : '';
  const lotSource = isLotSaid ? ', as given' : lot.text === '1' ? '' : ', the finest size there is';
  return [
    `Tick ${tick.text}, ${tickSource}${hint}. Lot ${lot.text}${lotSource}.`,
    isCalendarSaid
      ? `Sessions are those of ${calendar}, as given.`
      : root === null
        ? 'Sessions are UTC days, round the clock: the symbol does not tell the exchange.'
        : `Sessions are those of ${calendar}, known of ${root.root}.`,
  ];
}

function gapLines(facts: FileFacts): string[] {
  const { cutAtBegin, cutAtEnd, emptyDays, first, last, outside, calendar } = facts;
  const lines: string[] = [];
  if (outside > 0) {
    lines.push(
      `Outside of the hours of ${calendar}: ${tradesText(outside)}. Indicators leave them out. --calendar chooses another.`,
    );
  }
  if (cutAtBegin !== null) {
    const late = durationText(first - cutAtBegin.open);
    lines.push(
      `The session of ${dateText(cutAtBegin.date)} is not whole: the file begins ${late} after its open.`,
    );
  }
  if (cutAtEnd !== null) {
    const early = durationText(cutAtEnd.close - last);
    lines.push(
      `The session of ${dateText(cutAtEnd.date)} is not whole: the file ends ${early} before its close.`,
    );
  }
  if (cutAtBegin !== null || cutAtEnd !== null) {
    lines.push(
      'Indicators of a session use only the part that exists. Add the files with the rest, or exclude the session with --from and --to.',
    );
  }
  if (emptyDays.length > 0) {
    lines.push(`The market was open on ${rangesText(emptyDays)}, and the file has no trades then.`);
  }
  if (facts.oneSidedDays.length > 0) {
    lines.push(
      `Look at its sides: on ${rangesText(facts.oneSidedDays)} all trades are of one side. --mapping or --buy and --sell define the sides.`,
    );
  }
  if (facts.isLikeBars) {
    lines.push(
      'No two trades are of one second, and all are at its very beginning: these look like sums of one-second bars. Footprints, sides and counts of trades need the trades themselves.',
    );
  }
  return lines;
}

export function severalText(instruments: FileTrades['instruments']): string {
  const shown = instruments.slice(0, INSTRUMENTS_SHOWN_MAX);
  const list = shown.map(([name, trades]) => `${name} (${wholeText(trades)})`).join(', ');
  const more = instruments.length - shown.length;
  const rest = more > 0 ? ` and ${more} more` : '';
  return `Choose an instrument with --symbol. The file has (with number of trades): ${list}${rest}.`;
}

/** The questions to answer before a text can be read, each with its option. */
export function questionsText(
  name: string,
  questions: readonly CsvQuestion[],
  { isExplained = false } = {},
): string {
  const lines = questions.map(({ about, sentence }) => {
    const answer = ANSWERS[about];
    return `  ${sentence}${answer === null ? '' : ` (${answer})`}\n`;
  });
  return (
    `${name}: it is not clear how to read this file.\n${lines.join('')}` +
    (isExplained
      ? ''
      : `To get a mapping to start from: tapeloom study --file ${name} --explain > mapping.json\n`)
  );
}

function timeText(instant: EpochNs): string {
  return new Date(Number(instant / MS_NS_BIG)).toISOString();
}

function durationText(ns: bigint): string {
  const minutes = Number(ns / MINUTE_NS_BIG);
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}
