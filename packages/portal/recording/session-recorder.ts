/**
 * Records the service's frames. The simulated market runs through the real engine, hub and gateway into a real socket,
 * in the simulator's live steps, on a manual clock. Every frame is recorded unchanged with its time since the start.
 * The same seed gives the same recording.
 */

import { once } from 'node:events';
import type { RecordingHead } from '@tapeloom/charts/feed/recording';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { bars } from '@tapeloom/core/studies/bars';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';
import { ManualClock } from '../../../simulation/clock/manual-clock.ts';
import { InProcessStream } from '../../server/testing/stream/in-process-stream.ts';
import { MemoryTape, type MemoryTrade } from '../../server/testing/tape/memory-tape.ts';
import { FrameReader } from './frame-reader.ts';

const SEED = 1;
const DAY = utcDay(20261110);
const SYMBOL = 'ESZ6';
const INSTRUMENT = 'ES.c.0';
const START = '2026-11-10T14:43:46Z';
const DURATION_MS = 240_000;
/** The step of the live simulator. */
const STEP_MS = 20;
/** How often the source advances the watermark while nothing trades. */
const QUIET_MS = 200;
const BATCH_ROWS = 1_000;

const REQUESTS: RecordingHead['requests'] = {
  s1: { indicator: 'footprint', params: { size: 30, group: 2, minVolume: 60, session: 'rth' } },
  s2: { indicator: 'large-trades', params: { minSize: 100, session: 'rth' } },
};

/** Delta and volume of one minute, in lots. */
export type MinuteOfDay = readonly [delta: number, volume: number];

/** The recording as text: its head, then a line per frame, prefixed with its time in milliseconds. */
export async function recordSession(): Promise<string> {
  const start = instantOf(START);
  const clock = new ManualClock(start);
  const trades = tradesOfDay();
  const before = trades.findIndex(({ at }) => at >= start);
  const tape = new MemoryTape(SYMBOL, BATCH_ROWS);
  tape.commit(trades.slice(0, before), start);
  await using stream = await InProcessStream.start({
    clock,
    tape,
    book: universe().book,
    sessions: sessionsOf('rth'),
    limits: { messageRate: { perSecond: 1_000_000, burst: 1_000_000 } },
  });
  const reader = new FrameReader(stream.url, () => Number(clock.now() - start) / 1e6);
  await once(reader.socket, 'open');
  for (const [sub, request] of Object.entries(REQUESTS)) {
    reader.send({ t: 'subscribe', sub, instrument: INSTRUMENT, ...request });
  }
  await reader.heard('snapshot', Object.keys(REQUESTS).length);

  let next = before;
  let promisedMs = 0;
  for (let ms = STEP_MS; ms <= DURATION_MS; ms += STEP_MS) {
    const now = (start + BigInt(ms) * 1_000_000n) as EpochNs;
    clock.advanceTo(now);
    let end = next;
    while (trades[end]!.at < now) end += 1;
    if (end === next && ms - promisedMs < QUIET_MS) continue;
    tape.commit(trades.slice(next, end), now);
    // As in the source, one more step follows trades, so that what they started closes at once.
    promisedMs = end === next ? ms : ms - QUIET_MS;
    next = end;
    await reader.settled();
  }
  reader.socket.terminate();
  const contract = universe().book.contract(SYMBOL)!;
  const head: RecordingHead = {
    instrument: INSTRUMENT,
    name: contract.name,
    startNs: String(start),
    durationMs: DURATION_MS,
    requests: REQUESTS,
  };
  return [JSON.stringify(head), ...reader.lines, ''].join('\n');
}

/** Every minute of the day's regular hours, computed by the study `bars`. */
export function recordMinutes(): readonly MinuteOfDay[] {
  const parsed = parseParams(bars, { size: 60, session: 'rth' });
  if (!('params' in parsed)) throw new RangeError('bars refuses minutes');
  const minutes: MinuteOfDay[] = [];
  const output = {
    upsert: ({ data }: { readonly data: unknown }) => {
      const { delta, volume } = data as { readonly delta: number; readonly volume: number };
      minutes.push([delta, volume]);
    },
    remove: () => {},
    openSession: () => {},
    flushed: () => {},
  };
  const start = { at: epochNs(DAY, 0), rank: 0 as Rank };
  const run = new StudyRun(bars.create(parsed.params), sessionsOf('rth'), start, { output });
  const { count, ts, price, size, side } = columnsOfDay();
  run.apply({ day: DAY, firstRank: 1 as Rank, count, ts, price, size, side });
  run.advance(epochNs(addDays(DAY, 1), 0));
  return minutes;
}

function universe() {
  return createSimUniverse({ seed: SEED, printsScale: 1 }, DAY);
}

function columnsOfDay(): TradeColumns {
  const columns = new TradeColumns();
  universe().market.appendDay(SYMBOL, DAY, columns);
  return columns;
}

function tradesOfDay(): readonly MemoryTrade[] {
  const { count, ts, price, size, side } = columnsOfDay();
  const midnight = epochNs(DAY, 0);
  return Array.from({ length: count }, (_, row) => ({
    at: (midnight + BigInt(ts[row]!)) as EpochNs,
    price: price[row]!,
    size: size[row]!,
    side: side[row] as MemoryTrade['side'],
  }));
}

function sessionsOf(kind: 'rth') {
  const calendar = calendarNamed(universe().book.contract(SYMBOL)!.calendar);
  const book = extendSessionBook(
    null,
    calendar,
    addDays(DAY, -7),
    addDays(DAY, 7),
    epochNs(DAY, 0),
  );
  return sessionTable(book, kind);
}

function instantOf(text: string): EpochNs {
  return (BigInt(Date.parse(text)) * 1_000_000n) as EpochNs;
}
