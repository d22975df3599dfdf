import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank } from '@tapeloom/core/numbers';
import { allocateBatch, type WritableTradeBatch } from '@tapeloom/core/trade-batch';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { seededRandom } from '../../../../../../simulation/clock/seeded-random.ts';
import { SimDisk } from '../../../../../../simulation/disk/sim-disk.ts';
import { DATASET, TAPE_ROOT, tapeRows } from '../../../../testing/tape/tape-on-sim-disk.ts';
import { verifyTape } from '../../inspect/verify-tape.ts';
import { readSidecar } from '../../read/sealed-days.ts';
import { NO_LIVE_DAYS, TapeReader } from '../../read/tape-reader.ts';
import { DayConflictError, TapeDamagedError } from '../../tape-errors.ts';
import { readEpochColumn, writeEpochColumn } from './epoch-column.ts';
import { sealDay } from './seal.ts';

const DAY = utcDay(20_260_105);
const SYMBOL = 'ESZ6';
const ARROW = `${TAPE_ROOT}/${DATASET}/days/${SYMBOL}/${DAY}.arrow`;
const SIDECAR = `${TAPE_ROOT}/${DATASET}/days/${SYMBOL}/${DAY}.json`;

function makeDay(count: number, seed = 1): WritableTradeBatch {
  const random = seededRandom(seed);
  const batch = allocateBatch(DAY, 1 as Rank, count);
  batch.count = count;
  let ts = 0;
  for (let row = 0; row < count; row++) {
    if (random() < 0.5) ts += Math.floor(random() * ((2 * DAY_NS) / (count + 1)));
    batch.ts[row] = Math.min(ts, DAY_NS - 1);
    batch.price[row] = -30 + Math.floor(random() * 60);
    batch.size[row] = 1 + Math.floor(random() * 2 ** 31 * random() ** 9);
    batch.side[row] = Math.floor(random() * 3) - 1;
  }
  return batch;
}

const request = (batch: WritableTradeBatch) => ({ dataset: DATASET, symbol: SYMBOL, batch });
const read = (machine: SimDisk) =>
  tapeRows(new TapeReader(machine.boot(), TAPE_ROOT, DATASET, NO_LIVE_DAYS), SYMBOL);

async function findings(machine: SimDisk): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const event of verifyTape(machine.boot(), TAPE_ROOT)) {
    if (event.type === 'finding') found.push(`${event.file}: ${event.what}`);
  }
  return found;
}

test('times survive the way to 64 bits and back exactly', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: DAY_NS - 1 })),
      // On two of these days the upper 12 bits change.
      fc.constantFrom(19_700_101, 20_260_105, 20_261_019, 20_261_210, 20_991_231),
      (values, yyyymmdd) => {
        const day = utcDay(yyyymmdd);
        const stamps = new BigInt64Array(values.length);
        const halves = new Uint32Array(stamps.buffer);
        writeEpochColumn(day, Float64Array.from(values), 0, values.length, halves);
        assert.deepEqual(
          [...stamps],
          values.map((ns) => epochNs(day, ns)),
        );
        assert.deepEqual([...readEpochColumn(day, halves)], values);
      },
    ),
    { numRuns: 300 },
  );
});

test('a sealed day reads back trade by trade, from any rank to any rank', async () => {
  const machine = new SimDisk();
  const batch = makeDay(70_001);
  await sealDay(machine.boot(), TAPE_ROOT, request(batch));
  const rows = await read(machine);
  assert.equal(rows.length, batch.count);
  for (const [row, [day, rank, ts, price, size, side]] of rows.entries()) {
    if (rank !== row + 1 || ts !== batch.ts[row] || price !== batch.price[row])
      assert.fail(`row ${row}`);
    if (day !== DAY || size !== batch.size[row] || side !== batch.side[row])
      assert.fail(`row ${row}`);
  }
  const tape = new TapeReader(machine.boot(), TAPE_ROOT, DATASET, NO_LIVE_DAYS);
  for (const [from, to] of [
    [0, 1],
    [32_767, 32_769],
    [32_768, 65_536],
    [70_000, 99_999],
    [70_001, 80_000],
    [5, 5],
  ] as const) {
    const ranks: number[] = [];
    const place = (rank: number) => ({ day: DAY, rank: rank as Rank });
    for await (const { firstRank, count, ts } of tape.read(SYMBOL, place(from), place(to))) {
      assert.equal(ts[0], batch.ts[firstRank - 1]);
      for (let row = 0; row < count; row++) ranks.push(firstRank + row);
    }
    const end = Math.min(to, batch.count);
    assert.deepEqual(
      ranks,
      Array.from({ length: Math.max(0, end - from) }, (_, row) => from + row + 1),
    );
  }
});

