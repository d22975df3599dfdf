import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rank, UtcDay } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { importDays, type TradeRow } from '../../../testing/imported-dataset.ts';
import { refusedAs } from '../../../testing/refused-as.ts';
import { TAPE_ROOT, tapeRows } from '../../../testing/tape/tape-on-sim-disk.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { damagedDay } from '../../runs/sound-tape.ts';
import { TapeDamagedError } from '../tape-errors.ts';
import { contractDirectory } from '../tape-paths.ts';
import { importedStem, readImported } from './imported-manifest.ts';
import { ImportedTape } from './imported-tape.ts';

const DATASET = 'DBN';
const SYMBOL = 'ESZ6';
const MONDAY = utcDay(20_261_102);
const TUESDAY = utcDay(20_261_103);
const NOON = 43_200_000_000_000;

/** A day of three trades around a price. */
function rows(price: number): readonly TradeRow[] {
  return [
    [NOON, price, 1, 1],
    [NOON + 5, price + 1, 2, -1],
    [NOON + 9, price, 3, 0],
  ];
}

const twoDays = (price: number) => [
  { symbol: SYMBOL, day: TUESDAY, rows: rows(price) },
  { symbol: SYMBOL, day: MONDAY, rows: rows(price + 10) },
];

async function pricesOf(tape: ImportedTape | ReturnType<ImportedTape['pinned']>) {
  return (await tapeRows(tape, SYMBOL)).map(([day, rank, , price]) => [day, rank, price]);
}

const pricesOfTwoDays = (price: number) =>
  [MONDAY, TUESDAY].flatMap((day, index) =>
    [0, 1, 0].map((up, row) => [day, row + 1, price + up + (index === 0 ? 10 : 0)]),
  );

async function fileOf(disk: Disk, day: UtcDay, kind: string): Promise<string> {
  const { digest } = (await readImported(disk, TAPE_ROOT, DATASET))!.days.get(SYMBOL)!.get(day)!;
  const directory = contractDirectory(TAPE_ROOT, DATASET, SYMBOL);
  return `${directory}/${importedStem(day, digest)}.${kind}`;
}

test('imported days are read in the order of days, whatever order they came in', async () => {
  const disk = new SimDisk().boot();
  await importDays(disk, TAPE_ROOT, DATASET, twoDays(100));
  const tape = await ImportedTape.open(disk, TAPE_ROOT, DATASET);
  assert.deepEqual(await pricesOf(tape), pricesOfTwoDays(100));
  const days = await tape.days(SYMBOL);
  assert.deepEqual(
    days.map(({ day, trades, state }) => [day, trades, state]),
    [
      [MONDAY, 3, 'sealed'],
      [TUESDAY, 3, 'sealed'],
    ],
  );
  assert.equal(await tape.rankBefore(SYMBOL, TUESDAY, NOON + 5), 1);
  assert.equal(await tape.rankBefore(SYMBOL, utcDay(20_261_104), NOON), 0);
  assert.deepEqual(await tape.days('NQZ6'), []);
});

test('a dataset into which nothing was imported has no days', async () => {
  const tape = await ImportedTape.open(new SimDisk().boot(), TAPE_ROOT, DATASET);
  assert.deepEqual(await tape.days(SYMBOL), []);
  assert.deepEqual(await pricesOf(tape), []);
});

test('a day with gaps is partial, and says which hours are missing', async () => {
  const disk = new SimDisk().boot();
  const gaps = [[0, NOON]] as const;
  await importDays(disk, TAPE_ROOT, DATASET, [{ symbol: SYMBOL, day: MONDAY, rows: [], gaps }]);
  const tape = await ImportedTape.open(disk, TAPE_ROOT, DATASET);
  const [partial] = await tape.days(SYMBOL);
  assert.deepEqual([partial?.state, partial?.gaps], ['partial', gaps]);
  await importDays(disk, TAPE_ROOT, DATASET, [{ symbol: SYMBOL, day: MONDAY, rows: [] }]);
  await tape.refresh();
  const [whole] = await tape.days(SYMBOL);
  assert.deepEqual([whole?.state, whole?.gaps], ['sealed', undefined]);
  assert.equal(whole?.digest, partial?.digest);
  assert.notEqual(whole?.version, partial?.version, 'the same trades, but more is known');
});

