import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, parseCursor } from '@tapeloom/core/cursor';
import { rank } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { SimDisk } from '../../../../simulation/sim-disk.ts';
import type { Disk } from '../platform/disk.ts';
import {
  brokenBy,
  formatEpochs,
  parseEpochs,
  type StreamEpochs,
  withRepair,
} from './epoch-floors.ts';
import { EpochStore } from './epoch-store.ts';

const DAY = utcDay(20261112);
const FILE = '/data/stream-epochs.json';
const ES = { contract: 'ESZ6', indicator: 'bars' };

function cursor(text: string): Cursor {
  return parseCursor(text)!;
}

async function dataDirectory(): Promise<SimDisk> {
  const machine = new SimDisk();
  await machine.boot().makeDirectory('/data');
  return machine;
}

async function open(disk: Disk, fingerprint: string, lastRank = 7): Promise<EpochStore> {
  const ends = new Map([['ESZ6', { day: DAY, rank: rank(lastRank) }]]);
  return await EpochStore.open({
    disk,
    directory: '/data',
    fingerprint,
    tapeEnds: () => Promise.resolve(ends),
  });
}

test('the first start forbids nothing, and nor does the next one with the same computation', async () => {
  const machine = await dataDirectory();
  assert.equal((await open(machine.boot(), 'one')).start, 'first');
  const again = await open(machine.boot(), 'one');
  assert.deepEqual([again.start, again.epochs], ['same', { fingerprint: 'one', floors: [] }]);
});

test('another computation breaks exactly the cursors issued before it, and says so for ever [DET-23]', async () => {
  const machine = await dataDirectory();
  await open(machine.boot(), 'one');
  assert.equal((await open(machine.boot(), 'two')).start, 'changed');
  machine.crash();
  const store = await open(machine.boot(), 'two', 99);
  assert.equal(store.start, 'same');
  const { floors } = store.epochs;
  for (const text of ['20261111.5.1', '20261112.7.0', '20261112.7.4294967295']) {
    assert.equal(brokenBy(floors, ES, cursor(text)), 'engine_changed', text);
  }
  for (const text of ['20261112.8.0', '20261112.9.1', '20261113.0.0']) {
    assert.equal(brokenBy(floors, ES, cursor(text)), null, text);
  }
  assert.equal(brokenBy(floors, { ...ES, contract: 'NQZ6' }, cursor('20261111.5.1')), null);
});

test('a repair of the tape breaks the cursors of its contract, and the highest floor gives the reason [DET-23]', async () => {
  const machine = await dataDirectory();
  await open(machine.boot(), 'one');
  const store = await open(machine.boot(), 'two');
  await store.recordRepair('ESZ6', { day: DAY, rank: rank(20) });
  await store.recordRepair('ESZ6', { day: DAY, rank: rank(15) });
  const { floors } = (await open(machine.boot(), 'two')).epochs;
  assert.equal(floors.length, 2);
  assert.equal(brokenBy(floors, ES, cursor('20261112.3.1')), 'source_gap');
  assert.equal(brokenBy(floors, ES, cursor('20261112.20.9')), 'source_gap');
  assert.equal(brokenBy(floors, ES, cursor('20261112.21.0')), null);
});

test('floors of one indicator leave the others alone', () => {
  const floor = {
    contract: 'ESZ6',
    indicator: 'tpo',
    cursor: '20261112.8.0',
    reason: 'engine_changed',
  };
  const { floors } = parseEpochs(JSON.stringify({ version: 1, fingerprint: '', floors: [floor] }))!;
  assert.equal(brokenBy(floors, ES, cursor('20261112.3.1')), null);
  const tpo = { ...ES, indicator: 'tpo' };
  assert.equal(brokenBy(floors, tpo, cursor('20261112.3.1')), 'engine_changed');
});

test('a file that cannot be read breaks everything issued before, and is replaced [DET-23]', async () => {
  for (const text of [
    '',
    '{',
    '[]',
    '{"version":2}',
    '{"version":1,"fingerprint":"one","floors":[1]}',
  ]) {
    const machine = await dataDirectory();
    const disk = machine.boot();
    {
      await using file = await disk.open(FILE, 'create');
      await file.write(new TextEncoder().encode(text), 0);
    }
    const store = await open(disk, 'one');
    assert.equal(store.start, 'unreadable');
    assert.equal(brokenBy(store.epochs.floors, ES, cursor('20261112.7.3')), 'engine_changed');
    assert.equal((await open(disk, 'one')).start, 'same');
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
      let epochs: StreamEpochs = { fingerprint: 'é', floors: [] };
      for (const it of repairs) {
        epochs = withRepair(epochs, it.contract, { day: DAY, rank: rank(it.rank) });
      }
      assert.deepEqual(parseEpochs(formatEpochs(epochs)), { ...epochs });
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
