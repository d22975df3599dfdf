/** An indicator's worked example: the first golden case that produces objects, run through the study. */

import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { type GoldenVector, vectorTape } from '@tapeloom/core/studies/digests/golden-vector';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import { dayOf, nsOfDay } from '@tapeloom/core/utc-day';
import { casesOf } from './golden-cases.ts';
import { table } from './markdown-table.ts';

const SIDES: Readonly<Record<number, string>> = { 1: 'buy', 0: 'unknown', [-1]: 'sell' };

/** As Markdown; null when the indicator has no vectors yet. */
export function workedExample(indicator: Indicator): string | null {
  for (const vector of casesOf(indicator.id)) {
    if (vector.barsPerTradeMax !== undefined) continue;
    const lines = logOf(indicator, vector);
    if (lines.length > 0) return exampleText(vector, lines);
  }
  return null;
}

/** Every settled entry of the log, followed by the objects that still form. */
function logOf(indicator: Indicator, vector: GoldenVector): string[] {
  const parsed = parseParams(indicator, vector.params);
  if (!('params' in parsed))
    throw new RangeError(`${indicator.id} refuses the case ${vector.case}`);
  const lines: string[] = [];
  const output = {
    upsert: (version: ObjectVersion, cursor: Cursor) => {
      lines.push(entryText({ t: 'upsert', cursor: formatCursor(cursor), ...version }));
    },
    remove: (id: string, final: boolean, ts: string, cursor: Cursor) => {
      lines.push(entryText({ t: 'remove', cursor: formatCursor(cursor), id, final, ts }));
    },
    openSession: () => {},
    flushed: () => {},
  };
  const study = indicator.create(parsed.params);
  const tape = vectorTape(vector);
  const sessions = tape.sessionsOf(indicator.sessionKind(parsed.params));
  const run = new StudyRun(study, sessions, { at: tape.start, rank: 0 as Rank }, { output });
  for (const batch of tape.batches) run.apply(batch);
  run.advance(tape.until);
  study.forming(null, (version, mark) => output.upsert(version, { ...mark }));
  return lines;
}

function exampleText(vector: GoldenVector, lines: readonly string[]): string {
  const ranks = new Map<number, number>();
  const rows = vector.tape.map(([ts, price, size, side]) => {
    const day = dayOf(instant(ts));
    const rank = (ranks.get(day) ?? 0) + 1;
    ranks.set(day, rank);
    return [`${day}.${rank}`, timeText(ts), `${price}`, `${size}`, SIDES[side]!];
  });
  return [
    `Case \`${vector.case}\` of the golden vectors, with the parameters ` +
      `\`${JSON.stringify(vector.params)}\`. ${vector.shows}`,
    '',
    table(['trade', 'time', 'price', 'size', 'aggressor'], rows, [2, 3]),
    '',
    `The watermark reaches ${timeText(vector.until)}. The results settled by then` +
      `${lines.some((line) => line.includes('"final":false')) ? ', and the objects that still form' : ''}:`,
    '',
    '```json',
    '[',
    lines.join(',\n'),
    ']',
    '```',
  ].join('\n');
}

/** One line for the position and identity, one for the numbers. */
function entryText(entry: Readonly<Record<string, unknown>>): string {
  const { data, ...rest } = entry;
  const head = JSON.stringify(rest);
  return data === undefined
    ? ` ${head}`
    : ` ${head.slice(0, -1)},\n  "data":${JSON.stringify(data)}}`;
}

/** "2026-01-05 00:00:10.5", without trailing zeros. */
function timeText(ts: string): string {
  const at = instant(ts);
  const date = String(dayOf(at)).replace(/(....)(..)(..)/, '$1-$2-$3');
  const ns = nsOfDay(at);
  const clock = new Date(Math.trunc(ns / 1e9) * 1_000).toISOString().slice(11, 19);
  const fraction = String(ns % 1e9)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${date} ${clock}${fraction === '' ? '' : `.${fraction}`}`;
}

function instant(text: string): EpochNs {
  return BigInt(text) as EpochNs;
}
