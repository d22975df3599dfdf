import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { type FeedRow, intakeBatch } from '../../../testing/tape/feed-rows.ts';
import { openSimTape, tapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import { IntakeFullError, TapeClosedError, TapeFailedError } from '../tape-errors.ts';
import { HELD_TRADES_MAX } from './sequencer/sequencer.ts';
import { OFFERS_WAITING_MAX, ROWS_WAITING_MAX } from './tape-writer.ts';

const DAY = utcDay(20_260_105);
const NEXT_DAY = addDays(DAY, 1);
const ES = (rows: readonly FeedRow[], day: UtcDay = DAY) => intakeBatch('ESZ6', day, rows);
const at = (ns: number, day: UtcDay = DAY) => epochNs(day, ns);

/** Runs everything that waits for no timer. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Times of the rows on the tape, with their days. */
async function stamps(
  tape: Parameters<typeof tapeRows>[0],
): Promise<readonly (readonly number[])[]> {
  return (await tapeRows(tape, 'ESZ6')).map(([day, rank, ts]) => [day, rank, ts]);
}

test('offers made while a commit is under way share the next one', async () => {
  const machine = new SimDisk();
  await using tape = await openSimTape(machine.boot());
  await tape.intake.offer([ES([[0, 0]])], at(0));
  let syncs = 0;
  machine.faults = (operation) => {
    if (operation === 'sync') syncs += 1;
    return null;
  };
  const offers = Array.from({ length: 50 }, (_, index) =>
    tape.intake.offer([ES([[index + 1, index + 1]])], at(index + 1)),
  );
  await Promise.all(offers);
  assert.equal(syncs, 1);
  const first = tape.intake.offer([ES([[100, 100]])], at(100));
  await Promise.resolve();
  await Promise.resolve();
  const others = [101, 102, 103].map((id) => tape.intake.offer([ES([[id, id]])], at(id)));
  await Promise.all([first, ...others]);
  assert.equal(syncs, 3);
});

test('no reader sees a trade or promise before it is on disk [DET-05] [SEC-31]', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  await tape.intake.offer([ES([[1, 1]])], at(2));
  machine.faults = (asked) => (asked === 'sync' ? 'halt' : null);
  tape.intake.offer([ES([[2, 3]])], at(4)).catch(() => {});
  await machine.halted;
  assert.equal(tape.intake.promise, at(2));
  assert.equal(tape.intake.lastId('ESZ6'), 1);
  assert.deepEqual(
    tape.publisher.days.map(({ trades }) => trades),
    [1],
  );
});

for (const [name, operation, fault] of [
  ['a full disk', 'write', 'full'],
  ['a failing write', 'write', 'fail'],
  ['a failing sync', 'sync', 'fail'],
  ['a write for which the machine has no time', 'write', 'busy'],
  ['a sync for which the machine has no time', 'sync', 'busy'],
] as const) {
  test(`${name} stops the tape for good, says so once, and loses nothing acknowledged [SEC-31] [SEC-33]`, async () => {
    const machine = new SimDisk();
    const failures: Error[] = [];
    const onFailure = (error: Error) => failures.push(error);
    const tape = await openSimTape(machine.boot(), { onFailure });
    await tape.intake.offer([ES([[1, 1]])], at(2));
    let isBroken = true;
    machine.faults = (asked) => (isBroken && asked === operation ? fault : null);
    const inFlight = tape.intake.offer([ES([[2, 3]])], at(4));
    const waiting = tape.intake.offer([ES([[3, 5]])], at(6));
    const held = tape.intake.offer([ES([[4, 5]], NEXT_DAY)], null);
    for (const offer of [inFlight, waiting, held]) await assert.rejects(offer, TapeFailedError);
    // The disk recovers; the tape stays failed.
    isBroken = false;
    await assert.rejects(tape.intake.offer([ES([[5, 7]])], null), TapeFailedError);
    assert.equal(failures.length, 1);
    assert.equal(tape.counters.failed, 1);
    assert.deepEqual(await stamps(tape.tape), [[DAY, 1, 1]]);
    await tape[Symbol.asyncDispose]();
    machine.crash();
    await using again = await openSimTape(machine.boot());
    assert.deepEqual(await stamps(again.tape), [[DAY, 1, 1]]);
    await again.intake.offer([ES([[2, 3]])], at(4));
    assert.deepEqual(await stamps(again.tape), [
      [DAY, 1, 1],
      [DAY, 2, 3],
    ]);
  });
}

