import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../../simulation/disk/sim-disk.ts';
import { type FeedRow, intakeBatch } from '../../../../testing/tape/feed-rows.ts';
import {
  DATASET,
  openSimTape,
  TAPE_ROOT,
  tapeRows,
} from '../../../../testing/tape/tape-on-sim-disk.ts';
import { verifyTape } from '../../inspect/verify-tape.ts';

const DAY = utcDay(20_260_105);
const NEXT_DAY = addDays(DAY, 1);
const OLD_LOG = `${TAPE_ROOT}/${DATASET}/log/${DAY}.log`;
const MANIFEST = `${TAPE_ROOT}/${DATASET}/manifest.json`;
const ASIDE = `${TAPE_ROOT}/${DATASET}/aside/${DAY}.log`;
const ROWS: readonly FeedRow[] = [
  [7, 1],
  [8, 2],
  [9, 3],
];

/** A directory with a sealed day, and with the log of that day as it was after so many trades. */
async function copiedTwice({ trades, isNextBegun = true, withManifest = false }: CopySetting) {
  const machine = new SimDisk();
  const tape = await openSimTape(machine.boot());
  await tape.intake.offer([intakeBatch('ESZ6', DAY, ROWS.slice(0, trades))], epochNs(DAY, 5));
  const half = machine.bytes(OLD_LOG)!.slice();
  await tape.intake.offer([intakeBatch('ESZ6', DAY, ROWS.slice(trades))], epochNs(NEXT_DAY, 5));
  await tape.intake.offer([intakeBatch('ESZ6', NEXT_DAY, [[10, 6]])], epochNs(NEXT_DAY, 7));
  await tape.intake.sealed();
  await tape[Symbol.asyncDispose]();
  assert.equal(machine.bytes(OLD_LOG), null);
  machine.put(OLD_LOG, half);
  const disk = machine.boot();
  if (!withManifest) await disk.remove(MANIFEST);
  if (!isNextBegun) await disk.remove(`${TAPE_ROOT}/${DATASET}/log/${NEXT_DAY}.log`);
  return { machine, half };
}

interface CopySetting {
  readonly trades: number;
  readonly isNextBegun?: boolean;
  readonly withManifest?: boolean;
}

for (const setting of [
  { trades: 2 },
  { trades: 0 },
  { trades: 2, withManifest: true },
  { trades: 2, isNextBegun: false },
]) {
  const told = JSON.stringify(setting);
  test(`a half log beside its sealed day is set aside and the tape opens: ${told}`, async () => {
    const { machine, half } = await copiedTwice(setting);
    {
      await using tape = await openSimTape(machine.boot());
      assert.deepEqual(tape.report.setAside, [ASIDE]);
      const rows = await tapeRows(tape.tape, 'ESZ6');
      assert.equal(rows.length, setting.isNextBegun === false ? 3 : 4);
    }
    assert.deepEqual(machine.bytes(ASIDE), half);
    assert.equal(machine.bytes(OLD_LOG), null);
    const findings = (await Array.fromAsync(verifyTape(machine.boot(), TAPE_ROOT))).filter(
      ({ type }) => type === 'finding',
    );
    assert.deepEqual(findings, []);
    await using again = await openSimTape(machine.boot());
    assert.deepEqual(again.report.setAside, []);
  });
}

test('a log set aside twice overwrites nothing', async () => {
  const { machine, half } = await copiedTwice({ trades: 2 });
  machine.put(ASIDE, new Uint8Array([1]));
  await using tape = await openSimTape(machine.boot());
  assert.deepEqual(tape.report.setAside, [`${TAPE_ROOT}/${DATASET}/aside/${DAY}-2.log`]);
  assert.deepEqual(machine.bytes(ASIDE), new Uint8Array([1]));
  assert.deepEqual(machine.bytes(tape.report.setAside[0]!), half);
});

test('a half log that has trades its sealed day lacks still refuses to open', async () => {
  const { machine } = await copiedTwice({ trades: 1 });
  const other = new SimDisk();
  const tape = await openSimTape(other.boot());
  const rows = Array.from({ length: 4 }, (_, row): FeedRow => [7 + row, 1 + row]);
  await tape.intake.offer([intakeBatch('ESZ6', DAY, rows)], epochNs(DAY, 5));
  await tape[Symbol.asyncDispose]();
  const more = other.bytes(OLD_LOG)!;
  machine.put(OLD_LOG, more);
  await assert.rejects(openSimTape(machine.boot()), /has no end, although a later one exists/);
  assert.deepEqual(machine.bytes(OLD_LOG), more);
});
