import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import { rank } from '@tapeloom/core/numbers';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { replaceFile } from '../platform/disk/disk.ts';
import {
  unsettledDays,
  withAllSettled,
  withComing,
  withSettled,
  withSettling,
} from './days-to-come.ts';
import { brokenBy, formatEpochs, parseEpochs, type StreamEpochs } from './epoch-floors.ts';
import { EpochStore } from './epoch-store.ts';

const DAY = utcDay(20261112);
const PAST = addDays(DAY, -3);
const NONE: StreamEpochs = { computations: { bars: 'one' }, floors: [] };
const ITEM = { symbol: 'ESZ6', day: PAST };
const OTHER = { symbol: 'ESZ6', day: addDays(PAST, 1) };
const endOf = () => ({ day: DAY, rank: rank(20) });

test('a day is named, settled and then a floor, and its text says so at every step', () => {
  const coming = withComing(NONE, [ITEM, OTHER]);
  const settling = withSettling(coming, [ITEM]);
  const settled = withSettled(settling, endOf);
  for (const epochs of [coming, settling, settled]) {
    assert.deepEqual(parseEpochs(formatEpochs(epochs), []), epochs);
  }
  assert.deepEqual(unsettledDays(coming, 'ESZ6'), [PAST, OTHER.day]);
  assert.deepEqual(unsettledDays(settling, 'ESZ6'), [OTHER.day, PAST]);
  assert.deepEqual(unsettledDays(settled, 'ESZ6'), [OTHER.day]);
  const stream = { contract: 'ESZ6', indicator: 'tpo' };
  const at = (text: string) => brokenBy(settled.floors, stream, parseCursor(`${DAY}.${text}.0`)!);
  assert.deepEqual([at('20'), at('21')], ['source_gap', null]);
  assert.deepEqual(withAllSettled(settled, endOf).coming, undefined);
});

test('what changes nothing is the same, so that nobody writes a book for it', () => {
  const coming = withComing(NONE, [ITEM]);
  assert.equal(withComing(coming, [ITEM]), coming);
  assert.equal(withSettling(NONE, [ITEM]), NONE);
  assert.equal(withSettled(coming, endOf), coming);
  // A day that is made once more while it settles is to come again.
  const again = withComing(withSettling(coming, [ITEM]), [ITEM]);
  assert.deepEqual(again, coming);
});

test('a book of the version before names no days, and one with a list that is none is read without it', () => {
  const { version, ...old } = JSON.parse(formatEpochs(NONE)) as Record<string, unknown>;
  assert.equal(version, 2);
  assert.deepEqual(
    unsettledDays(parseEpochs(JSON.stringify({ version, ...old }), [])!, 'ESZ6'),
    [],
  );
  const odd = JSON.stringify({ version, ...old, coming: { ESZ6: ['x'] }, settling: 3 });
  assert.deepEqual(parseEpochs(odd, []), NONE);
});

test('whoever leaves a cluster while days are to come ends the cursors that may lack them', async () => {
  const disk = new SimDisk().boot();
  await disk.makeDirectory('/data');
  const text = formatEpochs(withComing(NONE, [ITEM]));
  await replaceFile(disk, '/data/stream-epochs.json', new TextEncoder().encode(text));
  const computations = NONE.computations;
  const tapeEnds = async () => new Map([['ESZ6', endOf()]]);
  const store = await EpochStore.open({ disk, directory: '/data', computations, tapeEnds });
  assert.deepEqual(store.start, { t: 'same' });
  assert.equal(store.epochs.coming, undefined);
  assert.deepEqual(
    store.epochs.floors.map(({ cursor, day, reason }) => [cursor, day, reason]),
    [[`${DAY}.21.0`, PAST, 'source_gap']],
  );
});
