import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { intakeBatch } from '../../testing/tape/feed-rows.ts';
import { DATASET, openSimTape, TAPE_ROOT, tapeRows } from '../../testing/tape/tape-on-sim-disk.ts';
import { verifyTape } from '../tape/inspect/verify-tape.ts';
import { brokenBy, formatEpochs, parseEpochs } from '../topics/epoch-floors.ts';
import { isNothing, planTrim, trimTape } from './trim-tape.ts';

const DAY = utcDay(20_260_105);
const NEXT_DAY = addDays(DAY, 1);
const LATER = addDays(DAY, 2);
const DATA = TAPE_ROOT.slice(0, -'/tape'.length);
const EPOCHS = `${DATA}/stream-epochs.json`;
const NOON = 43_200e9;

/** Written with a clock a day ahead: two sealed days, an open third one, trades at midnights and noons. */
async function writtenAhead(): Promise<SimDisk> {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  let id = 0;
  for (const day of [DAY, NEXT_DAY, LATER]) {
    for (const ns of [1, NOON]) {
      await tape.intake.offer([intakeBatch('ESZ6', day, [[++id, ns]])], epochNs(day, ns + 5));
    }
  }
  await tape.intake.sealed();
  await tape[Symbol.asyncDispose]();
  machine.put(EPOCHS, Buffer.from(formatEpochs({ computations: { bars: '1' }, floors: [] })));
  return machine;
}

async function trim(machine: SimDisk, after: bigint): Promise<string> {
  const place = { disk: machine.boot(), data: DATA, dataset: DATASET };
  const plan = await planTrim(place, after as never);
  assert.ok(!isNothing(plan));
  return await trimTape(place, after as never, plan);
}

async function assertSound(machine: SimDisk, rows: number, promise: bigint | null) {
  const events = await Array.fromAsync(verifyTape(machine.boot(), TAPE_ROOT));
  assert.deepEqual(
    events.filter(({ type }) => type === 'finding'),
    [],
  );
  await using tape = await openSimTape(machine.boot());
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, rows);
  assert.equal(tape.report.promise, promise);
  assert.deepEqual(tape.report.missing, []);
}

test('the log of the open day is cut at the time, and the tape goes on from there', async () => {
  const machine = await writtenAhead();
  const log = `${TAPE_ROOT}/${DATASET}/log/${LATER}.log`;
  const before = machine.bytes(log)!;
  const after = epochNs(LATER, NOON - 1);
  const aside = await trim(machine, after);
  assert.deepEqual(machine.bytes(`${aside}/log/${LATER}.log`), before);
  await assertSound(machine, 5, epochNs(LATER, 6));
  await using tape = await openSimTape(machine.boot());
  await tape.intake.offer([intakeBatch('ESZ6', LATER, [[6, NOON]])], epochNs(LATER, NOON + 1));
  assert.equal((await tapeRows(tape.tape, 'ESZ6')).length, 6);
});

test('sealed days after the time and the one it lies in are moved, not deleted, with later logs', async () => {
  const machine = await writtenAhead();
  const day = `${TAPE_ROOT}/${DATASET}/days/ESZ6/${NEXT_DAY}.arrow`;
  const bytes = machine.bytes(day)!;
  const files = machine.files().length;
  const after = epochNs(NEXT_DAY, NOON - 1);
  const plan = await planTrim({ disk: machine.boot(), data: DATA, dataset: DATASET }, after);
  assert.deepEqual([plan.logs, plan.cutLog, plan.wholeDay], [[LATER], null, NEXT_DAY]);
  const aside = await trim(machine, after);
  assert.deepEqual(machine.bytes(`${aside}/days/ESZ6/${NEXT_DAY}.arrow`), bytes);
  assert.equal(machine.bytes(day), null);
  assert.equal(machine.files().length, files);
  await assertSound(machine, 2, null);
});

test('nothing is trimmed of a tape that ends before the time', async () => {
  const machine = await writtenAhead();
  const place = { disk: machine.boot(), data: DATA, dataset: DATASET };
  assert.ok(isNothing(await planTrim(place, epochNs(LATER, NOON + 5))));
});

test('cursors of what was trimmed are worthless afterwards, earlier ones are not', async () => {
  const machine = await writtenAhead();
  await trim(machine, epochNs(NEXT_DAY, NOON - 1));
  const { floors } = parseEpochs(new TextDecoder().decode(machine.bytes(EPOCHS)!), [])!;
  const stream = { contract: 'ESZ6', indicator: 'bars' };
  const verdict = (cursor: string) =>
    brokenBy(floors, stream, parseCursor(cursor)!, (day) => day <= Number(cursor.slice(0, 8)));
  assert.equal(verdict(`${NEXT_DAY}.1.0`), 'source_gap');
  assert.equal(verdict(`${LATER}.2.0`), 'source_gap');
  assert.equal(verdict(`${DAY}.2.0`), null);
});

test('a trim that a crash interrupts anywhere can be called again, and loses nothing', async () => {
  const after = epochNs(NEXT_DAY, NOON - 1);
  for (let halted = 1; ; halted += 1) {
    const machine = await writtenAhead();
    const whole = machine.files().length;
    let left = halted;
    machine.faults = (operation) => {
      if (!['rename', 'remove', 'syncDirectory'].includes(operation)) return null;
      left -= 1;
      return left === 0 ? 'halt' : null;
    };
    const done = await Promise.race([trim(machine, after), machine.halted.then(() => null)]);
    machine.faults = () => null;
    machine.crash();
    const place = { disk: machine.boot(), data: DATA, dataset: DATASET };
    const plan = await planTrim(place, after);
    if (!isNothing(plan)) await trimTape(place, after, plan);
    await assertSound(machine, 2, null);
    assert.ok(
      machine.files().filter((path) => !path.endsWith('.tmp')).length >= whole,
      `${halted}`,
    );
    if (done !== null) break;
  }
});
