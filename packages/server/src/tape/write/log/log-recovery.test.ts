import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { seededRandom } from '../../../../../../simulation/clock/seeded-random.ts';
import { SimDisk } from '../../../../../../simulation/disk/sim-disk.ts';
import { TapeDamagedError } from '../../tape-errors.ts';
import type { LoggedNote } from '../notes/logged-note.ts';
import { DayLog } from './day-log.ts';
import type { Commit, CommitSection, HeldTrade, Opening } from './log-payload.ts';
import { type LogRecovery, readLog, recoverLog } from './log-recovery.ts';

const PATH = '/log/20260105.log';
const OPENING: Opening = {
  dataset: 'SIM',
  day: utcDay(20_260_105),
  promiseNs: 0,
  contracts: [{ symbol: 'ESZ6', highestId: 41, windowBits: new Uint8Array(512).fill(3) }],
  held: [held(7), held(-8)],
  notes: [
    { kind: 'position', key: 'feed', text: 'ä 12' },
    { kind: 'batch', id: 'b1', digest: 'd1' },
    gap(5, null),
  ],
};

function gap(from: number, to: number | null): LoggedNote {
  const at = (ns: number) => epochNs(utcDay(20_260_105), ns);
  const end = to === null ? null : at(to);
  const numbers = { firstId: to, lastId: 2 ** 53 - 1 };
  const found = { symbol: 'ESZ6', from: at(from), to: end, ...numbers, reason: 'no connection' };
  return { kind: 'gap', gap: found, asked: at(from - 1) };
}

function held(price: number): HeldTrade {
  const day = utcDay(20_260_107);
  return { symbol: 'NQZ6', day, id: 2 ** 50, ts: 86_399e9, price, size: 2 ** 31 - 1, side: -1 };
}

function section(firstRank: number, count: number, isLate = false): CommitSection {
  return {
    index: 0,
    firstRank,
    count,
    ts: Float64Array.from({ length: count }, (_, row) => (firstRank + row) * 1_000),
    firstId: 41 + firstRank,
    id: isLate ? Float64Array.from({ length: count }, (_, row) => 41 + firstRank + 2 * row) : null,
    late: isLate ? new Float64Array(count).fill(17) : null,
    price: Int32Array.from({ length: count }, (_, row) => -20_000 - row),
    size: new Int32Array(count).fill(3),
    side: new Int8Array(count),
  };
}

/** A log with commits of these row counts; returns the start of each record, and the end. */
async function writeLog(
  machine: SimDisk,
  counts: readonly number[],
  isClosed = false,
): Promise<number[]> {
  const disk = machine.boot();
  await disk.makeDirectory('/log');
  await using log = await DayLog.create(disk, PATH, OPENING);
  const starts = [0];
  let rank = 1;
  for (const [index, count] of counts.entries()) {
    starts.push(log.bytes);
    const sections = count === 0 ? [] : [section(rank, count, index % 2 === 1)];
    await log.append('commit', {
      promiseNs: rank * 1_000,
      contracts: [],
      sections,
      held: [],
      notes: count === 0 ? [gap(4_000, 9_000)] : [],
    });
    rank += count;
  }
  if (isClosed) {
    starts.push(log.bytes);
    await log.close();
  }
  starts.push(log.bytes);
  return starts;
}

async function recover(
  machine: SimDisk,
): Promise<LogRecovery & { readonly ranks: readonly number[] }> {
  const ranks: number[] = [];
  const recovery = await recoverLog(machine.boot(), PATH, {
    opening: (opening) => assert.deepEqual(opening, OPENING),
    commit: ({ sections }: Commit) => {
      for (const { firstRank, count } of sections) {
        for (let row = 0; row < count; row++) ranks.push(firstRank + row);
      }
      return true;
    },
  });
  return { ...recovery, ranks };
}

test('a log reads back exactly as it was written', async () => {
  const machine = new SimDisk();
  const starts = await writeLog(machine, [3, 0, 100], true);
  const commits: Commit[] = [];
  const recovery = await readLog(machine.boot(), PATH, {
    opening: (opening) => assert.deepEqual(opening, OPENING),
    commit: (commit) => commits.push(structuredClone(commit)) > 0,
  });
  assert.deepEqual(commits, [
    { promiseNs: 1_000, contracts: [], sections: [section(1, 3)], held: [], notes: [] },
    { promiseNs: 4_000, contracts: [], sections: [], held: [], notes: [gap(4_000, 9_000)] },
    { promiseNs: 4_000, contracts: [], sections: [section(4, 100)], held: [], notes: [] },
  ]);
  assert.equal(recovery.closed, true);
  assert.equal(recovery.tornBytes, 0);
  assert.equal(recovery.promiseNs, 4_000);
  assert.equal(recovery.end.bytes, starts.at(-1));
});

test('a log longer than the reader holds at a time reads back whole, torn or not', async () => {
  const machine = new SimDisk();
  const starts = await writeLog(
    machine,
    [60_000, 3, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000],
  );
  const whole = machine.bytes(PATH)!;
  assert.ok(whole.length > 9 * 1024 * 1024);
  assert.equal((await recover(machine)).ranks.length, 420_003);
  machine.put(PATH, whole.slice(0, -5));
  const { ranks, tornBytes } = await recover(machine);
  assert.equal(ranks.length, 360_003);
  assert.equal(tornBytes, whole.length - 5 - starts.at(-2)!);
});

