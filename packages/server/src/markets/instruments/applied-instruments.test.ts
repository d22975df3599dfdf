import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { intakeBatch } from '../../../testing/tape/feed-rows.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { type ImportedDay, writeImported } from '../../tape/imported/imported-manifest.ts';
import { RollStore } from '../../tape/imported/roll-store.ts';
import { TapeManifest } from '../../tape/tape-manifest.ts';
import { openTape } from '../../tape/write/open-tape.ts';
import { SimDataset } from '../sim/sim-dataset.ts';
import { claimTape } from '../source-claim.ts';
import { applyInstruments, diffApplied, readAppliedInstruments } from './applied-instruments.ts';
import { readInstruments } from './read-instruments.ts';

const NOW = epochNs(utcDay(20261116), 15 * 3_600_000_000_000);
const ALONE = { now: NOW, beside: null };

interface Edit {
  readonly es?: object;
  readonly cl?: object;
  readonly aliases?: object;
}

function file({ es = {}, cl = {}, aliases = {} }: Edit = {}): string {
  return JSON.stringify({
    datasets: {
      GLBX: {
        products: {
          ES: { extends: 'ES', contracts: { from: '2026-09', to: '2027-06' }, ...es },
          CL: { extends: 'CL', contracts: { from: '2026-12', to: '2027-06' }, ...cl },
        },
        aliases: {
          'ES.c.0': { product: 'ES', roll: 'calendar' },
          'CL.v.0': { product: 'CL', roll: 'volume', from: '2026-10-21' },
          ...aliases,
        },
      },
    },
  });
}

const DAY: ImportedDay = {
  digest: 'ab'.repeat(32),
  trades: 10,
  volume: 10,
  covered: [],
  gaps: [],
  origin: 'imported',
  sources: ['x.dbn'],
  at: '2026-11-16T00:00:00Z',
  sideRule: null,
};

async function withDays(disk: Disk, ...symbols: readonly string[]): Promise<void> {
  const days = new Map([[utcDay(20261113), DAY]]);
  await disk.makeDirectory('/data/tape/GLBX');
  await writeImported(disk, '/data/tape', {
    dataset: 'GLBX',
    revision: 1,
    days: new Map(symbols.map((symbol) => [symbol, days])),
  });
}

async function refused(disk: Disk, text: string): Promise<readonly string[]> {
  const changes = await diffApplied(disk, '/data', text, ALONE);
  return changes.filter(({ isRefused }) => isRefused).map(({ sentence }) => sentence);
}

test('instruments are applied to a directory unless its tape speaks against it', async () => {
  const machine = new SimDisk();
  const disk = machine.boot();
  assert.equal(await readAppliedInstruments(disk, '/data'), null);
  assert.equal((await applyInstruments(disk, '/data', file(), ALONE)).length, 1);
  assert.deepEqual(await readAppliedInstruments(disk, '/data'), readInstruments(file()));
  const coarser = file({ es: { tick: '0.5' } });
  assert.deepEqual(await refused(disk, coarser), []);
  await withDays(disk, 'ESZ6');
  const changes = await applyInstruments(disk, '/data', coarser, ALONE);
  assert.deepEqual(
    changes.map(({ isRefused, sentence }) => [isRefused, sentence]),
    [
      [false, 'The tick of ESU6, ESH7, ESM7 becomes 0.5, it was 0.25.'],
      [true, 'The tick of ESZ6 becomes 0.5, it was 0.25: there are days on the tape by it.'],
    ],
  );
  machine.crash();
  assert.deepEqual(await readAppliedInstruments(machine.boot(), '/data'), readInstruments(file()));
});

test('no contract with days on the tape may go, alone or with its dataset', async () => {
  const disk = new SimDisk().boot();
  await applyInstruments(disk, '/data', file(), ALONE);
  const other = file().replaceAll('GLBX', 'OTHER');
  assert.deepEqual(await refused(disk, other), []);
  await withDays(disk, 'ESU6', 'CLZ6');
  const gone = 'of which there are days on the tape. Remove those first.';
  assert.deepEqual(await refused(disk, other), [`Gone: ESU6, CLZ6, ${gone}`]);
  const shorter = file({ es: { contracts: { from: '2026-12', to: '2027-06' } } });
  assert.ok((await refused(disk, shorter)).includes(`Gone: ESU6, ${gone}`));
});

