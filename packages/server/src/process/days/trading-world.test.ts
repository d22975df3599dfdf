import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { FilesMarket } from '../../markets/files-market.ts';
import { readInstruments } from '../../markets/instruments/read-instruments.ts';
import { TradingWorld } from './trading-world.ts';

const product = (root: string) =>
  `{ extends: ES, symbol: "${root}{M}{Y}", contracts: { from: 2026-09, to: 2027-03 } }`;
const FILE = `datasets:
  ONE:
    products: { A: ${product('A')} }
    aliases: { A.1: { product: A, roll: [{ from: 2026-06-01, symbol: AU6 }, { from: 2026-09-10, symbol: AZ6 }] } }
  TWO:
    products: { B: ${product('B')} }
    aliases: { B.1: { product: B, roll: [{ from: 2026-06-01, symbol: BU6 }, { from: 2026-09-10, symbol: BZ6 }] } }
`;

test('the contracts of a dataset roll and expire with the days of its own tape', () => {
  const { datasets } = readInstruments(FILE);
  const world = new TradingWorld({
    markets: datasets.map((listed) => new FilesMarket(listed, new Map(), new Map())),
    day: utcDay(20260909),
    timeOf: (dataset) => (dataset === 'ONE' ? 'ONE' : 'STILL'),
    books: [],
  });
  assert.deepEqual(
    ['A.1', 'AU6', 'B.1', 'BU6', 'NOBODY'].map((name) => world.timeOf(name)),
    ['ONE', 'ONE', 'STILL', 'STILL', 'STILL'],
  );
  world.enter('ONE', utcDay(20260920));
  assert.deepEqual([world.isStreamed('AU6'), world.isStreamed('BU6')], [false, true]);
  world.enter('STILL', utcDay(20260920));
  assert.equal(world.isStreamed('BU6'), false);
});
