/**
 * Settled days over the tapes of the studies' naive twins: every day is on the tape, with or without trades, except
 * those left out. The output can be compared with a twin's log.
 */

import { zstdDecompressSync } from 'node:zlib';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { addDays, dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import { tableOf } from '../../../core/testing/twins/study-driver.ts';
import type { Subject } from '../../../core/testing/twins/study-subjects.ts';
import type { TwinTape } from '../../../core/testing/twins/twin-tape.ts';
import { Block, emptyBlock, joinBlocks } from '../../src/blocks/block.ts';
import { DayLogs } from '../../src/results/day-logs.ts';
import type {
  DayPart,
  DaysPage,
  DaysRead,
  SettledDaysRequest,
} from '../../src/results/settled-days.ts';
import { type CacheUse, SettledDaysReader } from '../../src/results/settled-days-reader.ts';
import { isWholeUpTo, missingOf } from '../../src/runs/missing-times.ts';
import type { DaySpan } from '../../src/tape/tape.ts';
import { MemoryTape, type MemoryTrade } from '../tape/memory-tape.ts';

export const CONTRACT = 'ESZ6';
export const INDICATOR = 'subject';
const DAY_NS = 86_400_000_000_000;

/** Which days the tape skips, by day and index. */
export type LeftOut = (day: UtcDay, at: number) => boolean;

export type PartialDays = ReadonlyMap<UtcDay, readonly DaySpan[]>;

export interface SettledWorldOptions {
  readonly batchRows?: number;
  readonly pageBytes?: number;
  readonly blockRanks?: number;
  readonly cache?: CacheUse | null;
  /** Default: stores nothing. */
  readonly logs?: DayLogs;
  readonly leftOut?: LeftOut;
  readonly partial?: PartialDays;
}

/** The request; `firstDay` starts the range on that day. */
export type AskedDays = Partial<SettledDaysRequest> & { readonly firstDay?: UtcDay };

/** A day, from all of its pages. */
export interface ReadDay {
  readonly day: UtcDay;
  readonly trades: number;
  readonly isWarm: boolean;
  readonly settled: Block;
  readonly tail: Block;
}

export function noLogs(blockRanks?: number): DayLogs {
  return new DayLogs({ runs: 0, bytes: 0, ...(blockRanks && { blockRanks }) });
}

/** The content of a line. */
export interface Entry {
  readonly t: 'upsert' | 'remove';
  readonly cursor: string;
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
  readonly data?: unknown;
}

export class SettledWorld {
  readonly tape: MemoryTape;
  readonly reader: SettledDaysReader;
  readonly sessions: SessionTable;
  readonly firstDay: UtcDay;
  readonly until: EpochNs;

  constructor(tape: TwinTape, subject: Subject, options: SettledWorldOptions = {}) {
    const { batchRows = 7, pageBytes, blockRanks, cache = null, leftOut = () => false } = options;
    this.sessions = tableOf(tape.sessions);
    this.until = tape.until as EpochNs;
    this.firstDay = firstDayOf(tape);
    const left = { leftOut, partial: options.partial ?? new Map() };
    this.tape = memoryTapeOf(tape, batchRows, left);
    this.reader = new SettledDaysReader({
      tape: this.tape,
      indicators: new Map([[INDICATOR, indicatorOf(subject)]]),
      sessionsOf: (_contract, kind) => (kind === 'full' ? fullOf(this) : this.sessions),
      yieldTurn: async () => {},
      cache,
      logs: options.logs ?? noLogs(blockRanks),
      ...(pageBytes === undefined ? {} : { pageBytes }),
    });
  }

  /** The days that begin before `until`. */
  get days(): readonly UtcDay[] {
    const days: UtcDay[] = [];
    for (let day = this.firstDay; epochNs(day, 0) < this.until; day = addDays(day, 1)) {
      days.push(day);
    }
    return days;
  }

  /** The first readable instant of a day: after a session that is incomplete there. */
  async startOn(day: UtcDay): Promise<EpochNs | null> {
    const midnight = epochNs(day, 0);
    const onTape = new Map((await this.tape.days()).map((one) => [one.day, one]));
    const session = this.sessions.atOrAfter(midnight);
    const missingOn = (one: UtcDay) => missingOf(onTape.get(one));
    if (session === null || isWholeUpTo(session, addDays(day, -1), DAY_NS, missingOn)) {
      return midnight;
    }
    return session.close < epochNs(addDays(day, 1), 0) ? session.close : null;
  }

  async first(request: AskedDays): Promise<DaysPage | null> {
    await using read = await this.#open(request);
    return await read.next();
  }

  async pages(request: AskedDays = {}): Promise<readonly DaysPage[]> {
    await using read = await this.#open(request);
    return await pagesOf(read);
  }

  async read(request: AskedDays = {}): Promise<readonly ReadDay[]> {
    return daysOf(await this.pages(request));
  }

  async #open({ firstDay = this.firstDay, ...request }: AskedDays): Promise<DaysRead> {
    return await this.reader.read({
      account: 'a',
      contract: CONTRACT,
      indicator: INDICATOR,
      params: {},
      from: epochNs(firstDay, 0),
      until: this.until,
      hasTail: false,
      form: 'blocks',
      ...request,
    });
  }
}

export async function pagesOf(read: DaysRead): Promise<readonly DaysPage[]> {
  const pages: DaysPage[] = [];
  for (let next = await read.next(); next !== null; next = await read.next()) pages.push(next);
  return pages;
}