test('who pinned the tape reads the old trades to the end, while others read the new ones', async () => {
  const disk = new SimDisk().boot();
  await importDays(disk, TAPE_ROOT, DATASET, twoDays(100));
  const tape = await ImportedTape.open(disk, TAPE_ROOT, DATASET);
  const pinned = tape.pinned();
  const begun = pinned.read(SYMBOL, { day: MONDAY, rank: 0 as Rank })[Symbol.asyncIterator]();
  const first = await begun.next();
  await importDays(disk, TAPE_ROOT, DATASET, twoDays(500));
  assert.deepEqual(await pricesOf(tape), pricesOfTwoDays(100), 'nobody has told it so far');
  await tape.refresh();
  assert.deepEqual(await pricesOf(tape), pricesOfTwoDays(500));
  assert.deepEqual(await pricesOf(pinned), pricesOfTwoDays(100));
  assert.equal(first.value?.price[0], 110);
  assert.equal((await begun.next()).value?.price[0], 100);
});

test('the newer days of one contract come in when they are adopted, those of others do not', async () => {
  const disk = new SimDisk().boot();
  const other = (price: number) => ({ symbol: 'NQZ6', day: MONDAY, rows: rows(price) });
  await importDays(disk, TAPE_ROOT, DATASET, [...twoDays(100), other(7)]);
  const tape = await ImportedTape.open(disk, TAPE_ROOT, DATASET);
  await importDays(disk, TAPE_ROOT, DATASET, [...twoDays(500), other(8)]);
  const next = await tape.next(SYMBOL);
  assert.deepEqual(await pricesOf(tape), pricesOfTwoDays(100));
  assert.deepEqual(await pricesOf(next.tape), pricesOfTwoDays(500));
  next.adopt();
  assert.deepEqual(await pricesOf(tape), pricesOfTwoDays(500));
  const [, , , price] = (await tapeRows(tape, 'NQZ6'))[0]!;
  assert.equal(price, 7);
});

test('files that are gone after a replacement make a read outdated, and no day damaged', async () => {
  const disk = new SimDisk().boot();
  await importDays(disk, TAPE_ROOT, DATASET, twoDays(100));
  const pinned = (await ImportedTape.open(disk, TAPE_ROOT, DATASET)).pinned();
  const replaced = await fileOf(disk, MONDAY, 'arrow');
  await importDays(disk, TAPE_ROOT, DATASET, twoDays(500));
  await disk.remove(replaced);
  await assert.rejects(pricesOf(pinned), refusedAs('outdated'));
});

test('a file that is gone, or of other trades, is a damaged day', async () => {
  const disk = new SimDisk().boot();
  await importDays(disk, TAPE_ROOT, DATASET, twoDays(100));
  const tape = await ImportedTape.open(disk, TAPE_ROOT, DATASET);
  await disk.remove(await fileOf(disk, TUESDAY, 'arrow'));
  const isTuesday = (error: unknown) => {
    assert.ok(error instanceof TapeDamagedError);
    return damagedDay(error) === TUESDAY;
  };
  await assert.rejects(pricesOf(tape), isTuesday);
  const right = await fileOf(disk, TUESDAY, 'json');
  await importDays(disk, TAPE_ROOT, DATASET, [{ symbol: SYMBOL, day: TUESDAY, rows: rows(9) }]);
  await disk.rename(right, await fileOf(disk, TUESDAY, 'json'));
  await tape.refresh();
  await assert.rejects(tape.rankBefore(SYMBOL, TUESDAY, NOON), isTuesday);
});
