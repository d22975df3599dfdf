import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
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

/** Volumes of consecutive days; null: the day is missing. */
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
    decide: async (all: ImportedDays) =>
      (await decideAndKeepRolls(disk, '/tape', DATASET!, { days: all })).changed,
    decideAgain: (all: ImportedDays, isAgain: boolean) =>
      decideAndKeepRolls(disk, '/tape', DATASET!, { days: all }, { isAgain }),
    disk,
    decided: () => new RollStore(disk, '/tape', 'GLBX').load(),
  };
}

test('rolls are decided by the days on the tape, and are what the alias means [INST-04]', async () => {
  const { decide, decided } = desk();
  assert.deepEqual(await decide(new Map()), []);
  const before = days({ ESU6: [100, 100], ESZ6: [50, 90] });
  assert.deepEqual(await decide(before), [
    { alias: 'ES.v.0', from: utcDay(20260901), symbol: 'ESU6', by: 'calendar' },
  ]);
  const after = days({ ESU6: [100, 100, 80], ESZ6: [50, 90, 81] });
  const roll = { from: utcDay(20260910), symbol: 'ESZ6' };
  assert.deepEqual(await decide(after), [{ alias: 'ES.v.0', ...roll, by: 'volume' }]);
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

/** Some days of two contracts; each may be missing. */
const anyDays = fc
  .array(fc.tuple(fc.option(fc.nat(9)), fc.option(fc.nat(9))), { minLength: 1, maxLength: 40 })
  .map((list) => days({ ESU6: list.map(([u]) => u), ESZ6: list.map(([, z]) => z) }));

test('the order of imports does not matter for what an alias means', async () => {
  await fc.assert(
    fc.asyncProperty(anyDays, fc.infiniteStream(fc.nat()), async (all, numbers) => {
      const parts = [...all].flatMap(([symbol, its]) =>
        [...its].map(([at, imported]) => ({ symbol, at, imported, key: numbers.next().value! })),
      );
      const inParts = desk();
      const soFar = new Map<string, Map<UtcDay, ImportedDay>>();
      for (const { symbol, at, imported } of parts.sort((a, b) => a.key - b.key)) {
        soFar.set(symbol, (soFar.get(symbol) ?? new Map()).set(at, imported));
        await inParts.decide(soFar);
      }
      const atOnce = desk();
      await atOnce.decide(all);
      assert.deepEqual(await inParts.decided(), await atOnce.decided());
    }),
    { numRuns: 60 },
  );
});

test('one hour of data freezes nothing: rolls without days of both contracts are by calendar until they come', async () => {
  const { decide, decideAgain } = desk();
  await decide(days({ ESU6: [], ESZ6: [...Array<null>(30).fill(null), 5] }));
  const { all } = await decideAgain(days({ ESU6: [], ESZ6: [5] }), false);
  assert.deepEqual(
    all.map(({ symbol, by }) => [symbol, by]),
    [
      ['ESU6', 'calendar'],
      ['ESZ6', 'calendar'],
    ],
  );
  const both = days({ ESU6: [100, 100, 80], ESZ6: [50, 90, 81] });
  assert.deepEqual(await decide(both), [
    { alias: 'ES.v.0', from: utcDay(20260910), symbol: 'ESZ6', by: 'volume' },
  ]);
});

test('a roll stays when its days are removed, and is decided anew on request', async () => {
  const { decide, decideAgain, decided } = desk();
  await decide(days({ ESU6: [100, 100, 80], ESZ6: [50, 90, 81, 90, 90, 90, 90, 90, 90, 90] }));
  const first = await decided();
  const rest = days({ ESU6: [], ESZ6: [...Array<null>(9).fill(null), 90] });
  assert.deepEqual(await decide(rest), []);
  assert.deepEqual(await decided(), first);
  const { changed } = await decideAgain(rest, true);
  assert.deepEqual(
    changed.map(({ symbol, by }) => [symbol, by]),
    [['ESZ6', 'calendar']],
  );
});

test('rolls of an earlier program, which kept no volumes, stay until they are decided again', async () => {
  const { decide, decideAgain, disk } = desk();
  const frozen = {
    through: addDays(FIRST, 9),
    rolls: [{ from: utcDay(20260901), symbol: 'ESU6' }],
  };
  await new RollStore(disk, '/tape', 'GLBX').save(new Map([['ES.v.0', frozen]]), null);
  const all = days({ ESU6: [100, 100, 80], ESZ6: [50, 90, 81] });
  assert.deepEqual(await decide(all), []);
  assert.equal((await decideAgain(all, false)).isFrozen, true);
  const again = await decideAgain(all, true);
  assert.equal(again.isFrozen, false);
  assert.deepEqual(again.changed, [
    { alias: 'ES.v.0', from: utcDay(20260910), symbol: 'ESZ6', by: 'volume' },
  ]);
});

test('a day of which one contract is missing decides nothing', async () => {
  const { decide } = desk();
  const all = days({ ESU6: [100, null, 5, null], ESZ6: [50, 900, null, 900] });
  assert.equal((await decide(all)).length, 1);
});
