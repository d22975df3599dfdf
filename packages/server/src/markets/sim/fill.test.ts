import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { rank } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { SealedDays } from '../../tape/read/sealed-days.ts';
import { readManifest, TapeManifest } from '../../tape/tape-manifest.ts';
import { openTape } from '../../tape/write/open-tape.ts';
import { sealDay } from '../../tape/write/seal/seal.ts';
import { FillError, type FillItem } from '../market.ts';
import { readFillState, runFill, workersWorth } from './fill.ts';
import { SimSource } from './sim-source.ts';
import { createSimUniverse, SIM_DATASET } from './sim-universe.ts';
import { TradeColumns } from './trades/trade-columns.ts';

const TODAY = utcDay(20261113);
const sim = { seed: 3, printsScale: 0.01 };
const universe = createSimUniverse(sim, TODAY);
const disk = new NodeDisk();
const never = new AbortController().signal;

async function scratch(): Promise<AsyncDisposable & { readonly tapeRoot: string }> {
  const path = await mkdtemp(join(tmpdir(), 'fill-'));
  return {
    tapeRoot: `${path}/tape`,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

function someItems(count: number): FillItem[] {
  const items: FillItem[] = [];
  for (let back = 1; items.length < count; back += 1) {
    for (const { symbol } of universe.streamedOn(TODAY)) {
      items.push({ symbol, day: addDays(TODAY, -back) });
    }
  }
  return items.slice(0, count);
}

/** Sealing a day again succeeds only when the trades on disk are identical. */
async function assertSealedAsMade(tapeRoot: string, { symbol, day }: FillItem): Promise<void> {
  const columns = new TradeColumns();
  universe.market.appendDay(symbol, day, columns);
  const sealed = await new SealedDays(disk, tapeRoot, SIM_DATASET).sidecar(symbol, day);
  assert.equal(sealed.rows, columns.count);
  const batch = { day, firstRank: rank(1), ...columns, count: columns.count };
  await sealDay(disk, tapeRoot, { dataset: SIM_DATASET, symbol, batch });
}

test('workers write the days that this thread would have made, and report each', async () => {
  await using place = await scratch();
  const items = someItems(18);
  const seen: FillItem[] = [];
  const setting = { tapeRoot: place.tapeRoot, sim, today: TODAY, workers: 2 };
  const result = await runFill(
    setting,
    items,
    ({ item, days, daysTotal }) => {
      seen.push(item);
      assert.equal(days, seen.length);
      assert.equal(daysTotal, items.length);
    },
    never,
  );
  assert.equal(result.isComplete, true);
  assert.equal(seen.length, items.length);
  for (const item of items) await assertSealedAsMade(place.tapeRoot, item);
  const state = await readFillState(disk, place.tapeRoot);
  assert.ok(items.every(({ symbol, day }) => state.isDone(symbol, day)));
  assert.equal(state.isDone('ESZ6', TODAY), false);
});

test('a fill that is stopped leaves whole days only, and the next one finishes it', async () => {
  await using place = await scratch();
  const items = someItems(30);
  const setting = { tapeRoot: place.tapeRoot, sim, today: TODAY };
  const stop = new AbortController();
  const first = await runFill(setting, items, () => stop.abort(), stop.signal);
  assert.equal(first.isComplete, false);
  const state = await readFillState(disk, place.tapeRoot);
  const missing = items.filter(({ symbol, day }) => !state.isDone(symbol, day));
  assert.ok(missing.length > 0 && missing.length < items.length);
  const second = await runFill(setting, missing, () => undefined, never);
  assert.equal(second.isComplete, true);
  for (const item of items) await assertSealedAsMade(place.tapeRoot, item);
});

test('days are named when they are made; one that was there with other trades is not made again', async () => {
  await using place = await scratch();
  const [first, second, third] = someItems(3);
  const { tapeRoot } = place;
  const setting = { tapeRoot, sim, today: TODAY };
  await disk.makeDirectory(`${tapeRoot}/${SIM_DATASET}`);
  const manifest = await TapeManifest.open(disk, tapeRoot, SIM_DATASET);
  await manifest.sealed([{ ...second!, digest: 'of other trades' }]);
  const items = [first!, second!, third!];
  const result = await runFill(setting, items, () => undefined, never, manifest);
  assert.equal(result.isComplete, false);
  assert.equal(result.days, 2);
  assert.equal(result.conflicts.length, 1);
  assert.match(result.conflicts[0]!, new RegExp(`${second!.symbol} ${second!.day} was sealed`));
  const named = (await readManifest(disk, tapeRoot, SIM_DATASET))!;
  for (const { symbol, day } of [first!, third!]) {
    const { digest } = await new SealedDays(disk, tapeRoot, SIM_DATASET).sidecar(symbol, day);
    assert.equal(named.days.get(symbol)?.get(day), digest);
  }
  const state = await readFillState(disk, tapeRoot);
  assert.equal(state.isDone(second!.symbol, second!.day), false);
});

test('a second worker is started for as much work as its start takes', () => {
  assert.equal(workersWorth({ seed: 1, printsScale: 1 }, 3), 1);
  assert.equal(workersWorth({ seed: 1, printsScale: 1 }, 4), 2);
  assert.equal(workersWorth({ seed: 1, printsScale: 1 }, 1_000), 2);
  assert.equal(workersWorth({ seed: 1, printsScale: 0.05 }, 50), 1);
});

test('a day that cannot be made fails the fill and names it', async () => {
  await using place = await scratch();
  const setting = { tapeRoot: place.tapeRoot, sim, today: TODAY };
  const running = runFill(setting, [{ symbol: 'XXX9', day: TODAY }], () => undefined, never);
  await assert.rejects(running, (error) => {
    assert.ok(error instanceof FillError);
    assert.match(error.message, /^XXX9 20261113 failed: no simulated contract/);
    return true;
  });
});

test('a day that went through log and sealing is the day that fill would have written', async () => {
  await using place = await scratch();
  const saturday = utcDay(20261114);
  const clock = new ManualClock(epochNs(saturday, 60e9));
  {
    await using tape = await openTape({
      disk,
      tapeRoot: place.tapeRoot,
      dataset: SIM_DATASET,
      listed: (day) => universe.streamedOn(day).map(({ symbol }) => symbol),
      now: () => clock.now(),
      onFailure: (error) => assert.fail(error),
    });
    const stop = new AbortController();
    const source = new SimSource({
      universe,
      intake: tape.intake,
      clock,
      resumeDay: TODAY,
      openDay: null,
    });
    const running = source.run(stop.signal);
    while (tape.intake.promise !== clock.now()) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    await tape.intake.sealed();
    stop.abort();
    await running;
    assert.equal(tape.counters.late + tape.counters.duplicate + tape.counters.backwards, 0);
  }
  for (const { symbol } of universe.streamedOn(TODAY)) {
    await assertSealedAsMade(place.tapeRoot, { symbol, day: TODAY });
  }
});

test('after days without service the tape has the open day, the filled days and today', async () => {
  await using place = await scratch();
  const monday = utcDay(20261109);
  const open = () =>
    openTape({
      disk,
      tapeRoot: place.tapeRoot,
      dataset: SIM_DATASET,
      listed: (day) => universe.streamedOn(day).map(({ symbol }) => symbol),
      now: () => clock.now(),
      onFailure: (error) => assert.fail(error),
    });
  let clock = new ManualClock(epochNs(monday, 12 * 3600e9));
  for (const today of [monday, TODAY]) {
    clock = new ManualClock(epochNs(today, 12 * 3600e9));
    await using tape = await open();
    const log = tape.report.logs.at(-1);
    const openDay = log === undefined || log.ended ? null : log.day;
    const state = await readFillState(disk, place.tapeRoot);
    const items: FillItem[] = [];
    for (let day = monday; day < today; day = addDays(day, 1)) {
      if (!state.isDone('ESZ6', day)) items.push({ symbol: 'ESZ6', day });
    }
    assert.equal(items.length, today === monday ? 0 : 3);
    await runFill({ tapeRoot: place.tapeRoot, sim, today }, items, () => undefined, never);
    const stop = new AbortController();
    const source = new SimSource({
      universe,
      intake: tape.intake,
      clock,
      resumeDay: today,
      openDay,
    });
    const running = source.run(stop.signal);
    while (tape.intake.promise !== clock.now()) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    await tape.intake.sealed();
    stop.abort();
    await running;
    if (today === monday) continue;
    const days = await tape.tape.days('ESZ6');
    assert.deepEqual(
      days.map(({ day, state: kind }) => `${day} ${kind}`),
      ['20261109 sealed', '20261110 sealed', '20261111 sealed', '20261112 sealed', '20261113 open'],
    );
    assert.equal(dayOf(tape.intake.promise!), TODAY);
  }
  await assertSealedAsMade(place.tapeRoot, { symbol: 'ESZ6', day: monday });
});