test('a log cut at every byte of its last record is repaired to the last whole one [SEC-32]', async () => {
  const machine = new SimDisk();
  const starts = await writeLog(machine, [5, 2, 40]);
  const whole = machine.bytes(PATH)!;
  const lastStart = starts.at(-2)!;
  for (let size = lastStart; size < whole.length; size++) {
    machine.put(PATH, whole.slice(0, size));
    const recovery = await recover(machine);
    assert.equal(recovery.tornBytes, size - lastStart);
    assert.equal(recovery.end.bytes, lastStart);
    assert.equal(recovery.ranks.length, 7);
    assert.equal(machine.bytes(PATH)!.length, lastStart);
    assert.equal((await recover(machine)).tornBytes, 0);
  }
});

test('a flipped bit anywhere in a log is found and named, and nothing is cut [SEC-32]', async () => {
  for (const isClosed of [false, true]) {
    const machine = new SimDisk();
    const starts = await writeLog(machine, [5, 0, 2, 30], isClosed);
    const whole = machine.bytes(PATH)!;
    for (let position = 0; position < whole.length; position++) {
      const bit = position % 8;
      machine.flip(PATH, position, bit);
      await assert.rejects(recover(machine), (error) => {
        assert.ok(error instanceof TapeDamagedError, `byte ${position}: ${error}`);
        const record = starts.findLastIndex((start) => start <= position);
        assert.equal(error.file, PATH);
        assert.equal(error.record, record);
        assert.equal(error.offset, starts[record]);
        return true;
      });
      assert.equal(machine.bytes(PATH)!.length, whole.length);
      machine.flip(PATH, position, bit);
    }
    assert.equal((await recover(machine)).ranks.length, 37);
  }
});

test('a last record with sectors that never reached the disk is cut, one with a flipped bit is not [SEC-32]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 300 }), async (seed, count) => {
      const machine = new SimDisk();
      const starts = await writeLog(machine, [4, count]);
      const whole = machine.bytes(PATH)!;
      const random = seededRandom(seed);
      const start = starts.at(-2)!;
      const torn = whole.slice();
      let isTorn = false;
      for (let from = start; from < torn.length; ) {
        const to = Math.min((Math.floor(from / 512) + 1) * 512, torn.length);
        if (random() < 0.4) {
          isTorn ||= torn.subarray(from, to).some((byte) => byte !== 0);
          torn.fill(0, from, to);
        }
        from = to;
      }
      machine.put(PATH, torn);
      const recovery = await recover(machine);
      assert.equal(recovery.tornBytes, isTorn ? whole.length - start : 0);
      assert.equal(recovery.ranks.length, isTorn ? 4 : 4 + count);
    }),
    { numRuns: 200 },
  );
});

test('damage in the middle refuses, though only zeros are missing [SEC-32]', async () => {
  const machine = new SimDisk();
  const starts = await writeLog(machine, [100, 100, 1]);
  const bytes = machine.bytes(PATH)!;
  bytes.fill(0, starts[2], starts[2]! + 1_024);
  machine.put(PATH, bytes);
  await assert.rejects(recover(machine), { name: 'Error', record: 2, offset: starts[2] });
});

test('a record that is missing, doubled or moved breaks the chain [SEC-32]', async () => {
  const machine = new SimDisk();
  const starts = await writeLog(machine, [2, 2, 2]);
  const bytes = machine.bytes(PATH)!;
  const records = starts.slice(0, -1).map((start, index) => bytes.slice(start, starts[index + 1]));
  for (const order of [
    [0, 1, 3],
    [0, 1, 1, 2, 3],
    [0, 2, 1, 3],
    [1, 2, 3],
  ]) {
    machine.put(PATH, Buffer.concat(order.map((index) => records[index]!)));
    await assert.rejects(recover(machine), TapeDamagedError);
  }
});

test('an empty log or one of zeros is damage, since a log appears under its name only when whole [SEC-33]', async () => {
  const machine = new SimDisk();
  for (const bytes of [new Uint8Array(0), new Uint8Array(4_096)]) {
    machine.put(PATH, bytes);
    await assert.rejects(recover(machine), TapeDamagedError);
  }
});

test('a record whose sync failed is made durable before anything is built upon it [SEC-31]', async () => {
  const machine = new SimDisk();
  const disk = machine.boot();
  await disk.makeDirectory('/log');
  await using log = await DayLog.create(disk, PATH, OPENING);
  machine.faults = (operation) => (operation === 'sync' ? 'fail' : null);
  const commit = {
    promiseNs: 5,
    contracts: [],
    sections: [section(1, 50)],
    held: [held(1)],
    notes: [gap(5, null)],
  };
  await assert.rejects(log.append('commit', commit), { name: 'Error' });
  machine.faults = () => null;
  await assert.rejects(log.append('commit', commit), /stopped/);
  // The process restarts on a machine that did not crash: the record can be read, though it never reached the disk. A
  // recovery that relies on it must not lose it at a later power failure.
  machine.kill();
  assert.equal((await recover(machine)).ranks.length, 50);
  machine.crash();
  assert.equal((await recover(machine)).ranks.length, 50);
});

test('a new log is whole under its name or not there at all, wherever power fails [SEC-33]', async () => {
  for (let operation = 0; operation < 12; operation++) {
    for (const seed of [null, 1, 2, 3, 4, 5]) {
      const machine = new SimDisk();
      await machine.boot().makeDirectory('/log');
      let left = operation;
      machine.faults = () => (left-- === 0 ? 'halt' : null);
      const disk = machine.boot();
      const written = DayLog.create(disk, PATH, OPENING).then(() => true);
      const isDone = await Promise.race([written, machine.halted.then(() => false)]);
      machine.faults = () => null;
      machine.crash(seed === null ? null : seededRandom(seed));
      if (isDone) assert.notEqual(machine.bytes(PATH), null);
      if (machine.bytes(PATH) !== null) assert.equal((await recover(machine)).tornBytes, 0);
    }
  }
});