test('a day that cannot be opened for want of files pauses the intake, and goes on as if nothing had been [DET-03] [SEC-31] [SEC-41]', async () => {
  const machine = new SimDisk();
  const clock = new ManualClock(0n);
  const failures: Error[] = [];
  const onFailure = (error: Error) => failures.push(error);
  await using tape = await openSimTape(machine.boot(), { clock, onFailure });
  await tape.intake.offer([ES([[1, 1]])], at(2));
  let isBusy = true;
  machine.faults = (operation) => (isBusy && operation === 'open' ? 'busy' : null);
  let acknowledged = 0;
  const offers = [2, 3].map((id) =>
    tape.intake.offer([ES([[id, id]], NEXT_DAY)], at(id, NEXT_DAY)).then(() => (acknowledged += 1)),
  );
  for (let tries = 0; tries < 20; tries += 1) {
    await turn();
    clock.advance(3_200);
  }
  assert.ok(tape.intake.isTurningDay);
  assert.equal(acknowledged, 0);
  // The previous day has ended durably, and can be read.
  assert.deepEqual(await stamps(tape.tape), [[DAY, 1, 1]]);
  assert.equal(tape.intake.promise, at(0, NEXT_DAY));
  isBusy = false;
  await turn();
  clock.advance(3_200);
  await Promise.all(offers);
  await tape.intake.sealed();
  assert.ok(!tape.intake.isTurningDay);
  assert.deepEqual(failures, []);
  assert.deepEqual(await stamps(tape.tape), [
    [DAY, 1, 1],
    [NEXT_DAY, 1, 2],
    [NEXT_DAY, 2, 3],
  ]);
});

test('a disk that fills up while a day is sealed stops the tape and loses nothing; the next start seals it [SEC-33]', async () => {
  const machine = new SimDisk();
  const failures: Error[] = [];
  const tape = await openSimTape(machine.boot(), { onFailure: (error) => failures.push(error) });
  await tape.intake.offer([ES([[1, 1]])], at(2));
  machine.faults = (operation, path) =>
    operation === 'write' && path.includes('.arrow') ? 'full' : null;
  await tape.intake.offer([ES([[2, 3]], NEXT_DAY)], at(4, NEXT_DAY));
  await assert.rejects(tape.intake.sealed(), TapeFailedError);
  await assert.rejects(tape.intake.offer([], at(5, NEXT_DAY)), TapeFailedError);
  assert.equal(failures.length, 1);
  assert.equal((await stamps(tape.tape)).length, 2);
  await tape[Symbol.asyncDispose]();
  machine.faults = () => null;
  await using again = await openSimTape(machine.boot());
  await again.intake.sealed();
  const states = (await again.tape.days('ESZ6')).map(({ state }) => state);
  assert.deepEqual(states, ['sealed', 'open']);
  assert.deepEqual(await stamps(again.tape), [
    [DAY, 1, 1],
    [NEXT_DAY, 1, 3],
  ]);
});

test('too many waiting offers or trades are refused, counted and may be made again [SEC-36]', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  await tape.intake.offer([ES([[0, 0]])], null);
  const offers = Array.from({ length: OFFERS_WAITING_MAX + 1 }, (_, index) =>
    tape.intake.offer([ES([[index, index]])], null),
  );
  await assert.rejects(offers.pop()!, IntakeFullError);
  await Promise.all(offers);
  const rows = Array.from({ length: ROWS_WAITING_MAX }, (_, row): FeedRow => [row, row]);
  const large = tape.intake.offer([ES(rows)], null);
  await assert.rejects(tape.intake.offer([ES([[1, 1]])], null), IntakeFullError);
  await large;
  const days = Array.from({ length: HELD_TRADES_MAX }, (_, row): FeedRow => [2 ** 30 + row, row]);
  await tape.intake.offer([ES(days, NEXT_DAY)], null);
  await assert.rejects(tape.intake.offer([ES([[2 ** 40, 1]], NEXT_DAY)], null), IntakeFullError);
  assert.equal(tape.counters.offersRefused, 3);
  await tape.intake.offer([], at(1, NEXT_DAY));
  await tape.intake.offer([ES([[2 ** 40, 1]], NEXT_DAY)], null);
  const last = (await tape.tape.days('ESZ6')).at(-1);
  assert.equal(last?.trades, HELD_TRADES_MAX + 1);
});

test('closing commits what was offered, refuses the rest and marks the log', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  const offered = tape.intake.offer([ES([[1, 1]])], at(2));
  const held = tape.intake.offer([ES([[2, 1]], NEXT_DAY)], null);
  const closed = tape[Symbol.asyncDispose]();
  await assert.rejects(tape.intake.offer([], at(3)), TapeClosedError);
  await offered;
  await held;
  await closed;
  machine.crash();
  await using again = await openSimTape(machine.boot());
  assert.equal(again.report.promise, at(2));
  assert.deepEqual(await stamps(again.tape), [[DAY, 1, 1]]);
  assert.equal(again.intake.lastId('ESZ6'), 1);
});

test('a day that was sealed from elsewhere cannot be opened', async () => {
  const machine = new SimDisk();
  machine.put('/data/tape/SIM/days/ESZ6/20260105.json', new Uint8Array(1));
  const tape = await openSimTape(machine.boot());
  await assert.rejects(tape.intake.offer([ES([[1, 1]])], null), /is sealed already/);
});