test('planned rolls are free until there are days, then only those ahead and before the first', async () => {
  const disk = new SimDisk().boot();
  await applyInstruments(disk, '/data', file(), ALONE);
  const later = file({ es: { roll: { rule: 'before-expiry', businessDays: 2 } } });
  assert.deepEqual(await refused(disk, later), []);
  await withDays(disk, 'ESU6');
  assert.match((await refused(disk, later))[0]!, /^ES\.c\.0 means ESU6 from 2026-09-14 on, it was/);
  const longer = file({
    es: { contracts: { from: '2025-03', to: '2027-06' }, symbol: '{root}{M}{Y}' },
  });
  assert.deepEqual(await refused(disk, longer), []);
});

test('what volume has decided in a directory stays', async () => {
  const disk = new SimDisk().boot();
  await applyInstruments(disk, '/data', file(), ALONE);
  const rolls = [
    { from: utcDay(20261021), symbol: 'CLZ6' },
    { from: utcDay(20261110), symbol: 'CLF7' },
  ];
  const decided = new Map([['CL.v.0', { through: utcDay(20261112), rolls }]]);
  await new RollStore(disk, '/data/tape', 'GLBX').save(decided, null);
  const without = file({ cl: { contracts: { from: '2027-01', to: '2027-06' } } });
  assert.deepEqual(await refused(disk, without), [
    'CL.v.0 has meant CLZ6 since 2026-10-21, and could not any more.',
  ]);
  const planned = { 'CL.v.0': { product: 'CL', roll: [{ from: '2026-10-21', symbol: 'CLZ6' }] } };
  assert.match(
    (await refused(disk, file({ aliases: planned })))[0]!,
    /^CL\.v\.0 means CLZ6 from 2026-11-10 on, it was CLF7: rolls in effect never change/,
  );
  const sooner = file({ cl: { roll: { rule: 'before-expiry', businessDays: 9 } } });
  assert.deepEqual(await refused(disk, sooner), []);
});

test('names and datasets of a market that runs beside are refused', async () => {
  const disk = new SimDisk().boot();
  const sim = new SimDataset({ seed: 1, printsScale: 1 });
  const beside = { dataset: sim.dataset, book: sim.listing(utcDay(20261116)).book };
  const changes = await diffApplied(disk, '/data', file(), { now: NOW, beside });
  assert.deepEqual(changes[0], {
    dataset: 'GLBX',
    isRefused: true,
    sentence: 'SIM, which runs beside it, has ESU6, ESZ6, ESH7, CLZ6, CLF7 too.',
  });
  await disk.makeDirectory('/data/tape/GLBX');
  await (await TapeManifest.open(disk, '/data/tape', 'GLBX')).save();
  assert.match((await refused(disk, file()))[0]!, /^A live market writes the tape of this name/);
});

test('a dataset whose trades are received keeps its name and its contracts once it has days', async () => {
  const disk = new SimDisk().boot();
  const live = { source: 'push' };
  const received = (feed: object | undefined, months = '2027-06') =>
    JSON.stringify({
      datasets: {
        DESK: {
          ...(feed && { live: feed }),
          products: { ES: { extends: 'ES', contracts: { from: '2026-09', to: months } } },
        },
      },
    });
  const apply = async (text: string) =>
    (await applyInstruments(disk, '/data', text, ALONE)).filter(({ isRefused }) => isRefused);
  assert.deepEqual(await apply(received(live)), []);
  await claimTape(disk, '/data/tape', 'DESK', { source: 'push' }, '');
  const tape = await openTape({
    ...{ disk, tapeRoot: '/data/tape', dataset: 'DESK', now: () => NOW },
    listed: () => ['ESZ6', 'ESH7'],
    onFailure: () => assert.fail('the tape has failed'),
  });
  await tape.intake.offer([intakeBatch('ESZ6', utcDay(20261116), [[1, 1]])], NOW);
  await tape[Symbol.asyncDispose]();
  assert.deepEqual(await apply(received({ ...live, graceMs: 100 }, '2027-03')), []);
  const [refused, ...others] = await apply(received(undefined));
  assert.deepEqual(others.length, 1);
  assert.match(refused!.sentence, /A live market writes the tape of this name/);
  assert.match(others[0]!.sentence, /imported, not received\. It has days on the tape/);
  const [gone] = await apply(received(live, '2026-09'));
  assert.match(gone!.sentence, /^Gone: ESZ6, of which there are days on the tape/);
});
