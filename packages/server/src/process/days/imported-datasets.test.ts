import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { importDays } from '../../../testing/imported-dataset.ts';
import { readInstruments } from '../../markets/instruments/read-instruments.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { RollStore } from '../../tape/imported/roll-store.ts';
import { importedPath } from '../../tape/tape-paths.ts';
import { SessionStore } from '../../tape/write/session-store.ts';
import { type DatasetNews, ImportedDatasets } from './imported-datasets.ts';

const DATA = '/data';
const ROOT = `${DATA}/tape`;
const DAY = utcDay(20_261_112);
const { datasets: LISTED } = readInstruments(`datasets:
  GLBX:
    products:
      CL: { extends: CL, contracts: { from: 2026-12, to: 2027-02 } }
    aliases:
      CL.v.0: { product: CL, roll: volume, from: 2026-11-01 }
`);

class MovedClock {
  readonly #now: EpochNs;
  movedNs = 0n;

  constructor(now: EpochNs) {
    this.#now = now;
  }

  now(): EpochNs {
    return (this.#now + this.movedNs) as EpochNs;
  }
}

/** Imported datasets that look on request and record their news. */
class Rig {
  readonly heard: DatasetNews[] = [];
  readonly faults: unknown[] = [];
  /** The result of `changed`: whether repairs are recorded. */
  isOver = true;
  #look: () => void = () => {};
  readonly #datasets: ImportedDatasets;
  readonly clock: MovedClock;

  private constructor(datasets: ImportedDatasets, clock: MovedClock) {
    this.#datasets = datasets;
    this.clock = clock;
  }

  static async open(disk: Disk, clock = new MovedClock(epochNs(addDays(DAY, 3), 0))): Promise<Rig> {
    const options = { disk, data: DATA, listed: LISTED, clock };
    return new Rig(await ImportedDatasets.open(options), clock);
  }

  /** The last day of the session book. */
  get bookEnd(): UtcDay {
    return this.#datasets.books[0]!.book.to;
  }

  /** Returns once the news of the start has arrived. */
  async watch(): Promise<Rig> {
    const every = (_ms: number, run: () => void) => {
      this.#look = run;
      return { [Symbol.dispose]: () => {} };
    };
    const changed = async (news: DatasetNews) => {
      this.heard.push(news);
      return this.isOver;
    };
    this.#datasets.watch({ every }, { changed, onFault: (error) => this.faults.push(error) });
    await settled();
    return this;
  }

  async look(): Promise<void> {
    this.#look();
    await settled();
  }

