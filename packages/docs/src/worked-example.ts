/**
 * The worked example of an indicator: the first golden case that makes objects, run through the study
 * in settled speed. What the page shows is therefore what the code does, and what the vectors pin.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import type { ObjectVersion } from '@tapeloom/core/studies/study';
import { allocateBatch, type TradeBatch } from '@tapeloom/core/trade-batch';
import { dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';

const SIDES: Readonly<Record<number, string>> = { 1: 'buy', 0: 'unknown', [-1]: 'sell' };

type Hours = readonly [open: string, close: string];
type TapeRow = readonly [ts: string, price: number, size: number, side: number];

interface VectorCase {
  readonly case: string;
  readonly shows: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Where it is set, the case is about a limit that no customer's parameters reach. */
  readonly barsPerTradeMax?: number;
  readonly sessions: readonly (readonly [open: string, close: string, regular?: Hours])[];
  readonly tape: readonly TapeRow[];
  readonly until: string;
}

/** As Markdown; null when the indicator has no vectors yet. */
export function workedExample(indicator: Indicator): string | null {
  for (const vector of casesOf(indicator.id)) {
    if (vector.barsPerTradeMax !== undefined) continue;
    const lines = logOf(indicator, vector);
    if (lines.length > 0) return exampleText(indicator.id, vector, lines);
  }
  return null;
}

function casesOf(id: string): readonly VectorCase[] {
  const file = new URL(`../../../contract/vectors/${id}.v1.jsonl`, import.meta.url);
  let text: string;
  try {
    text = readFileSync(fileURLToPath(file), 'utf8');
  } catch {
    return [];
  }
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as VectorCase);
}

/** Every settled entry of the log, and at its end what still forms. */
function logOf(indicator: Indicator, vector: VectorCase): string[] {
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
  const sessions = vector.sessions.map(([open, close, regular]) => ({
    date: dayOf(instant(open)),
    open: instant(open),
    close: instant(close),
    ...(regular === undefined
      ? {}
      : { regular: { open: instant(regular[0]), close: instant(regular[1]) } }),
  }));
  const first = instant(vector.sessions[0]?.[0] ?? vector.tape[0]?.[0] ?? vector.until);
  const start = { at: epochNs(dayOf(first), 0), rank: 0 as Rank };
  const run = new StudyRun(study, createSessionTable(sessions), start, { output });
  for (const batch of batchesOf(vector.tape)) run.apply(batch);
  run.advance(instant(vector.until));
  study.forming(null, (version, mark) => output.upsert(version, { ...mark }));
  return lines;
}

function batchesOf(tape: readonly TapeRow[]): TradeBatch[] {
  const byDay = Map.groupBy(tape, ([ts]) => dayOf(instant(ts)));
  return [...byDay].map(([day, rows]) => {
    const batch = allocateBatch(day, 1 as Rank, rows.length);
    rows.forEach(([ts, price, size, side], row) => {
      batch.ts[row] = nsOfDay(instant(ts));
      batch.price[row] = price;
      batch.size[row] = size;
      batch.side[row] = side;
    });
    batch.count = rows.length;
    return batch;
  });
}

function exampleText(id: string, vector: VectorCase, lines: readonly string[]): string {
  const ranks = new Map<number, number>();
  const rows = vector.tape.map(([ts, price, size, side]) => {
    const day = dayOf(instant(ts));
    const rank = (ranks.get(day) ?? 0) + 1;
    ranks.set(day, rank);
    return `| ${day}.${rank} | ${timeText(ts)} | ${price} | ${size} | ${SIDES[side]} |`;
  });
  return [
    `**Example**, case \`${vector.case}\` of \`contract/vectors/${id}.v1.jsonl\` with the parameters ` +
      `\`${JSON.stringify(vector.params)}\`. ${vector.shows}`,
    '',
    '| trade | time | price | size | aggressor |',
    '| --- | --- | ---: | ---: | --- |',
    ...rows,
    '',
    `The promise reaches ${timeText(vector.until)}. What is settled by then` +
      `${lines.some((line) => line.includes('"final":false')) ? ', and what still forms' : ''}:`,
    '',
    '```json',
    ...lines,
    '```',
  ].join('\n');
}

/** One line for where and what, one for the numbers. */
function entryText(entry: Readonly<Record<string, unknown>>): string {
  const { data, ...rest } = entry;
  const head = JSON.stringify(rest);
  return data === undefined ? head : `${head.slice(0, -1)},\n "data":${JSON.stringify(data)}}`;
}

/** "2026-01-05 00:00:10.5", without the zeros at the end. */
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
