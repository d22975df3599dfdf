import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { type EpochNs, rank, type UtcDay } from '@tapeloom/core/numbers';
import type { TradeBatch } from '@tapeloom/core/trade-batch';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { tapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { NO_LIVE_DAYS, TapeReader } from '../../tape/read/tape-reader.ts';
import { type OpenTape, openTape } from '../../tape/write/open-tape.ts';
import { ReplayLive } from './replay-live.ts';
import { writeReplay } from './write-replay.ts';

const DATA = '/replay';
const MONDAY = utcDay(20260309);
const CONTRACT: Contract = {
  symbol: 'XYZ',
  dataset: 'FILE',
  root: 'XYZ',
  name: 'XYZ',
  exchange: 'unknown',
  currency: 'unknown',
  tickSizeNanos: 1,
  lotSizeNanos: 1,
  pointValueNanos: 1,
  calendar: 'round-the-clock',
  expiresAt: epochNs(addDays(MONDAY, 400), 0),
};
const HOUR_NS = 3_600e9;

/** `count` trades evenly spread over a day, the first at midnight. */
function dayOfTrades(day: UtcDay, count: number): TradeBatch {
  return {
    day,
    firstRank: rank(1),
    count,
    ts: Float64Array.from({ length: count }, (_, row) => Math.floor((24 * HOUR_NS * row) / count)),
    price: Int32Array.from({ length: count }, (_, row) => 100 + row),
    size: new Int32Array(count).fill(2),
    side: new Int8Array(count).fill(1),
  };
}

const DAYS = [500, 700, 0, 300].map((count, index) => dayOfTrades(addDays(MONDAY, index), count));
const plan = (from: EpochNs, end = epochNs(addDays(MONDAY, 4), 0)) => {
  return { contract: CONTRACT, calendar: calendarNamed('round-the-clock'), from, end };
};

function open(disk: Disk, clock: ManualClock): Promise<OpenTape> {
  return openTape({
    disk,
    tapeRoot: `${DATA}/tape`,
    dataset: CONTRACT.dataset,
    listed: () => [CONTRACT.symbol],
    now: () => clock.now(),
    onFailure: (error) => assert.fail(error),
  });
}

/** Runs the source from the tape's end until the clock reaches an instant. */
async function play(disk: Disk, market: ReplayLive, clock: ManualClock, until: EpochNs) {
  const tape = await open(disk, clock);
  const stop = new AbortController();
  const { logs } = tape.report;
  const source = market.source({
    disk,
    intake: tape.intake,
    clock,
    monotonicNs: () => clock.now(),
    resumeDay: dayOf(clock.now()),
    openDay: logs.find(({ ended }) => !ended)?.day ?? null,
    hoursOf: () => null,
    random: () => 0,
    onOffTick: (contract) => assert.fail(contract),
    onContractDown: (contract) => assert.fail(contract),
  });
  const running = source.run(stop.signal);
  while ((tape.intake.promise ?? 0n) < until) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (clock.timerCount > 0) clock.advanceTo(clock.now() < until ? until : clock.now() + 1n);
  }
  stop.abort();
  await running;
  await tape[Symbol.asyncDispose]();
}

test('days that are over at the start are the past of its tape, the others its script, and nothing is later than its end', async () => {
  const disk = new SimDisk().boot();
  const from = epochNs(addDays(MONDAY, 1), 12 * HOUR_NS);
  const end = epochNs(addDays(MONDAY, 3), 6 * HOUR_NS);
  const { script } = await writeReplay(disk, DATA, plan(from, end), DAYS);
  const days = async (root: string) => {
    const tape = new TapeReader(disk, root, CONTRACT.dataset, NO_LIVE_DAYS);
    return (await tape.days(CONTRACT.symbol)).map(({ day, trades }) => [day - MONDAY, trades]);
  };
  assert.deepEqual(await days(`${DATA}/tape`), [[0, 500]]);
  assert.deepEqual(await days(script), [
    [1, 700],
    [2, 0],
    [3, 75],
  ]);
});

test('time that begins with a day has come a little further: the tape opens that day', async () => {
  const midnight = epochNs(MONDAY, 0);
  const { from } = await writeReplay(new SimDisk().boot(), DATA, plan(midnight), DAYS);
  assert.ok(from > midnight && dayOf(from) === MONDAY);
});

test('whenever it is stopped and goes on, the tape gets every trade of the script once, at its time', async () => {
  const restarts = fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(restarts, async (hours) => {
      const disk = new SimDisk().boot();
      const from = epochNs(addDays(MONDAY, 1), 5 * HOUR_NS);
      const options = await writeReplay(disk, DATA, plan(from), DAYS);
      const market = new ReplayLive({ ...options, isHeld: false });
      const clock = new ManualClock(from);
      const end = epochNs(addDays(MONDAY, 4), HOUR_NS);
      for (const hour of hours.toSorted((a, b) => a - b)) {
        const until = (from + BigInt(hour) * BigInt(HOUR_NS)) as EpochNs;
        if (until < end) await play(disk, market, clock, until);
      }
      await play(disk, market, clock, end);
      const tape = await open(disk, clock);
      const rows = await tapeRows(tape.tape, CONTRACT.symbol);
      const expected = DAYS.flatMap(({ day, count, ts, price, size, side }) =>
        Array.from({ length: count }, (_, row) => {
          return [day, row + 1, ts[row], price[row], size[row], side[row]];
        }),
      );
      assert.deepEqual(rows, expected);
      await tape[Symbol.asyncDispose]();
    }),
    { numRuns: 15 },
  );
});
