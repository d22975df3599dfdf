import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { type Disk, replaceFile } from '../platform/disk/disk.ts';
import { FilesMarket } from './files-market.ts';
import { joinedListing, MarketClashError } from './joined-listing.ts';
import { openMarket } from './open-market.ts';
import { InstrumentsUnreadableError, readMarkets } from './read-markets.ts';

const DAY = utcDay(20_261_116);
const SIM = { simSeed: 1, simScale: 1, simDays: 0 };

const product = (contracts: string) =>
  `{ extends: ES, symbol: "{root}{M}{Y}", contracts: ${contracts} }`;
const file = (datasets: Readonly<Record<string, string>>) =>
  `datasets:\n${Object.entries(datasets)
    .map(([name, products]) => `  ${name}:\n    products:\n      ${products}\n`)
    .join('')}`;

async function disked(text: string | null): Promise<Disk> {
  const disk = new SimDisk().boot();
  await disk.makeDirectory('/data');
  if (text !== null) {
    await replaceFile(disk, '/data/instruments.yaml', new TextEncoder().encode(text));
  }
  return disk;
}

async function read(text: string | null, sim: 'on' | 'off' | null = null) {
  return await readMarkets(await disked(text), { data: '/data', sim, ...SIM });
}

const COINS = file({
  COINS: 'XBTUSD: { extends: crypto-perpetual, name: Bitcoin, tick: "0.1", lot: "1" }',
});

test('without applied instruments it is the simulator, with them those alone unless both are wanted', async () => {
  const kinds = async (...asked: Parameters<typeof read>) => {
    const { live, imported } = await read(...asked);
    return [...live.map(({ kind }) => kind), ...imported.map(({ name }) => name)];
  };
  assert.deepEqual(await kinds(null), ['sim']);
  assert.deepEqual(await kinds(null, 'off'), ['still']);
  assert.deepEqual(await kinds(COINS), ['still', 'COINS']);
  assert.deepEqual(await kinds(COINS, 'on'), ['sim', 'still', 'COINS']);
});

test('a file of instruments that was damaged is refused with its name and its fault', async () => {
  await assert.rejects(read('datasets: { COINS: { products: 7 } }'), (error: Error) => {
    assert.ok(error instanceof InstrumentsUnreadableError);
    return /^\/data\/instruments\.yaml cannot be used: .*products/s.test(error.message);
  });
});

test('several markets are one list, in which every name means one thing', async () => {
  const listed = async (text: string) => {
    const { live, imported } = await read(text, 'on');
    const files = imported.map((one) => new FilesMarket(one, new Map(), new Map()));
    return joinedListing([...live.map(openMarket), ...files], () => DAY);
  };
  const { book, contracts, streamed } = await listed(COINS);
  assert.equal(book.resolve('XBTUSD', DAY)?.dataset, 'COINS');
  assert.equal(book.resolve('BTC.c.0', DAY)?.dataset, 'SIM');
  assert.equal(contracts.length, book.all().length);
  assert.ok(streamed.some(({ symbol }) => symbol === 'XBTUSD'));
  const clash = (message: RegExp) => (error: unknown) =>
    error instanceof MarketClashError && message.test(error.message);
  const es = `ES: ${product('{ from: 2026-12, to: 2026-12 }')}`;
  await assert.rejects(listed(file({ GLBX: es })), clash(/^ESZ6 is in SIM and in GLBX/));
  const namesake = COINS.replace('COINS', 'SIM');
  await assert.rejects(listed(namesake), clash(/^SIM is the name of two datasets/));
});
