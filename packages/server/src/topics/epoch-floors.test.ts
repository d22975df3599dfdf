import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, parseCursor } from '@tapeloom/core/cursor';
import { rank, type UtcDay } from '@tapeloom/core/numbers';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import type { Disk } from '../platform/disk/disk.ts';
import {
  brokenBy,
  type Computations,
  formatEpochs,
  parseEpochs,
  type StreamEpochs,
  withRepair,
} from './epoch-floors.ts';
import { EpochStore } from './epoch-store.ts';

const DAY = utcDay(20261112);
const FILE = '/data/stream-epochs.json';
const ES = { contract: 'ESZ6', indicator: 'bars' };
const TPO = { ...ES, indicator: 'tpo' };

function cursor(text: string): Cursor {
  return parseCursor(text)!;
}

async function write(disk: Disk, text: string): Promise<void> {
  await using file = await disk.open(FILE, 'create');
  await file.write(new TextEncoder().encode(text), 0);
}

async function dataDirectory(): Promise<SimDisk> {
  const machine = new SimDisk();
  await machine.boot().makeDirectory('/data');
  return machine;
}

/** With `bars` of this computation, and `tpo` unchanged. */
async function open(disk: Disk, bars: string, lastRank = 7): Promise<EpochStore> {
  return await openWith(disk, { bars, tpo: 'one' }, lastRank);
}

async function openWith(disk: Disk, computations: Computations, lastRank = 7): Promise<EpochStore> {
  const ends = new Map([['ESZ6', { day: DAY, rank: rank(lastRank) }]]);
  return await EpochStore.open({
    disk,
    directory: '/data',
    computations,
    tapeEnds: () => Promise.resolve(ends),
  });
}

test('the first start forbids nothing, and nor does the next one with the same computation', async () => {
  const machine = await dataDirectory();
  assert.deepEqual((await open(machine.boot(), 'one')).start, { t: 'first' });
  const again = await open(machine.boot(), 'one');
  assert.deepEqual(again.start, { t: 'same' });
  assert.deepEqual(again.epochs, { computations: { bars: 'one', tpo: 'one' }, floors: [] });
});

test('a new version of an indicator breaks exactly its own cursors issued before, and says so for ever [DET-23]', async () => {
  const machine = await dataDirectory();
  await open(machine.boot(), 'one');
  const { start } = await open(machine.boot(), 'two');
  assert.deepEqual(start, { t: 'changed', indicators: ['bars'] });
  machine.crash();
  const store = await open(machine.boot(), 'two', 99);
  assert.deepEqual(store.start, { t: 'same' });
  const { floors } = store.epochs;
  for (const text of ['20261111.5.1', '20261112.7.0', '20261112.7.4294967295']) {
    assert.equal(brokenBy(floors, ES, cursor(text)), 'engine_changed', text);
  }
  for (const text of ['20261112.8.0', '20261112.9.1', '20261113.0.0']) {
    assert.equal(brokenBy(floors, ES, cursor(text)), null, text);
  }
  assert.equal(brokenBy(floors, { ...ES, contract: 'NQZ6' }, cursor('20261111.5.1')), null);
  assert.equal(brokenBy(floors, TPO, cursor('20261111.5.1')), null);
});

test('an indicator that is new, away or back is known by what last issued its cursors [DET-23]', async () => {
  const machine = await dataDirectory();
  await openWith(machine.boot(), { bars: 'one' });
  const added = await open(machine.boot(), 'one');
  assert.deepEqual([added.start, added.epochs.floors], [{ t: 'same' }, []]);
  assert.deepEqual((await openWith(machine.boot(), { bars: 'one' })).start, { t: 'same' });
  const back = await openWith(machine.boot(), { bars: 'one', tpo: 'two' });
  assert.deepEqual(back.start, { t: 'changed', indicators: ['tpo'] });
  assert.equal(brokenBy(back.epochs.floors, TPO, cursor('20261112.7.1')), 'engine_changed');
  assert.equal(brokenBy(back.epochs.floors, ES, cursor('20261112.7.1')), null);
});

test('a file with one name for all computations is as good as that name is each one’s [DET-23]', async () => {
  const machine = await dataDirectory();
  const floor = { ...TPO, cursor: '20261112.5.0', reason: 'source_gap' };
  await write(machine.boot(), JSON.stringify({ version: 1, fingerprint: 'one', floors: [floor] }));
  const same = await open(machine.boot(), 'one');
  assert.deepEqual([same.start, same.epochs.floors], [{ t: 'same' }, [floor]]);
  const raised = await open(machine.boot(), 'two');
  assert.deepEqual(raised.start, { t: 'changed', indicators: ['bars'] });
  assert.equal(brokenBy(raised.epochs.floors, ES, cursor('20261112.7.1')), 'engine_changed');
  assert.equal(brokenBy(raised.epochs.floors, TPO, cursor('20261112.7.1')), null);
  assert.equal(brokenBy(raised.epochs.floors, TPO, cursor('20261112.4.1')), 'source_gap');
  assert.deepEqual((await open(machine.boot(), 'two')).start, { t: 'same' });
});

