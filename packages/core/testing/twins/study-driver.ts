/** Runs a study over a twin's tape in any cut, records the output, and feeds it to a naive client. */

import type { Session, SessionTable } from '../../src/calendar/session.ts';
import { type Cursor, compareCursors, formatCursor } from '../../src/cursor.ts';
import type { EpochNs, Rank, UtcDay } from '../../src/numbers.ts';
import { PublishedObjects } from '../../src/studies/published-objects.ts';
import { type IsWholeUpTo, type RunOptions, StudyRun } from '../../src/studies/run.ts';
import type { RunOutput } from '../../src/studies/run-output.ts';
import type { ObjectVersion, Study } from '../../src/studies/study.ts';
import { allocateBatch, type TradeBatch } from '../../src/trade-batch.ts';
import { epochNs } from '../../src/utc-day.ts';
import type { Cut } from './random-tape.ts';
import { DAY_NS, dayAt, type TwinSession, type TwinTape, type TwinTrade } from './twin-tape.ts';

export interface Message {
  readonly t: 'upsert' | 'remove';
  readonly cursor: string;
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
  readonly data?: unknown;
}

export interface Flush {
  readonly edge: bigint;
  readonly position: string;
  readonly messages: readonly Message[];
}

/** Keeps every message, divided into flushes if the run is incremental. */
export class Recorder implements RunOutput {
  readonly messages: Message[] = [];
  readonly flushes: Flush[] = [];
  /** At settled speed, for each message: the first instant whose position includes it. */
  readonly instants: bigint[] = [];
  readonly published: PublishedObjects;
  #flushFrom = 0;

  constructor(outlivesSession = false) {
    this.published = new PublishedObjects(outlivesSession);
  }

  upsert({ id, final, ts, data }: ObjectVersion, cursor: Cursor, fromNs?: number): void {
    this.#keepInstant(cursor, fromNs);
    this.messages.push({ t: 'upsert', cursor: formatCursor(cursor), id, final, ts, data });
    this.published.upsert({ id, final, ts, data });
  }

  remove(id: string, final: boolean, ts: string, cursor: Cursor, fromNs?: number): void {
    this.#keepInstant(cursor, fromNs);
    this.messages.push({ t: 'remove', cursor: formatCursor(cursor), id, final, ts });
    this.published.remove(id, final, ts);
  }

  openSession(): void {
    this.published.openSession();
  }

  /** Earlier settled messages belong to no flush. The forming objects are known from here on. */
  goLive(study: Study): void {
    this.#flushFrom = this.messages.length;
    study.forming(null, (version) => {
      this.published.upsert(version);
    });
  }

  flushed(edge: EpochNs, position: Cursor): void {
    const messages = this.messages.slice(this.#flushFrom);
    this.#flushFrom = this.messages.length;
    this.flushes.push({ edge, position: formatCursor(position), messages });
  }

  #keepInstant({ day }: Cursor, fromNs: number | undefined): void {
    if (fromNs !== undefined) this.instants.push(epochNs(day, fromNs));
  }
}

/** The whole tape in one piece, in single trades, or cut with watermarks between the pieces. */
export type Cutting = 'whole' | 'single' | readonly Cut[];

export interface Driven {
  readonly run: StudyRun;
  readonly recorder: Recorder;
  /** The tape time reached: that of the last trade or the last watermark. */
  readonly at: bigint;
}

export interface DriveOptions {
  readonly stepNs?: number;
  readonly phase?: number;
  /** Multiplies the size of forming objects for the budget; absent: the step is constant. */
  readonly bytesFactor?: number;
  readonly start?: bigint;
  readonly outlivesSession?: boolean;
  readonly onEach?: (driven: Driven) => void;
}

export function drive(
  study: Study,
  tape: TwinTape,
  cutting: Cutting,
  options: DriveOptions = {},
): Driven {
  const recorder = new Recorder(options.outlivesSession);
  const start = options.start ?? beginningOf(tape);
  const before = tape.trades.findLast(({ ns }) => ns < start);
  const rank = before !== undefined && before.day === dayAt(start) ? before.rank : 0;
  const at = { at: start as EpochNs, rank: rank as Rank };
  const run = new StudyRun(study, tableOf(tape.sessions), at, {
    ...runOptions(recorder, options),
    isWholeUpTo: isWholeIn(tape),
  });
  const trades = tape.trades.filter(({ ns }) => ns >= start && ns < tape.until);
  let from = 0;
  for (let turn = 0; from < trades.length; turn += 1) {
    const cut =
      cutting === 'whole' || cutting === 'single' ? null : cutting[turn % cutting.length]!;
    const count = cutting === 'whole' ? trades.length : (cut?.rows ?? 1);
    const piece = trades.slice(from, from + count);
    for (const batch of batchesOf(piece)) run.apply(batch);
    from += piece.length;
    const last = piece.at(-1)!.ns;
    options.onEach?.({ run, recorder, at: last });
    if (cut?.quarter != null) {
      const next = trades[from]?.ns ?? tape.until;
      const at = last + ((next - last) * BigInt(cut.quarter)) / 4n;
      run.advance(at as EpochNs);
      options.onEach?.({ run, recorder, at });
    }
  }
  run.advance(tape.until as EpochNs);
  const driven = { run, recorder, at: tape.until };
  options.onEach?.(driven);
  return driven;
}