test('a day that is known is read up to its end without a look at the directory', async () => {
  const machine = new SimDisk();
  const batch = makeDay(3);
  await sealDay(machine.boot(), TAPE_ROOT, request(batch));
  const disk = machine.boot();
  let looks = 0;
  const list = disk.list.bind(disk);
  disk.list = (path) => {
    looks += 1;
    return list(path);
  };
  const tape = new TapeReader(disk, TAPE_ROOT, DATASET, NO_LIVE_DAYS);
  await tape.days(SYMBOL);
  assert.equal(looks, 1);
  const midnight = (day: typeof DAY) => ({ day, rank: 0 as Rank });
  for (const to of [midnight(addDays(DAY, 1)), { day: DAY, rank: 3 as Rank }]) {
    let trades = 0;
    for await (const { count } of tape.read(SYMBOL, midnight(DAY), to)) trades += count;
    assert.equal(trades, 3);
  }
  assert.equal(await tape.rankBefore(SYMBOL, DAY, DAY_NS), 3);
  assert.equal(looks, 1);
});

test('the rank before a time is the number of trades earlier than it', async () => {
  const machine = new SimDisk();
  const batch = makeDay(66_000);
  await sealDay(machine.boot(), TAPE_ROOT, request(batch));
  const tape = new TapeReader(machine.boot(), TAPE_ROOT, DATASET, NO_LIVE_DAYS);
  const edges = [0, 1, 32_767, 32_768, 32_769, 65_535, 65_999].map((row) => batch.ts[row]!);
  for (const ns of [0, ...edges, ...edges.map((ns) => ns + 1), DAY_NS]) {
    const earlier = batch.ts.findIndex((ts) => ts >= ns);
    assert.equal(await tape.rankBefore(SYMBOL, DAY, ns), earlier < 0 ? batch.count : earlier);
  }
});

test('the file is Arrow as others read it, with the uncompressed length before every buffer', async () => {
  const machine = new SimDisk();
  const batch = makeDay(40_000);
  const late = new Float64Array(batch.count);
  late[7] = 123_456_789_012;
  late[39_999] = 1;
  await sealDay(machine.boot(), TAPE_ROOT, { ...request(batch), late });
  const bytes = machine.bytes(ARROW)!;
  const table = tableFromIPC(bytes);
  assert.equal(table.numRows, 40_000);
  assert.deepEqual(
    table.schema.fields.map(({ name, type }) => `${name} ${type}`),
    ['ts Timestamp<NANOSECOND, UTC>', 'price Int32', 'size Int32', 'side Int8', 'late Int64'],
  );
  assert.equal(table.schema.metadata.get('symbol'), SYMBOL);
  const lates = table.getChild('late')!;
  assert.deepEqual([lates.get(6), lates.get(7), lates.get(39_999)], [0n, 123_456_789_012n, 1n]);
  const stamps = table
    .getChild('ts')!
    .data.flatMap((data) => [...data.values.subarray(0, data.length)]);
  assert.deepEqual(
    stamps,
    [...batch.ts].map((ns) => epochNs(DAY, ns)),
  );
  const { batches } = (await readSidecar(machine.boot(), SIDECAR))!;
  const wanted = [8, 4, 4, 1, 8];
  for (const { offset, rows, buffers } of batches) {
    for (const [column, [at]] of buffers.entries()) {
      const length = Number(new DataView(bytes.buffer, offset + at, 8).getBigInt64(0, true));
      assert.ok(
        length === -1 || (length >= rows * wanted[column]! && length < rows * wanted[column]! + 64),
      );
    }
  }
});

