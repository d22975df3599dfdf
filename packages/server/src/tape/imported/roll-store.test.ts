import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecidedRolls } from '@tapeloom/core/instrument/decided-rolls';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { readFileWhole } from '../../platform/disk/disk.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { RollStore } from './roll-store.ts';

const FILE = '/data/tape/GLBX/rolls.json';
const rolls = (through: number, ...list: [number, string][]): DecidedRolls => ({
  through: utcDay(through),
  rolls: list.map(([from, symbol]) => ({ from: utcDay(from), symbol })),
});
const FIRST = rolls(20260910, [20260901, 'ESU6']);
const NEXT = rolls(20260915, [20260901, 'ESU6'], [20260912, 'ESZ6']);

const VOLUMES = new Map([['ESU6', new Map([[utcDay(20260909), 100]])]]);

test('what was decided, and by which volumes, is read back after a crash', async () => {
  const machine = new SimDisk();
  const store = () => new RollStore(machine.boot(), '/data/tape', 'GLBX');
  assert.equal((await store().load()).size, 0);
  assert.deepEqual(await store().volumes(), new Map());
  await store().save(new Map([['ES.v.0', FIRST]]), null);
  machine.crash();
  assert.equal(await store().volumes(), null);
  const both = new Map([
    ['ES.v.0', NEXT],
    ['CL.v.0', FIRST],
  ]);
  await store().save(both, VOLUMES);
  machine.crash();
  assert.deepEqual(await store().load(), both);
  assert.deepEqual(await store().volumes(), VOLUMES);
});

test('a damaged file is refused', async () => {
  const disk = new SimDisk().boot();
  const store = new RollStore(disk, '/data/tape', 'GLBX');
  await store.save(new Map([['ES.v.0', NEXT]]), VOLUMES);
  const bytes = (await readFileWhole(disk, FILE))!;
  bytes[bytes.indexOf(0x55)]! ^= 1;
  await using file = await disk.open(FILE, 'create');
  await file.write(bytes, 0);
  await assert.rejects(store.load(), TapeDamagedError);
});