  get days() {
    return this.heard.map(({ days }) => [...days].map(([symbol, of]) => [symbol, ...of]));
  }
}

/** A simulated disk responds after several turns of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const imports = (disk: Disk, price: number, ...days: readonly number[]) =>
  importDays(
    disk,
    ROOT,
    'GLBX',
    days.map((day) => ({ symbol: 'CLZ6', day: addDays(DAY, day), rows: [[1, price, 1, 1]] })),
  );

test('what an import changes is told once, and so is what changed while nobody watched', async () => {
  const disk = new SimDisk().boot();
  await imports(disk, 100, 0, 1);
  const rig = await (await Rig.open(disk)).watch();
  assert.deepEqual(rig.days, [[['CLZ6', DAY, addDays(DAY, 1)]]]);
  await rig.look();
  assert.equal(rig.heard.length, 1);
  await imports(disk, 200, 1);
  await rig.look();
  assert.deepEqual(rig.days[1], [['CLZ6', addDays(DAY, 1)]]);
  const later = await (await Rig.open(disk)).watch();
  assert.deepEqual(later.days, [[]], 'all of it was served before');
  await imports(disk, 300, 0);
  assert.deepEqual((await (await Rig.open(disk)).watch()).days, [[['CLZ6', DAY]]]);
});

test('days whose repair could not be recorded are told again by the next service', async () => {
  const disk = new SimDisk().boot();
  await imports(disk, 100, 0);
  const rig = await Rig.open(disk);
  rig.isOver = false;
  await rig.watch();
  assert.deepEqual((await (await Rig.open(disk)).watch()).days, [[['CLZ6', DAY]]]);
});

test('rolls that volume has decided take effect while the service runs [INST-04]', async () => {
  const disk = new SimDisk().boot();
  await imports(disk, 100, 0);
  const rig = await (await Rig.open(disk)).watch();
  const meant = () => rig.heard.at(-1)!.market!.listing().book.resolve('CL.v.0', addDays(DAY, 1));
  assert.equal(meant()?.symbol, 'CLZ6');
  const rolls = [
    { from: utcDay(20_261_101), symbol: 'CLZ6' },
    { from: addDays(DAY, 1), symbol: 'CLF7' },
  ];
  const decided = new Map([['CL.v.0', { through: addDays(DAY, 1), rolls }]]);
  await new RollStore(disk, ROOT, 'GLBX').save(decided, null);
  await rig.look();
  assert.equal(meant()?.symbol, 'CLF7');
  assert.equal(rig.heard.at(-1)!.days.size, 0);
});

test('days on which an alias means another contract than before count as changed, also after a restart', async () => {
  const disk = new SimDisk().boot();
  const rolls = (from: UtcDay) => ({
    through: addDays(DAY, 3),
    rolls: [
      { from: utcDay(20_261_101), symbol: 'CLF7' },
      { from, symbol: 'CLZ6' },
    ],
  });
  const decide = async (from: UtcDay) =>
    await new RollStore(disk, ROOT, 'GLBX').save(new Map([['CL.v.0', rolls(from)]]), null);
  await decide(DAY);
  await imports(disk, 100, 0, 1);
  const rig = await (await Rig.open(disk)).watch();
  await decide(addDays(DAY, 1));
  await rig.look();
  assert.deepEqual(rig.days[1], [['CLZ6', DAY]]);
  await decide(DAY);
  assert.deepEqual((await (await Rig.open(disk)).watch()).days, [[['CLZ6', DAY]]]);
  assert.deepEqual((await (await Rig.open(disk)).watch()).days, [[]]);
});

test('a manifest that cannot be read is told once, and the days before it stay', async () => {
  const disk = new SimDisk().boot();
  await imports(disk, 100, 0);
  const rig = await (await Rig.open(disk)).watch();
  const path = importedPath(ROOT, 'GLBX');
  {
    await using file = await disk.open(path, 'write');
    await file.write(new TextEncoder().encode('?'), 3);
  }
  await rig.look();
  await rig.look();
  assert.equal(rig.faults.length, 1);
  assert.equal(rig.heard.length, 1);
  await assert.rejects(Rig.open(disk), /imported\.json/);
});

/** CME opens at 17:00 and closes at 16:00 in Chicago, in winter 23:00 and 22:00 UTC. */
for (const [what, hour] of [
  ['midnight', 24],
  ["a session's close", 22],
  ["a session's open", 23],
] as const) {
  test(`a start at ${what} tells every imported day once, and an import over it too`, async () => {
    const disk = new SimDisk().boot();
    await imports(disk, 100, 0, 1);
    const today = addDays(DAY, 1);
    const instant = epochNs(today, 0) + BigInt(hour) * BigInt(DAY_NS / 24);
    const rig = await Rig.open(disk, new MovedClock((instant - 1n) as EpochNs));
    assert.equal(rig.bookEnd, addDays(today, 60));
    rig.clock.movedNs = 1n;
    await rig.watch();
    assert.deepEqual(rig.days, [[['CLZ6', DAY, today]]]);
    await imports(disk, 200, 1);
    await rig.look();
    assert.deepEqual(rig.days.slice(1), [[['CLZ6', today]]]);
    await rig.look();
    assert.equal(rig.heard.length, 2, 'nothing is told twice');
    assert.equal(rig.bookEnd, addDays(today, hour === 24 ? 61 : 60));
    assert.deepEqual(rig.faults, []);

    const there = await (await Rig.open(disk, new MovedClock(instant as EpochNs))).watch();
    assert.deepEqual(there.days, [[]], 'all of it was served before');
  });
}

test('midnight alone makes the books reach on, and is no news of days', async () => {
  const disk = new SimDisk().boot();
  await imports(disk, 100, 0);
  const rig = await (await Rig.open(disk)).watch();
  const before = rig.bookEnd;
  rig.clock.movedNs = BigInt(DAY_NS);
  await rig.look();
  await rig.look();
  assert.deepEqual(rig.days.slice(1), [[]]);
  assert.equal(rig.bookEnd, addDays(before, 1));
});

test('of a live dataset with repairs it tells days and earlier sessions, and nothing of its contracts', async () => {
  const disk = new SimDisk().boot();
  const clock = new MovedClock(epochNs(addDays(DAY, 3), 0));
  const [listed] = LISTED;
  const live = { source: 'push', graceMs: 250, gapAfterMs: 900_000 } as const;
  const store = new SessionStore(disk, ROOT, 'GLBX');
  const [calendar] = listed!.calendars;
  const far = addDays(DAY, -500);
  const opened = await ImportedDatasets.open({
    ...{ disk, data: DATA, clock, listed: [] },
    repaired: [{ ...listed!, live }],
  });
  assert.deepEqual([opened.names, opened.markets, opened.books], [['GLBX'], [], []]);
  assert.deepEqual(opened.servedDays.get('CLZ6')?.size, 0, 'pages know that it may change');
  const heard: DatasetNews[] = [];
  let look = () => {};
  const every = (_ms: number, run: () => void) => {
    look = run;
    return { [Symbol.dispose]: () => {} };
  };
  const changed = async (news: DatasetNews) => {
    heard.push(news);
    return true;
  };
  opened.watch({ every }, { changed, onFault: (error) => assert.fail(String(error)) });
  await settled();
  await store.saveImported(extendSessionBook(null, calendar!, far, DAY, clock.now()));
  await imports(disk, 100, 0);
  look();
  await settled();
  assert.deepEqual([...heard.at(-1)!.days], [['CLZ6', [DAY]]]);
  assert.equal(heard.at(-1)!.market, null);
  assert.deepEqual([...opened.servedDays.get('CLZ6')!.keys()], [DAY]);
  assert.equal(opened.lastDayOf('GLBX', new Set(['CLZ6'])), null);
  const own = extendSessionBook(null, calendar!, DAY, addDays(DAY, 90), clock.now());
  const [joined] = opened.withEarlier('GLBX', [own]);
  assert.deepEqual([joined!.from, joined!.to], [far, addDays(DAY, 90)]);
  assert.deepEqual(opened.withEarlier('SIM', [own]), [own]);
});