/** At settled speed from `start` to position(`live`), from there on as a stream, to the tape's end. */
export function driveLive(
  study: Study,
  tape: TwinTape,
  [start, live]: readonly [start: bigint, live: bigint],
  { bytesFactor = 1, outlivesSession = false, phase = 0 }: DriveOptions = {},
): Driven {
  const { run, recorder } = drive(study, { ...tape, until: live }, 'whole', {
    start,
    outlivesSession,
    phase,
  });
  recorder.goLive(study);
  run.goLive(() => bytesFactor * recorder.published.formingBytes);
  for (const batch of batchesOf(tape.trades.filter(({ ns }) => ns >= live && ns < tape.until))) {
    run.apply(batch);
  }
  run.advance(tape.until as EpochNs);
  return { run, recorder, at: tape.until };
}

function runOptions(output: Recorder, options: DriveOptions): RunOptions {
  const { stepNs, bytesFactor, phase = 0 } = options;
  if (stepNs === undefined) return { output, phase };
  if (bytesFactor === undefined) return { output, stepNs, phase };
  const formingBytes = () => bytesFactor * output.published.formingBytes;
  return { output, stepNs, phase, formingBytes };
}

/** The whole log, collected by stopping after each trade. */
export function everyUpdate(study: Study, tape: TwinTape): Message[] {
  const seen: Message[] = [];
  drive(study, tape, 'single', {
    onEach: ({ recorder }) => {
      const last = seen.at(-1)?.cursor ?? '19700101.0.0';
      const changes = recorder.messages.splice(0);
      study.forming(null, ({ id, final, ts, data }, { day, rank, k }) => {
        const cursor = `${day}.${rank}.${k}`;
        if (compareTexts(cursor, last) > 0) {
          changes.push({ t: 'upsert', cursor, id, final, ts, data });
        }
      });
      seen.push(...changes.sort((a, b) => compareTexts(a.cursor, b.cursor)));
    },
  });
  return seen;
}

/** The midnight before everything. */
function beginningOf(tape: TwinTape): bigint {
  const first = [tape.trades[0]?.ns, tape.sessions[0]?.open, tape.until].filter(
    (ns): ns is bigint => ns !== undefined,
  );
  const least = first.reduce((a, b) => (b < a ? b : a));
  return (least / DAY_NS) * DAY_NS;
}

function batchesOf(trades: readonly TwinTrade[]): TradeBatch[] {
  const batches: TradeBatch[] = [];
  for (const day of new Set(trades.map((trade) => trade.day))) {
    const mine = trades.filter((trade) => trade.day === day);
    const batch = allocateBatch(day as UtcDay, mine[0]!.rank as Rank, mine.length);
    for (const [row, trade] of mine.entries()) {
      batch.ts[row] = Number(trade.ns % DAY_NS);
      batch.price[row] = trade.price;
      batch.size[row] = trade.size;
      batch.side[row] = trade.side;
    }
    batch.count = mine.length;
    batches.push(batch);
  }
  return batches;
}

function isWholeIn({ sessions }: TwinTape): IsWholeUpTo {
  const byOpen = new Map(sessions.map((session) => [session.open, session]));
  return ({ open }, day, ns) => {
    const { missingDay, missingFrom } = byOpen.get(open) ?? {};
    if (missingFrom !== undefined && epochNs(day, ns) > missingFrom) return false;
    return missingDay === undefined || day < missingDay;
  };
}

export function tableOf(sessions: readonly TwinSession[]): SessionTable {
  const table = sessions.map(({ missingDay: _, missingFrom: __, ...session }) => {
    return { ...(session as Omit<Session, 'date'>), date: dayAt(session.open) as UtcDay };
  });
  return {
    atOrAfter: (instant): Session | null => table.find(({ close }) => close > instant) ?? null,
    atOrBefore: (instant): Session | null => table.findLast(({ open }) => open <= instant) ?? null,
  };
}

/** A client that follows the interface and nothing else. */
export class NaiveClient {
  readonly objects = new Map<string, { id: string; final: boolean; ts: string; data: unknown }>();
  cursor: string;

  constructor(cursor = '19700101.0.0', items: readonly ObjectVersion[] = []) {
    this.cursor = cursor;
    for (const item of items) this.objects.set(item.id, item);
  }

  take({ t, cursor, id, final, ts, data }: Message): void {
    if (compareTexts(cursor, this.cursor) <= 0) return;
    this.cursor = cursor;
    if (t === 'upsert') this.objects.set(id, { id, final, ts, data });
    else this.objects.delete(id);
  }
}

export function compareTexts(a: string, b: string): number {
  const parse = (text: string): Cursor => {
    const [day, rank, k] = text.split('.').map(Number) as [number, number, number];
    return { day: day as UtcDay, rank: rank as Rank, k };
  };
  return compareCursors(parse(a), parse(b));
}
