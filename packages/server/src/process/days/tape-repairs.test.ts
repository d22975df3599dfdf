import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { Rank } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { TapeEnd } from '../../topics/epoch-floors.ts';
import { dayMatters, TapeRepairs, type TapeRepairsOptions } from './tape-repairs.ts';

const DAY = utcDay(20261112);
const HOUR_NS = 3_600_000_000_000;
const END: TapeEnd = { day: DAY, rank: 70 as Rank };

class Recorded {
  readonly floors: string[] = [];
  readonly asked: string[] = [];
  readonly faults: unknown[] = [];
  isDiskFull = false;
  writes = 0;
  readonly repairs: TapeRepairs;

  constructor(options: Partial<TapeRepairsOptions> = {}) {
    const recordRepair = async (
      contract: string,
      { day, rank }: TapeEnd,
      ...repaired: readonly number[]
    ) => {
      if (this.isDiskFull) throw new Error('full');
      for (const one of repaired) this.floors.push(`${contract} ${day}.${rank} ${one}`);
      this.writes += 1;
    };
    this.repairs = new TapeRepairs({
      computeAnew: async (contract) => {
        this.asked.push(contract);
        return END;
      },
      epochs: Promise.resolve({ recordRepair }),
      mayHaveCursors: () => true,
      onFault: (error) => this.faults.push(error),
      ...options,
    });
  }
}

test('a day matters to the cursors of its sessions, and of those that look back on them', () => {
  const table = (openHour: number, closeHour: number) =>
    createSessionTable(
      [-10, -9, -8, -5, -4, -3, -2, -1, 0].map((offset) => {
        const date = addDays(DAY, offset);
        const open = epochNs(date, openHour * HOUR_NS);
        return { date, open, close: epochNs(date, closeHour * HOUR_NS) };
      }),
    );
  const matters = (sessions: ReturnType<typeof table>, lookBack: number, cursor: number) =>
    [-10, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0].filter((offset) =>
      dayMatters({ sessions, lookBack }, { day: addDays(DAY, cursor) }, addDays(DAY, offset)),
    );
  // Sessions from midnight to midnight, and from 22:00 to 21:00 on the next day.
  const [days, nights] = [table(0, 24), table(-2, 21)];
  assert.deepEqual(matters(days, 0, -1), [-1]);
  assert.deepEqual(matters(nights, 0, -1), [-2, -1]);
  assert.deepEqual(matters(nights, 1, -1), [-3, -2, -1]);
  // On a day off the previous session is shown.
  assert.deepEqual(matters(nights, 0, -6), [-9, -8, -7, -6]);
});

test('until it is recorded a repair is under way; what fails is made up for with the next day', async () => {
  const recorded = new Recorded();
  const { repairs } = recorded;
  recorded.isDiskFull = true;
  repairs.noteFilled('AA', DAY);
  assert.deepEqual([repairs.underWay('AA'), repairs.underWay('BB')], [[DAY], []]);
  await repairs.idle;
  assert.deepEqual([repairs.underWay('AA'), recorded.faults.length], [[DAY], 1]);
  recorded.isDiskFull = false;
  repairs.noteFilled('AA', addDays(DAY, -1));
  await repairs.idle;
  assert.deepEqual(repairs.underWay('AA'), []);
  assert.deepEqual(recorded.floors, ['AA 20261112.70 20261112', 'AA 20261112.70 20261111']);
  assert.deepEqual(recorded.asked, ['AA', 'AA']);
});

test('where no cursor can have been issued nothing is computed or recorded', async () => {
  const recorded = new Recorded({ mayHaveCursors: () => false });
  recorded.repairs.noteFilled('AA', DAY);
  await recorded.repairs.idle;
  assert.deepEqual([recorded.asked, recorded.floors], [[], []]);
  assert.deepEqual(recorded.repairs.underWay('AA'), []);
});

test('the days of an import are recorded at once, and computed anew though nobody has a cursor', async () => {
  const days = [0, -1, -2].map((offset) => addDays(DAY, offset));
  const recorded = new Recorded();
  recorded.repairs.noteImported('AA', days);
  assert.deepEqual(recorded.repairs.underWay('AA'), days);
  await recorded.repairs.idle;
  assert.deepEqual([recorded.asked, recorded.floors.length, recorded.writes], [['AA'], 3, 1]);
  const unserved = new Recorded({ mayHaveCursors: () => false });
  unserved.repairs.noteImported('AA', days);
  await unserved.repairs.idle;
  assert.deepEqual([unserved.asked, unserved.floors], [['AA'], []]);
});

test('a day that becomes another once more while it is computed anew is computed anew once more', async () => {
  const asked: PromiseWithResolvers<TapeEnd>[] = [];
  const recorded = new Recorded({
    computeAnew: () => {
      asked.push(Promise.withResolvers());
      return asked.at(-1)!.promise;
    },
  });
  const { repairs } = recorded;
  repairs.noteImported('AA', [DAY]);
  await new Promise(setImmediate);
  repairs.noteImported('AA', [DAY]);
  asked[0]!.resolve(END);
  await new Promise(setImmediate);
  assert.deepEqual([asked.length, repairs.underWay('AA')], [2, [DAY]]);
  asked[1]!.resolve(END);
  await repairs.idle;
  assert.deepEqual([recorded.writes, repairs.underWay('AA')], [2, []]);
});
