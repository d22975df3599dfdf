import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_NS } from '@tapeloom/core/units';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import {
  at,
  csv,
  dbn,
  halfHours,
  imported,
  importText,
  MONDAY,
  NOW,
  rowsOn,
  TUESDAY,
  WEDNESDAY,
} from '../../testing/imports.ts';

test('whatever step the machine stops at, the tape is that of before or after, and the next import ends it', async () => {
  const first = dbn(at(MONDAY, 0), at(TUESDAY, 0), halfHours(MONDAY, 0, 20));
  const second = dbn(at(MONDAY, 0), at(WEDNESDAY, 0), [
    ...halfHours(MONDAY, 0, 20),
    ...halfHours(TUESDAY, 0, 20),
  ]);
  let steps = 1;
  for (let step = 1; step <= steps; step += 1) {
    const machine = new SimDisk();
    await importText(machine.boot(), 'first.dbn', first);
    let seen = 0;
    machine.faults = () => (++seen === step ? 'halt' : null);
    const disk = machine.boot();
    await Promise.race([importText(disk, 'second.dbn', second), machine.halted]);
    if (step === 1) {
      const counting = new SimDisk();
      await importText(counting.boot(), 'first.dbn', first);
      counting.faults = () => {
        steps += 1;
        return null;
      };
      await importText(counting.boot(), 'second.dbn', second);
      steps -= 1;
    }
    machine.faults = () => null;
    machine.crash();
    const after = machine.boot();
    const { revision, days } = (await imported(after))!;
    assert.deepEqual([...days.get('ESH6')!.keys()], revision === 1 ? [MONDAY] : [MONDAY, TUESDAY]);
    for (const day of days.get('ESH6')!.keys()) {
      assert.equal((await rowsOn(after, 'ESH6', day)).length, 40, `${step}`);
    }
    await importText(after, 'second.dbn', second);
    assert.equal((await imported(after))!.revision, 2);
    assert.equal(machine.files().filter((path) => path.includes('/days/')).length, 4);
    assert.deepEqual(
      machine.files().filter((path) => /staging|\.tmp$/.test(path)),
      [],
    );
  }
  assert.ok(steps > 20);
});

test('a full disk ends it with what was there, and nothing beside', async () => {
  const machine = new SimDisk();
  await importText(
    machine.boot(),
    'es.dbn',
    dbn(at(MONDAY, 0), at(TUESDAY, 0), halfHours(MONDAY, 0, 20)),
  );
  const before = machine.files();
  machine.faults = (operation, path) =>
    operation === 'write' && /20260310-.*json/.test(path) ? 'full' : null;
  const file = dbn(at(TUESDAY, 0), at(WEDNESDAY, 0), halfHours(TUESDAY, 0, 20));
  await assert.rejects(importText(machine.boot(), 'es.dbn', file), { code: 'ENOSPC' });
  assert.deepEqual(machine.files(), before);
});

test('prices off the tick and days to come are refused with their row', async () => {
  const disk = new SimDisk().boot();
  const rows = halfHours(TUESDAY, 0, 3);
  const off = csv(rows).replace('5001.000000000', '5001.100000000');
  await assert.rejects(
    importText(disk, 'es.csv', off),
    /Row 6 has the price 5001\.1, which is no multiple of the tick 0\.25\. It is that of ESH6/,
  );
  const ahead = csv([...rows, { ...rows[0]!, ts: NOW + BigInt(DAY_NS) }]);
  await assert.rejects(importText(disk, 'es.csv', ahead), /which is in the future/);
  assert.equal(await imported(disk), null);
});
