import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import type { ImportedDay, ImportedDays } from '../../tape/imported/imported-manifest.ts';
import { RollStore } from '../../tape/imported/roll-store.ts';
import { decideAndKeepRolls } from './decide-rolls.ts';
import { aliasesOf, contractsOf } from './instruments-file.ts';
import { readInstruments } from './read-instruments.ts';

const [DATASET] = readInstruments(
  JSON.stringify({
    datasets: {
      GLBX: {
        products: { ES: { extends: 'ES', contracts: { from: '2026-09', to: '2027-03' } } },
        aliases: {
          'ES.v.0': { product: 'ES', roll: 'volume', from: '2026-09-01' },
          'ES.c.0': { product: 'ES', roll: 'calendar' },
        },
      },
    },
  }),
).datasets;
const FIRST = utcDay(20260907);

function day(volume: number): ImportedDay {
  return {
    digest: '0'.repeat(64),
    trades: 1,
    volume,
    covered: [],
    gaps: [],
    origin: 'imported',
    sources: [],
    at: '2026-11-17T00:00:00Z',
    sideRule: null,
  };
}

/** Volumes of days one after another; null: that day is not there. */
function days(volumes: Readonly<Record<string, readonly (number | null)[]>>): ImportedDays {
  return new Map(
    Object.entries(volumes).map(([symbol, list]) => [
      symbol,
      new Map(
        list.flatMap((volume, index) =>
          volume === null ? [] : [[addDays(FIRST, index), day(volume)] as const],
        ),
      ),
    ]),
  );
}

function desk() {
  const disk = new SimDisk().boot();
  return {
    decide: (all: ImportedDays) => decideAndKeepRolls(disk, '/tape', DATASET!, { days: all }),
    decided: () => new RollStore(disk, '/tape', 'GLBX').load(),
  };
}

test('rolls are decided by the days on the tape, once, and are what the alias means [INST-04]', async () => {
  const { decide, decided } = desk();
  assert.deepEqual(await decide(new Map()), []);
  const before = days({ ESU6: [100, 100], ESZ6: [50, 90] });
  assert.deepEqual(await decide(before), [
    { alias: 'ES.v.0', from: utcDay(20260901), symbol: 'ESU6' },
  ]);
  const after = days({ ESU6: [100, 100, 80], ESZ6: [50, 90, 81] });
  const roll = { from: utcDay(20260910), symbol: 'ESZ6' };
  assert.deepEqual(await decide(after), [{ alias: 'ES.v.0', ...roll }]);
  assert.deepEqual(await decide(after), []);
  const [alias] = aliasesOf(DATASET!, await decided());
  assert.deepEqual(alias!.rolls.slice(0, 2), [{ from: utcDay(20260901), symbol: 'ESU6' }, roll]);
  assert.equal(alias!.rolls[2]!.symbol, 'ESH7');
  const book = new InstrumentBook(contractsOf(DATASET!), [alias!]);
  const meaning = [20260831, 20260909, 20260910].map((day) => book.resolve('ES.v.0', utcDay(day)));
  assert.deepEqual(
    meaning.map((contract) => contract?.symbol),
    [undefined, 'ESU6', 'ESZ6'],
  );
});

test('days that come or are replaced later change no decision', async () => {
  const { decide, decided } = desk();
  await decide(days({ ESU6: [100, 100, 100], ESZ6: [null, 10, 10] }));
  const first = await decided();
  assert.deepEqual(await decide(days({ ESU6: [100, 1, 1], ESZ6: [500, 10, 10] })), []);
  assert.deepEqual(await decided(), first);
  const more = days({ ESU6: [100, 1, 1, 1], ESZ6: [500, 10, 10, 10] });
  assert.deepEqual(await decide(more), [
    { alias: 'ES.v.0', from: addDays(FIRST, 4), symbol: 'ESZ6' },
  ]);
});

test('a day of which one contract is missing decides nothing', async () => {
  const { decide } = desk();
  const all = days({ ESU6: [100, null, 5, null], ESZ6: [50, 900, null, 900] });
  assert.equal((await decide(all)).length, 1);
});
