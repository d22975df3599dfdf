import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { databentoText } from '../../testing/feeds/csv-texts.ts';
import { at, DATASET, imported, importText } from '../../testing/imports.ts';
import { ContractNames } from './contract-names.ts';

const fileOf = (symbol: string, day: number) =>
  databentoText([{ symbol, ts: at(utcDay(day), 0), price: '5000.25', size: '1', side: 1 }], {
    isPretty: true,
  });

for (const day of [20_160_310, 20_160_616, 20_110_103]) {
  test(`a short name of ${day} is not the contract of ten years later`, async () => {
    const disk = new SimDisk().boot();
    await assert.rejects(
      importText(disk, 'es.csv', fileOf('ESM6', day)),
      /ESM6 was the contract of June 2016 then; ESM6 of the instruments is that of June 2026/,
    );
    assert.equal(await imported(disk), null);
  });
}

test('a short name means the contract of its own decade where that is listed', () => {
  const names = new ContractNames(DATASET);
  assert.equal(names.find(['ESH6'], utcDay(20_160_310))?.symbol, 'ESH16');
  assert.equal(names.find(['ESH6'], utcDay(20_160_401))?.symbol, 'ESH6');
  assert.equal(names.find(['ESH26'], utcDay(20_140_401))?.symbol, 'ESH6');
  assert.equal(names.find(['ESH6'], utcDay(20_270_401)), null);
});

test('a contract that is said takes no trade from before or behind its life, and both candidates are named', async () => {
  const contract = DATASET.contracts.find(
    ({ contract: { symbol } }) => symbol === 'ESM6',
  )!.contract;
  for (const [day, expected] of [
    [20_160_310, /was the contract of June 2016 then; .* is that of June 2026/],
    [20_260_101, null],
  ] as const) {
    const work = importText(new SimDisk().boot(), 'any.csv', fileOf('X', day), { contract });
    if (expected === null) await work;
    else await assert.rejects(work, expected);
  }
  const old = DATASET.contracts.find(({ contract: { symbol } }) => symbol === 'ESH16')!.contract;
  await assert.rejects(
    importText(new SimDisk().boot(), 'any.csv', fileOf('X', 20_170_310), { contract: old }),
    /a trade of 20170310, and ESH16 expired on 20160318/,
  );
});
