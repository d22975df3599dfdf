import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { intakeBatch } from '../../../testing/tape/feed-rows.ts';
import {
  DATASET,
  openSimTape,
  TAPE_ROOT,
  tapeRows,
} from '../../../testing/tape/tape-on-sim-disk.ts';
import { listTape } from '../inspect/list-tape.ts';
import { verifyTape } from '../inspect/verify-tape.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { SessionStore } from './session-store.ts';
import type { TapeNote } from './tape-note.ts';

const DAY = utcDay(20_260_105);
const NEXT_DAY = addDays(DAY, 1);
const LOG = `${TAPE_ROOT}/${DATASET}/log`;
const MANIFEST = `${TAPE_ROOT}/${DATASET}/manifest.json`;

test('an empty directory opens as an empty tape', async () => {
  await using tape = await openSimTape(new SimDisk().boot());
  assert.deepEqual(tape.report, {
    promise: null,
    logs: [],
    unfinishedRemoved: 0,
    missing: [],
    setAside: [],
  });
  assert.equal(tape.intake.promise, null);
  assert.equal(tape.intake.lastId('ESZ6'), -1);
  assert.deepEqual(await tape.tape.days('ESZ6'), []);
});

test('a start reports promise, trades and what was torn, and removes unfinished files', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  await tape.intake.offer(
    [
      intakeBatch('ESZ6', DAY, [
        [7, 1],
        [8, 2],
      ]),
    ],
    epochNs(DAY, 5),
  );
  machine.kill();
  const path = `${LOG}/${DAY}.log`;
  const log = machine.bytes(path)!;
  machine.put(path, Buffer.concat([log, new Uint8Array(100)]));
  machine.put(`${LOG}/${NEXT_DAY}.log.tmp`, new Uint8Array(10));
  machine.put(`${TAPE_ROOT}/${DATASET}/days/ESZ6/${DAY}.arrow.tmp`, new Uint8Array(10));
  await using again = await openSimTape(machine.boot());
  assert.deepEqual(again.report, {
    promise: epochNs(DAY, 5),
    logs: [{ day: DAY, trades: 2, bytes: log.length, tornBytes: 100, ended: false }],
    unfinishedRemoved: 2,
    missing: [],
    setAside: [],
  });
  assert.equal(again.intake.lastId('ESZ6'), 8);
  assert.deepEqual(machine.files(), [path, MANIFEST]);
});

test('between two days nothing is open; sealing waits until the next log carries the feed numbers', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  await tape.intake.offer([intakeBatch('ESZ6', DAY, [[7, 1]])], epochNs(NEXT_DAY, 0));
  await tape.intake.sealed();
  assert.deepEqual(machine.files(), [`${LOG}/${DAY}.log`, MANIFEST]);
  machine.crash();
  await using again = await openSimTape(machine.boot());
  assert.equal(again.report.promise, epochNs(NEXT_DAY, 0));
  await again.intake.offer(
    [
      intakeBatch('ESZ6', DAY, [
        [7, 1],
        [9, 3],
      ]),
    ],
    epochNs(NEXT_DAY, 4),
  );
  await again.intake.sealed();
  assert.deepEqual(
    (await tapeRows(again.tape, 'ESZ6')).map(([day, rank, ts]) => [day, rank, ts]),
    [
      [DAY, 1, 1],
      [NEXT_DAY, 1, 0],
    ],
  );
  assert.equal(again.counters.duplicate, 1);
  assert.equal(machine.files().filter((path) => path.endsWith('.log')).length, 1);
});

test('a damaged log refuses to open and names file, offset and record [SEC-32]', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  for (let ns = 1; ns < 5; ns++) await tape.intake.offer([], epochNs(DAY, ns));
  await tape[Symbol.asyncDispose]();
  const path = `${LOG}/${DAY}.log`;
  machine.flip(path, machine.bytes(path)!.length - 70, 3);
  const before = machine.bytes(path)!;
  await assert.rejects(openSimTape(machine.boot()), (error) => {
    assert.ok(error instanceof TapeDamagedError);
    assert.match(error.message, new RegExp(`${path} at byte \\d+, record \\d+`));
    return true;
  });
  assert.deepEqual(machine.bytes(path), before);
});

test('an older log without its end refuses to open', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  await tape.intake.offer([], epochNs(DAY, 5));
  await tape[Symbol.asyncDispose]();
  const other = new SimDisk();
  const later = await openSimTape(other.boot());
  await later.intake.offer([], epochNs(NEXT_DAY, 5));
  await later[Symbol.asyncDispose]();
  machine.put(`${LOG}/${NEXT_DAY}.log`, other.bytes(`${LOG}/${NEXT_DAY}.log`)!);
  await assert.rejects(openSimTape(machine.boot()), /has no end, although a later one exists/);
});