test('a repair of the tape breaks the cursors of its contract, and the highest floor gives the reason [DET-23]', async () => {
  const machine = await dataDirectory();
  await open(machine.boot(), 'one');
  const store = await open(machine.boot(), 'two');
  const repaired = addDays(DAY, -1);
  await store.recordRepair('ESZ6', { day: DAY, rank: rank(20) }, repaired);
  await store.recordRepair('ESZ6', { day: DAY, rank: rank(15) }, repaired);
  const { floors } = (await open(machine.boot(), 'two')).epochs;
  assert.equal(floors.length, 2);
  assert.equal(brokenBy(floors, ES, cursor('20261112.3.1')), 'source_gap');
  assert.equal(brokenBy(floors, ES, cursor('20261112.20.9')), 'source_gap');
  assert.equal(brokenBy(floors, ES, cursor('20261112.21.0')), null);
  // Only cursors that the day matters to; a floor of the computation counts for all.
  const no = (day: UtcDay) => day !== repaired;
  assert.equal(brokenBy(floors, ES, cursor('20261112.20.9'), no), null);
  assert.equal(brokenBy(floors, ES, cursor('20261112.3.1'), no), 'engine_changed');
});

test('repairs of different days count each, and long past ones are forgotten', async () => {
  const store = await open((await dataDirectory()).boot(), 'one');
  const days = [-500, -3, -2].map((count) => addDays(DAY, count));
  for (const day of days) await store.recordRepair('ESZ6', { day: DAY, rank: rank(20) }, day);
  assert.deepEqual(
    store.epochs.floors.map((floor) => floor.day),
    days.slice(1),
  );
});

test('many days that are repaired at once are one floor, below which no cursor of the contract is good', async () => {
  const store = await open((await dataDirectory()).boot(), 'one');
  const days = Array.from({ length: 33 }, (_, index) => addDays(DAY, -index));
  await store.recordRepair('ESZ6', { day: DAY, rank: rank(20) }, ...days.slice(1));
  assert.equal(store.epochs.floors.length, 32);
  await store.recordRepair('ESZ6', { day: DAY, rank: rank(21) }, ...days);
  const { floors } = store.epochs;
  assert.equal(floors.length, 33);
  assert.equal(
    brokenBy(floors, ES, cursor('20261112.21.1'), () => false),
    'source_gap',
  );
  assert.equal(
    brokenBy(floors, ES, cursor('20261112.22.0'), () => true),
    null,
  );
});

test('floors of one indicator leave the others alone', () => {
  const floor = {
    contract: 'ESZ6',
    indicator: 'tpo',
    cursor: '20261112.8.0',
    reason: 'engine_changed',
  };
  const text = JSON.stringify({ version: 2, computations: {}, floors: [floor] });
  const { floors } = parseEpochs(text, [])!;
  assert.equal(brokenBy(floors, ES, cursor('20261112.3.1')), null);
  assert.equal(brokenBy(floors, TPO, cursor('20261112.3.1')), 'engine_changed');
});

test('a file that cannot be read breaks everything issued before, and is replaced [DET-23]', async () => {
  for (const text of [
    '',
    '{',
    '[]',
    '{"version":2}',
    '{"version":1,"floors":[]}',
    '{"version":1,"fingerprint":"one","floors":[1]}',
    '{"version":2,"computations":{"bars":1},"floors":[]}',
    '{"version":2,"computations":["one"],"floors":[]}',
    '{"version":3,"computations":{"bars":"one"},"floors":[]}',
  ]) {
    const machine = await dataDirectory();
    const disk = machine.boot();
    await write(disk, text);
    const store = await open(disk, 'one');
    assert.deepEqual(store.start, { t: 'unreadable' });
    assert.equal(brokenBy(store.epochs.floors, ES, cursor('20261112.7.3')), 'engine_changed');
    assert.equal(brokenBy(store.epochs.floors, TPO, cursor('20261112.7.3')), 'engine_changed');
    assert.deepEqual((await open(disk, 'one')).start, { t: 'same' });
  }
});

test('a crash while the epochs are written leaves the old ones or the new, and then no cursor was issued', async () => {
  for (const operation of ['open', 'write', 'sync', 'rename', 'syncDirectory'] as const) {
    const machine = await dataDirectory();
    await open(machine.boot(), 'one');
    machine.faults = (at) => (at === operation ? 'fail' : null);
    const disk = machine.boot();
    // Reading opens a file too, so that a fault there fails the start earlier.
    await assert.rejects(open(disk, 'two'), operation);
    machine.faults = () => null;
    machine.crash();
    const after = await open(machine.boot(), 'two');
    assert.equal(brokenBy(after.epochs.floors, ES, cursor('20261112.7.1')), 'engine_changed');
  }
});

test('what is written is read back, and repairs only ever raise a floor', () => {
  const repair = fc.record({ contract: fc.constantFrom('A', 'B'), rank: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(repair), (repairs) => {
      let epochs: StreamEpochs = { computations: { bars: 'é' }, floors: [] };
      for (const it of repairs) {
        epochs = withRepair(epochs, it.contract, { day: DAY, rank: rank(it.rank) }, DAY);
      }
      assert.deepEqual(parseEpochs(formatEpochs(epochs), []), { ...epochs });
      for (const contract of ['A', 'B']) {
        const ranks = repairs.filter((it) => it.contract === contract).map((it) => it.rank);
        const highest = Math.max(...ranks);
        const at = (value: number) => ({ day: DAY, rank: rank(Math.max(value, 0)), k: 9 });
        const stream = { contract, indicator: 'x' };
        const reason = ranks.length > 0 ? 'source_gap' : null;
        assert.equal(brokenBy(epochs.floors, stream, at(highest)), reason);
        assert.equal(brokenBy(epochs.floors, stream, at(Math.max(highest, 0) + 1)), null);
      }
    }),
  );
});
