/**
 * The ingest thread of a benchmark: the real tape with a source of evenly spread random trades of
 * one contract. Every offer carries the trades that came due since the last offer was on disk, and
 * a watermark (`promise`). It records when each trade was made and accepted. To report the edge at
 * which each message of a topic was published, it recomputes the topic from the tape.
 */

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { wholeSecond } from '@tapeloom/core/studies/flush-step';
import { addDays, dayOf, nsOfDay } from '@tapeloom/core/utc-day';
import { BlockWriter } from '@tapeloom/server/blocks/block-writer';
import { createSimUniverse, SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { readTo, startRun } from '@tapeloom/server/runs/run-start';
import { TapeDays } from '@tapeloom/server/runs/tape-days';
import type { IntakeBatch } from '@tapeloom/server/tape/write/intake';
import { openTape } from '@tapeloom/server/tape/write/open-tape';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import {
  type Drive,
  type EdgesWanted,
  monotonicMs,
  type PublishedAt,
  type ToDrivenIngest,
} from '../shared/stream-wire.ts';

export interface DrivenIngestData {
  readonly tapeRoot: string;
  readonly symbol: string;
}

/** The pause between offers; each carries at least a watermark. */
const STEP_MS = 2;
const SESSIONS_DAYS = 3;
const PRICE_FIRST = 20_000;
const SIZE_MAX = 8;

const parent = parentPort!;
const { tapeRoot, symbol } = workerData as DrivenIngestData;
const clock = createClock({ kind: 'system' });
const random = seededRandom(1);
const today = dayOf(clock.now());
const universe = createSimUniverse({ seed: 1, printsScale: 1 }, today);
const tape = await openTape({
  disk: new NodeDisk(),
  tapeRoot,
  dataset: SIM_DATASET,
  listed: (day) => universe.streamedOn(day).map((contract) => contract.symbol),
  now: () => clock.now(),
  onFailure: (error) => {
    throw error;
  },
});
const books = [...new Set(universe.contracts.map(({ calendar }) => calendar))].map((name) =>
  extendSessionBook(
    null,
    calendarNamed(name),
    addDays(today, -SESSIONS_DAYS),
    addDays(today, SESSIONS_DAYS),
    clock.now(),
  ),
);
/** The service's time minus the monotonic clock. */
const offsetNs = clock.now() - process.hrtime.bigint();

const madeMs: number[] = [0];
const acceptedMs: number[] = [0];
/** For every offer of a drive: its watermark, and when it was on disk. */
const promisedMs: number[] = [];
const durableMs: number[] = [];
let price = PRICE_FIRST;
let drivenSince: EpochNs | null = null;

parent.on('message', (message: ToDrivenIngest) => {
  if (message.t === 'follow') tape.publisher.addFollower(message.port);
  else if (message.t === 'drive') void drive(message.drive);
  else void edges(message.topics);
});
await tape.intake.offer([], clock.now());
parent.postMessage({
  t: 'opened',
  clock: { kind: 'system' },
  books,
  recovery: tape.report,
});
void promiseOn();

let isDriving = false;

/** Between drives: a watermark every 200 ms, as sources send. */
async function promiseOn(): Promise<void> {
  for (;;) {
    await pause(200);
    if (!isDriving) await tape.intake.offer([], clock.now());
  }
}

async function drive({ tradesPerSecond, seconds }: Drive): Promise<void> {
  isDriving = true;
  const startNs = clock.now();
  drivenSince ??= startNs;
  const total = tradesPerSecond * seconds;
  let made = 0;
  while (made < total) {
    await pause(STEP_MS);
    const now = clock.now();
    const due = Math.min(total, Math.floor((Number(now - startNs) / 1e9) * tradesPerSecond));
    const batch = due > made ? tradesOf(made, due, startNs, tradesPerSecond) : null;
    await tape.intake.offer(batch === null ? [] : [batch], now);
    const acceptedAt = monotonicMs();
    promisedMs.push(Number(now - offsetNs) / 1e6);
    durableMs.push(acceptedAt);
    for (; made < due; made += 1) acceptedMs.push(acceptedAt);
  }
  isDriving = false;
  parent.postMessage({ t: 'driven', trades: made });
}

function tradesOf(from: number, to: number, startNs: EpochNs, perSecond: number): IntakeBatch {
  const count = to - from;
  const batch = {
    symbol,
    day: today,
    count,
    id: new Float64Array(count),
    ts: new Float64Array(count),
    price: new Float64Array(count),
    size: new Float64Array(count),
    side: new Int8Array(count),
  };
  for (let row = 0; row < count; row += 1) {
    const at = (startNs + BigInt(Math.round(((from + row) / perSecond) * 1e9))) as EpochNs;
    const side = random() < 0.5 ? -1 : 1;
    price += random() < 0.3 ? side : 0;
    batch.id[row] = acceptedMs.length + row;
    batch.ts[row] = nsOfDay(at);
    batch.price[row] = price;
    batch.size[row] = 1 + Math.floor(random() * SIZE_MAX);
    batch.side[row] = side;
    madeMs.push(Number(at - offsetNs) / 1e6);
  }
  return batch;
}

async function edges(topics: readonly EdgesWanted[]): Promise<void> {
  const found: PublishedAt[][] = [];
  for (const topic of topics) found.push(await edgesOf(topic));
  const record = {
    madeMs: Float64Array.from(madeMs),
    acceptedMs: Float64Array.from(acceptedMs),
    edges: found,
  };
  parent.postMessage({ t: 'edges', record });
}

async function edgesOf({ indicator: id, params }: EdgesWanted): Promise<PublishedAt[]> {
  const indicator = indicatorNamed(id)!;
  const { calendar } = universe.contracts.find((contract) => contract.symbol === symbol)!;
  const book = books.find((it) => it.calendar === calendar)!;
  const sessions = sessionTable(book, indicator.sessionKind(params));
  const days = new TapeDays(tape.tape, symbol);
  const source = { tape: tape.tape, contract: symbol, sessions, days, indicator, params };
  const pace = { yieldTurn: () => turn(), signal: new AbortController().signal };
  const found: PublishedAt[] = [];
  const run = await startRun(source, wholeSecond(drivenSince!), pace);
  run.goLive(new BlockWriter(), (block) => {
    const edgeMs = Number(block.lastEdge - offsetNs) / 1e6;
    const closedMs = durableMs[firstAtLeast(promisedMs, edgeMs)] ?? Number.NaN;
    for (let at = 0; at < block.count; at += 1) {
      found.push({ cursor: block.cursorText(at), edgeMs, closedMs });
    }
  });
  await readTo(source, run, tape.intake.promise!, pace);
  return found;
}

/** The index of the first of these ascending values that is at least `least`. */
function firstAtLeast(values: readonly number[], least: number): number {
  let [from, to] = [0, values.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle]! < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