test('the listing counts days, trades and gaps, sealed or open', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  await tape.intake.offer(
    [
      intakeBatch('ESZ6', DAY, [
        [1, 1],
        [2, 2],
      ]),
    ],
    epochNs(DAY, 5),
  );
  await tape.intake.offer([], epochNs(addDays(DAY, 3), 5));
  await tape.intake.offer([intakeBatch('ESZ6', addDays(DAY, 3), [[3, 9]])], null);
  await tape.intake.sealed();
  const [bitcoin, es] = (await listTape(machine.boot(), TAPE_ROOT)).map(({ listing }) => listing);
  assert.equal(bitcoin?.symbol, 'BTC-PERP');
  assert.equal(bitcoin?.trades, 0);
  const { sealedBytes, ...rest } = es!;
  assert.ok(sealedBytes > 100);
  assert.deepEqual(rest, {
    dataset: DATASET,
    symbol: 'ESZ6',
    firstDay: DAY,
    lastDay: addDays(DAY, 3),
    days: 2,
    trades: 3,
    sealedTrades: 2,
    state: 'open',
    gaps: [addDays(DAY, 1), addDays(DAY, 2)],
    quality: { complete: 1, partial: 0, noTrades: 0, damaged: 0, replaced: 0 },
  });
});

test('the listing has the gaps of live days, and verify finds nothing wrong with them', async () => {
  const disk = new SimDisk().boot();
  const tape = await openSimTape(disk);
  const gap = (from: number, to: number | null, day = DAY): TapeNote => {
    const end = to === null ? null : epochNs(day, to);
    const lost = { firstId: null, lastId: null, reason: 'no connection' };
    return { kind: 'gap', gap: { symbol: 'ESZ6', from: epochNs(day, from), to: end, ...lost } };
  };
  await tape.intake.offer([intakeBatch('ESZ6', DAY, [[1, 1]])], epochNs(DAY, 5), [gap(10, null)]);
  await tape.intake.offer([], epochNs(DAY, 20));
  const days = async () =>
    (await listTape(disk, TAPE_ROOT))
      .find(({ listing }) => listing.symbol === 'ESZ6')!
      .days.map(({ day, quality, gaps }) => [day, quality, gaps]);
  assert.deepEqual(await days(), [[DAY, 'open', [[10, 20]]]]);
  await tape.intake.offer([], epochNs(NEXT_DAY, 7), [gap(10, 30)]);
  await tape.intake.offer([], null, [gap(8, 9, NEXT_DAY)]);
  await tape.intake.offer([], epochNs(NEXT_DAY, 50));
  await tape.intake.sealed();
  assert.deepEqual(await days(), [
    [DAY, 'partial', [[10, 30]]],
    [NEXT_DAY, 'open', [[8, 9]]],
  ]);
  for await (const event of verifyTape(disk, TAPE_ROOT)) {
    assert.equal(event.type, 'file', JSON.stringify(event));
  }
  await tape[Symbol.asyncDispose]();
});

test('verify finds strangers, misnamed and misplaced files, and takes a torn end as a note', async () => {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  await tape.intake.offer([intakeBatch('ESZ6', DAY, [[1, 1]])], epochNs(NEXT_DAY, 5));
  await tape.intake.sealed();
  await tape[Symbol.asyncDispose]();
  const days = `${TAPE_ROOT}/${DATASET}/days`;
  machine.put(`${days}/NQZ6/20260104.json`, machine.bytes(`${days}/ESZ6/${DAY}.json`)!);
  machine.put(`${days}/NQZ6/20260104.arrow`, machine.bytes(`${days}/ESZ6/${DAY}.arrow`)!);
  machine.put(`${LOG}/notes.txt`, new Uint8Array(3));
  machine.put(`${LOG}/20260109.log.tmp`, new Uint8Array(3));
  const log = `${LOG}/${NEXT_DAY}.log`;
  machine.put(log, Buffer.concat([machine.bytes(log)!, new Uint8Array(9)]));
  machine.put(`${TAPE_ROOT}/${DATASET}/sessions/cme.json`, new Uint8Array(9));
  const events: string[] = [];
  for await (const event of verifyTape(machine.boot(), TAPE_ROOT)) {
    if (event.type !== 'file') events.push(`${event.type} ${event.file.split('/').at(-1)}`);
  }
  assert.deepEqual(events, [
    'note 20260109.log.tmp',
    'finding notes.txt',
    'note 20260106.log',
    'finding 20260104.json',
    'finding cme.json',
    'note 20260104.json',
  ]);
});

test('a session book is kept with the tape, and a damaged one is refused [DET-01]', async () => {
  const machine = new SimDisk();
  const calendar = calendarNamed('cme-equity');
  const book = extendSessionBook(null, calendar, DAY, addDays(DAY, 9), epochNs(DAY, 0));
  const store = () => new SessionStore(machine.boot(), TAPE_ROOT, DATASET);
  assert.equal(await store().load(calendar.name), null);
  await store().save(book);
  machine.crash();
  assert.deepEqual(await store().load(calendar.name), book);
  machine.flip(`${TAPE_ROOT}/${DATASET}/sessions/${calendar.name}.json`, 40, 1);
  await assert.rejects(store().load(calendar.name), TapeDamagedError);
});