/** Joins the parts of each day. */
export function daysOf(pages: readonly DaysPage[]): readonly ReadDay[] {
  const days = Map.groupBy(
    pages.flatMap(({ parts }) => parts),
    ({ day }) => day,
  );
  return [...days.values()].map(dayOfParts);
}

function dayOfParts(parts: readonly DayPart[]): ReadDay {
  const { day, rank, tail } = parts.at(-1)!;
  const none = emptyBlock(day, 0, 0);
  const blocks = parts.flatMap((part) => part.blocks).map((block) => new Block(block));
  return {
    day,
    trades: rank,
    isWarm: parts.every(({ isWarm }) => isWarm),
    settled: joinBlocks([none, ...blocks]),
    tail: tail === null ? none : new Block(tail),
  };
}

/** The whole text, in either form. */
export function textOf(pages: readonly DaysPage[]): string {
  return pages.map(pageText).join('');
}

function pageText({ parts, frames }: DaysPage): string {
  const texts = parts.flatMap(({ blocks }) => blocks.map((block) => new Block(block).text));
  if (frames.length > 0) texts.push(new Uint8Array(zstdDecompressSync(frames)));
  return Buffer.concat(texts).toString();
}

/** Each line on its own. */
export function linesOf({ text, ends }: Pick<Block, 'text' | 'ends'>): string[] {
  return [...ends].map((end, line) =>
    Buffer.from(text.subarray(line === 0 ? 0 : ends[line - 1]!, end)).toString(),
  );
}

export function entriesOf(days: readonly ReadDay[]): readonly Entry[] {
  return days.flatMap(({ settled }) => linesOf(settled)).map((line) => JSON.parse(line));
}

/** Everything settled in (position(from), position(to)], from results that begin on the day of `from`. */
export function textBetween(results: readonly ReadDay[], from: EpochNs, to: EpochNs): string {
  let text = '';
  for (const { day, settled } of results) {
    for (const [index, line] of linesOf(settled).entries()) {
      const at = epochNs(day, settled.fromNs[index]!);
      if (at > from && at <= to) text += line;
    }
  }
  return text;
}

/** The same sessions for a market that traded before them: all days are known. */
function fullOf({ sessions, firstDay }: SettledWorld): SessionTable {
  const date = addDays(firstDay, -1);
  const before = { date, open: epochNs(date, 0), close: epochNs(date, 1) };
  return {
    atOrAfter: (instant) => (instant < before.close ? before : sessions.atOrAfter(instant)),
    atOrBefore: (instant) =>
      sessions.atOrBefore(instant) ?? (instant < before.open ? null : before),
  };
}

export function firstDayOf({ trades, sessions, until }: TwinTape): UtcDay {
  const first = [trades[0]?.ns ?? until, sessions[0]?.open ?? until, until];
  return dayOf(first.reduce((a, b) => (b < a ? b : a)) as EpochNs);
}

export function indicatorOf({ create, lookBackSessions, outlivesSession }: Subject): Indicator {
  return {
    id: INDICATOR,
    version: 1,
    name: INDICATOR,
    description: '',
    parameters: [],
    data: {},
    computeUnitsPerTrade: 1,
    presets: [],
    example: { id: '', final: true, ts: '', data: {} },
    sessionKind: () => 'rth',
    lookBackSessionsMax: () => lookBackSessions,
    ...(outlivesSession === true ? { objectsOutliveSession: true } : {}),
    create,
  };
}

/** The missing parts of a tape. */
interface Missing {
  readonly leftOut: LeftOut;
  readonly partial: PartialDays;
}

function memoryTapeOf(twin: TwinTape, batchRows: number, missing: Missing): MemoryTape {
  const tape = new MemoryTape(CONTRACT, batchRows);
  for (const [day, gaps] of missing.partial) tape.partial.set(day, gaps);
  for (const { trades, promise } of dayCommits(twin, missing)) tape.commit(trades, promise);
  return tape;
}

/** Whether the tape is missing this time of the day. */
export function isLeftOut(partial: PartialDays, day: UtcDay, ns: number): boolean {
  return partial.get(day)?.some(([from, to]) => ns >= from && ns < to) ?? false;
}

/** The commits day by day, to each day's end; missing parts are skipped. */
export function dayCommits(
  twin: TwinTape,
  { leftOut, partial }: Missing,
): readonly { readonly trades: readonly MemoryTrade[]; readonly promise: EpochNs }[] {
  const { trades, until } = twin;
  const commits: { trades: readonly MemoryTrade[]; promise: EpochNs }[] = [];
  const last = dayOf(until as EpochNs);
  for (let day = firstDayOf(twin), at = 0; day <= last; day = addDays(day, 1), at += 1) {
    if (day < last && leftOut(day, at)) continue;
    const mine = trades.flatMap(({ ns, price, size, side }) =>
      dayOf(ns as EpochNs) === day && !isLeftOut(partial, day, nsOfDay(ns as EpochNs))
        ? [{ at: ns as EpochNs, price, size, side: side as -1 | 0 | 1 }]
        : [],
    );
    const dayEnd = epochNs(addDays(day, 1), -1);
    commits.push({ trades: mine, promise: (dayEnd < until ? dayEnd : until) as EpochNs });
  }
  return [...commits, { trades: [], promise: until as EpochNs }];
}
