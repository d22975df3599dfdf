/**
 * Records a minute of every indicator for its page, from the real engine, hub and gateway over the simulated market, in
 * one run, each with the candles behind it. Of several versions of an object within a moment only the newest stays, as
 * the service conflates for slow consumers. The same seed gives the same recordings.
 */

import { once } from 'node:events';
import type { RecordedRequest, RecordingHead } from '@tapeloom/charts/feed/recording';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { SessionKind } from '@tapeloom/core/calendar/session';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { TradeColumns } from '@tapeloom/server/markets/sim/trades/trade-columns';
import { ManualClock } from '../../../simulation/clock/manual-clock.ts';
import { InProcessStream } from '../../server/testing/stream/in-process-stream.ts';
import { MemoryTape, type MemoryTrade } from '../../server/testing/tape/memory-tape.ts';
import { FrameReader } from './frame-reader.ts';
import { RECORDED } from './recorded-indicators.ts';

const SEED = 1;
/** A share of the market's usual trades: enough to see it move, and a small file. */
const PRINTS_SCALE = 0.8;
/** Sessions before the recorded one, for indicators that look back. */
const FIRST_DAY = utcDay(20261108);
const DAY = utcDay(20261110);
const SYMBOL = 'ESZ6';
const INSTRUMENT = 'ES.c.0';
/** A minute in which an initial balance ends and a level of the previous day is traded. */
const START = '2026-11-10T14:36:50Z';
const DURATION_MS = 60_000;
const STEP_MS = 100;
/** Versions of one object closer together than this are conflated. */
const MOMENT_MS = 150;
const PULSE_MS = 1_000;
const BATCH_ROWS = 10_000;

/** By indicator id: the head, then a line per frame, prefixed with its time in milliseconds. */
export async function recordIndicators(): Promise<ReadonlyMap<string, string>> {
  const lines = await recordedLines();
  return new Map(
    Object.entries(RECORDED).map(([id, { params, candles }]) => {
      const head: RecordingHead = {
        instrument: INSTRUMENT,
        name: universe().book.contract(SYMBOL)!.name,
        startNs: String(instantOf(START)),
        durationMs: DURATION_MS,
        requests: {
          s1: { indicator: id, params },
          ...(candles === null ? {} : { s2: candles }),
        },
      };
      const names = new Map([[id, 's1']]);
      if (candles !== null) names.set(nameOf(candles), 's2');
      return [id, [JSON.stringify(head), ...linesOf(lines, names), ''].join('\n')];
    }),
  );
}

async function recordedLines(): Promise<readonly string[]> {
  const start = instantOf(START);
  const clock = new ManualClock(start);
  const trades = tradesBetween(FIRST_DAY, DAY);
  let next = trades.findIndex(({ at }) => at >= start);
  const tape = new MemoryTape(SYMBOL, BATCH_ROWS);
  tape.commit(trades.slice(0, next), start);
  await using stream = await InProcessStream.start({
    clock,
    tape,
    book: universe().book,
    sessions: sessionsOf('full'),
    sessionsOf,
    limits: { messageRate: { perSecond: 1_000_000, burst: 1_000_000 } },
  });
  const reader = new FrameReader(stream.url, () => Number(clock.now() - start) / 1e6);
  await once(reader.socket, 'open');
  const requests = requestsByName();
  for (const [sub, request] of requests) {
    reader.send({ t: 'subscribe', sub, instrument: INSTRUMENT, ...request });
  }
  await reader.heard('snapshot', requests.size);
  for (let ms = STEP_MS; ms <= DURATION_MS; ms += STEP_MS) {
    const now = (start + BigInt(ms) * 1_000_000n) as EpochNs;
    clock.advanceTo(now);
    const first = next;
    while (trades[next]!.at < now) next += 1;
    tape.commit(trades.slice(first, next), now);
    // Without pulses the hub would consider the engine stuck.
    if (ms % PULSE_MS === 0) stream.engine.pulse();
    await reader.settled();
  }
  reader.socket.terminate();
  return reader.lines;
}

function requestsByName(): ReadonlyMap<string, RecordedRequest> {
  return new Map(
    Object.entries(RECORDED).flatMap(([id, { params, candles }]) => [
      [id, { indicator: id, params }] as const,
      ...(candles === null ? [] : [[nameOf(candles), candles] as const]),
    ]),
  );
}

function nameOf(candles: RecordedRequest): string {
  return `candles-${candles.params.size}`;
}

/** The lines of some subscriptions under other names, with versions within a moment conflated. */
function linesOf(lines: readonly string[], names: ReadonlyMap<string, string>): readonly string[] {
  const kept: string[] = [];
  const last = new Map<string, { readonly ms: number; readonly index: number }>();
  for (const line of lines) {
    const name = names.get(/"sub":"([^"]+)"/.exec(line)?.[1] ?? '');
    if (name === undefined) continue;
    const ms = Number.parseInt(line, 10);
    const object = /"t":"upsert".*?"id":"([^"]+)"/.exec(line)?.[1];
    const before = object === undefined ? undefined : last.get(`${name} ${object}`);
    if (before !== undefined && ms - before.ms < MOMENT_MS) kept[before.index] = '';
    const index = kept.push(line.replace(/"sub":"[^"]+"/, `"sub":"${name}"`)) - 1;
    if (object === undefined) continue;
    const isSameMoment = before !== undefined && ms - before.ms < MOMENT_MS;
    last.set(`${name} ${object}`, { ms: isSameMoment ? before.ms : ms, index });
  }
  return kept.filter((line) => line !== '');
}

function universe() {
  return createSimUniverse({ seed: SEED, printsScale: PRINTS_SCALE }, DAY);
}

function tradesBetween(first: UtcDay, last: UtcDay): readonly MemoryTrade[] {
  const { market } = universe();
  const trades: MemoryTrade[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) {
    const columns = new TradeColumns();
    market.appendDay(SYMBOL, day, columns);
    const { count, ts, price, size, side } = columns;
    const midnight = epochNs(day, 0);
    for (let row = 0; row < count; row += 1) {
      trades.push({
        at: (midnight + BigInt(ts[row]!)) as EpochNs,
        price: price[row]!,
        size: size[row]!,
        side: side[row] as MemoryTrade['side'],
      });
    }
  }
  return trades;
}

function sessionsOf(kind: SessionKind) {
  const calendar = calendarNamed(universe().book.contract(SYMBOL)!.calendar);
  const book = extendSessionBook(null, calendar, FIRST_DAY, addDays(DAY, 7), epochNs(DAY, 0));
  return sessionTable(book, kind);
}

function instantOf(text: string): EpochNs {
  return (BigInt(Date.parse(text)) * 1_000_000n) as EpochNs;
}
