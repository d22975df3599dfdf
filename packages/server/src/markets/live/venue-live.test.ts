import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { MemoryIntake } from '../../../testing/live/memory-intake.ts';
import { TapeManifest } from '../../tape/tape-manifest.ts';
import type { VenueFeed } from '../instruments/instruments-file.ts';
import { readInstruments } from '../instruments/read-instruments.ts';
import { pastNote } from './past/past-note.ts';
import { VenueLive } from './venue-live.ts';

const TODAY = 20_260_106 as UtcDay;
const NOON_NS = 43_200_000_000_000;
const NOW = epochNs(TODAY, NOON_NS);
const product = { extends: 'crypto-perpetual', name: 'A coin', tick: '0.1', lot: '1' };

function marketOf(feed: string, backfillHours: number, names = ['A', 'B']): VenueLive {
  const products = Object.fromEntries(names.map((name) => [`${name}.okx`, product]));
  const text = JSON.stringify({ datasets: { X: { live: { feed, backfillHours }, products } } });
  const listed = readInstruments(text).datasets[0]!;
  return new VenueLive({ kind: 'venue', listed, feed: listed.live as VenueFeed });
}

/** A tape that began yesterday, with two days before that wanted. */
function begunTape(): MemoryIntake {
  const tape = new MemoryIntake();
  const from = epochNs(20_260_103 as UtcDay, NOON_NS);
  const notes = [pastNote({ from, until: 20_260_105 as UtcDay })];
  tape.take({ batches: [], promise: NOW, notes });
  return tape;
}

async function planned(market: VenueLive, tape: MemoryIntake, disk = new SimDisk().boot()) {
  const { ready, rest } = await market.planFill(disk, 'tape', NOW as EpochNs, tape);
  assert.deepEqual(ready, []);
  return rest.map(({ symbol, day }) => `${symbol} ${day}`);
}

test('a new tape wants the days before today, the newest first', async () => {
  const days = await planned(marketOf('okx', 40), new MemoryIntake());
  assert.deepEqual(days, ['A.okx 20260105', 'B.okx 20260105', 'A.okx 20260104', 'B.okx 20260104']);
  assert.deepEqual(await planned(marketOf('okx', 12), new MemoryIntake()), []);
  assert.deepEqual(await planned(marketOf('okx', 0), new MemoryIntake()), []);
});

test('a restart wants what is missing of the days that the tape names, whatever the file says now', async () => {
  const disk = new SimDisk().boot();
  await disk.makeDirectory('tape/X');
  const manifest = await TapeManifest.open(disk, 'tape', 'X');
  await manifest.sealed([{ symbol: 'A.okx', day: 20_260_104 as UtcDay, digest: 'a' }]);
  const days = await planned(marketOf('okx', 0), begunTape(), disk);
  assert.deepEqual(days, ['B.okx 20260104', 'A.okx 20260103', 'B.okx 20260103']);
});

test('a contract that was added after the first day has no days before it', async () => {
  const disk = new SimDisk().boot();
  await disk.makeDirectory('tape/X');
  const manifest = await TapeManifest.open(disk, 'tape', 'X');
  await manifest.sealed([{ symbol: 'A.okx', day: 20_260_105 as UtcDay, digest: 'a' }]);
  const days = await planned(marketOf('okx', 40), begunTape(), disk);
  assert.deepEqual(days, ['A.okx 20260104', 'A.okx 20260103']);
});

test('a tape that began without a past wants none', async () => {
  const tape = new MemoryIntake();
  const gap = { symbol: 'A.okx', firstId: null, lastId: null, reason: 'start' };
  const [from, to] = [epochNs(TODAY, 0), NOW];
  const notes = [{ kind: 'gap' as const, gap: { ...gap, from, to } }];
  tape.take({ batches: [], promise: NOW, notes });
  assert.deepEqual(await planned(marketOf('okx', 40), tape), []);
});
