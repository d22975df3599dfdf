import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UtcDay } from '@tapeloom/core/numbers';
import { type SharedNode, SharedWorld } from '../../../../testing/tape/shared-nodes.ts';
import { DATASET, TAPE_ROOT } from '../../../../testing/tape/tape-on-sim-disk.ts';
import { type Disk, readFileWhole, replaceFile } from '../../../platform/disk/disk.ts';
import { sealedPath, sidecarPath } from '../../tape-paths.ts';

const PACE = { batchRowsMax: 5, offersPerDay: 10 };
const FIRST = 20_000_101 as UtcDay;
const LAST = 21_000_101 as UtcDay;

/** A cluster with some sealed days, and a node without any of them. */
async function joined(seed: number): Promise<{ world: SharedWorld; nodes: readonly SharedNode[] }> {
  const world = new SharedWorld(seed, PACE, 120);
  const first = world.node('a');
  await first.start();
  await world.until('all is fed', () => world.isFed);
  await world.time.pass(5_000);
  const second = world.node('b', false);
  return { world, nodes: [first, second] };
}

function daysOf(node: SharedNode, symbol: string): UtcDay[] {
  return Object.keys(node.tape!.book.days[symbol]!).map((day) => Number(day) as UtcDay);
}

test('a day that somebody asks for comes before all others', async () => {
  const { world, nodes } = await joined(31);
  const [first, second] = nodes as [SharedNode, SharedNode];
  const oldest = daysOf(first, 'NQZ6').sort((a, b) => a - b)[0]!;
  world.objects.isOutOfReach = true;
  const opening = second.start();
  world.objects.isOutOfReach = false;
  await opening;
  const asked = second.tape!.want('NQZ6', oldest, oldest);
  assert.equal(await world.time.until(asked), 'here');
  const place = second.fetched.indexOf(`NQZ6 ${oldest}`);
  assert.ok(place >= 0 && place <= 1, `it was number ${place}`);
  await world.assertEqual(first, second);
  assert.equal(await world.time.until(second.tape!.want('NQZ6', FIRST, LAST)), 'none');
  assert.equal(second.tape!.report.daysToCome, 0);
});

test('a day that cannot be had is told as one that is still to come, and does not keep others away', async () => {
  const { world, nodes } = await joined(32);
  const [first, second] = nodes as [SharedNode, SharedNode];
  const newest = daysOf(first, 'ESZ6').sort((a, b) => b - a)[0]!;
  const { object } = first.tape!.book.days.ESZ6![newest]!;
  const bytes = world.objects.kept.get(object)!;
  world.objects.kept.delete(object);
  await second.start();
  assert.equal(await world.time.until(second.tape!.want('ESZ6', newest, newest)), 'coming');
  assert.equal(second.tape!.report.daysToCome, 1);
  assert.equal(await world.time.until(second.tape!.want('NQZ6', FIRST, LAST)), 'none');
  world.objects.kept.set(object, bytes);
  await world.assertEqual(first, second);
});

test('of many who ask at once for a day that does not come, some wait and the others are told at once', async () => {
  const { world, nodes } = await joined(33);
  const [first, second] = nodes as [SharedNode, SharedNode];
  const newest = daysOf(first, 'ESZ6').sort((a, b) => b - a)[0]!;
  world.objects.kept.delete(first.tape!.book.days.ESZ6![newest]!.object);
  await second.start();
  const waiting = Array.from({ length: 64 }, () => second.tape!.want('ESZ6', newest, newest));
  assert.equal(await second.tape!.want('ESZ6', newest, newest), 'coming');
  const told = await world.time.until(Promise.all(waiting));
  assert.deepEqual(new Set(told), new Set(['coming']));
  const again = second.tape!.want('ESZ6', newest, newest);
  assert.equal(await Promise.race([again, Promise.resolve('it waits')]), 'it waits');
  assert.equal(await world.time.until(again), 'coming');
});

for (const damage of ['flipped', 'cut', 'sidecar', 'gone'] as const) {
  test(`a sealed day that is ${damage} is missing, named, and fetched again and checked`, async () => {
    const { world, nodes } = await joined(34);
    const [first] = nodes as [SharedNode];
    let disk!: Disk;
    const second = world.node('c', false, { opened: (_tape, place) => ({ disk } = place) });
    await second.start();
    await world.assertEqual(first, second);
    const day = daysOf(first, 'ESZ6').sort((a, b) => b - a)[0]!;
    const place = [TAPE_ROOT, DATASET, 'ESZ6', day] as const;
    assert.equal(await second.tape!.check('ESZ6', day), true);
    const path = damage === 'sidecar' ? sidecarPath(...place) : sealedPath(...place);
    const bytes = (await readFileWhole(disk, path))!;
    if (damage === 'gone') {
      await disk.remove(path);
      await disk.remove(sidecarPath(...place));
    } else {
      bytes[bytes.length >> 1]! ^= 4;
      await replaceFile(disk, path, damage === 'cut' ? bytes.subarray(0, -100) : bytes);
    }
    world.objects.isOutOfReach = true;
    assert.equal(await second.tape!.check('ESZ6', day), false);
    assert.equal(second.tape!.manifest.isMissing('ESZ6', day), true);
    assert.deepEqual(second.tape!.report.daysDamaged, [{ symbol: 'ESZ6', day }]);
    assert.deepEqual(
      second.tape!.missingDays.map((part) => [part.symbol, part.day]),
      [['ESZ6', day]],
    );
    world.objects.isOutOfReach = false;
    await world.time.pass(5_000);
    assert.equal(await second.tape!.check('ESZ6', day), true);
    assert.equal(second.tape!.report.daysDamaged, undefined);
    await world.assertEqual(first, second);
  });
}