test('an empty day is a file with no rows: complete and empty', async () => {
  const machine = new SimDisk();
  await sealDay(machine.boot(), TAPE_ROOT, request(makeDay(0)));
  assert.equal(tableFromIPC(machine.bytes(ARROW)!).numRows, 0);
  const tape = new TapeReader(machine.boot(), TAPE_ROOT, DATASET, NO_LIVE_DAYS);
  const [{ digest, ...day } = { digest: null }] = await tape.days(SYMBOL);
  assert.deepEqual(day, { day: DAY, trades: 0, state: 'sealed' });
  assert.match(digest!, /^[0-9a-f]{64}$/);
  assert.equal(await tape.rankBefore(SYMBOL, DAY, DAY_NS), 0);
  assert.equal(await tape.rankBefore(SYMBOL, addDays(DAY, 1), DAY_NS), 0);
  assert.deepEqual(await findings(machine), []);
});

test('sealing the same trades again changes nothing, other trades are refused', async () => {
  const machine = new SimDisk();
  await sealDay(machine.boot(), TAPE_ROOT, request(makeDay(500)));
  const before = machine.bytes(SIDECAR)!;
  await sealDay(machine.boot(), TAPE_ROOT, request(makeDay(500)));
  assert.deepEqual(machine.bytes(SIDECAR), before);
  await assert.rejects(
    sealDay(machine.boot(), TAPE_ROOT, request(makeDay(500, 2))),
    DayConflictError,
  );
  assert.deepEqual(machine.bytes(SIDECAR), before);
});

test('a day is sealed whole or not at all, wherever power fails, and can then be sealed [SEC-33]', async () => {
  const batch = makeDay(300);
  for (let operation = 0; operation < 24; operation++) {
    for (const seed of [null, 1, 2, 3]) {
      const machine = new SimDisk();
      let left = operation;
      machine.faults = () => (left-- === 0 ? 'halt' : null);
      const disk = machine.boot();
      const sealing = sealDay(disk, TAPE_ROOT, request(batch)).then(() => true);
      const isDone = await Promise.race([sealing, machine.halted.then(() => false)]);
      machine.faults = () => null;
      machine.crash(seed === null ? null : seededRandom(seed));
      if (isDone) assert.notEqual(machine.bytes(SIDECAR), null);
      if (machine.bytes(SIDECAR) !== null) assert.equal((await read(machine)).length, 300);
      await sealDay(machine.boot(), TAPE_ROOT, request(batch));
      assert.equal((await read(machine)).length, 300);
    }
  }
});

test('a flipped bit anywhere in a sealed day is found, and never read as a trade [SEC-32]', async () => {
  const machine = new SimDisk();
  await sealDay(machine.boot(), TAPE_ROOT, request(makeDay(60)));
  const expected = await read(machine);
  for (const path of [ARROW, SIDECAR]) {
    const size = machine.bytes(path)!.length;
    for (let position = 0; position < size; position++) {
      machine.flip(path, position, position % 8);
      assert.ok((await findings(machine)).length > 0, `${path} byte ${position}`);
      try {
        assert.deepEqual(await read(machine), expected);
      } catch (error) {
        assert.ok(error instanceof TapeDamagedError, `${path} byte ${position}: ${error}`);
        assert.ok(error.message.includes(`${DAY}.`));
      }
      machine.flip(path, position, position % 8);
    }
  }
  assert.deepEqual(await findings(machine), []);
});

test('a sealed file that was cut or is missing is found', async () => {
  const machine = new SimDisk();
  await sealDay(machine.boot(), TAPE_ROOT, request(makeDay(60)));
  const bytes = machine.bytes(ARROW)!;
  machine.put(ARROW, bytes.slice(0, 700));
  assert.ok((await findings(machine)).length > 0);
  await assert.rejects(read(machine), TapeDamagedError);
  await machine.boot().remove(ARROW);
  assert.match((await findings(machine))[0]!, /is missing/);
  machine.put(ARROW, bytes);
  await machine.boot().remove(SIDECAR);
  assert.match((await findings(machine))[0]!, /has no sidecar/);
});
