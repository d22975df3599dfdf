import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { MemoryTape, type MemoryTrade } from '../../testing/tape/memory-tape.ts';
import { GAP, locateCursor } from './locate-cursor.ts';
import { DamagedDays } from './sound-tape.ts';

const CONTRACT = 'ESZ6';
const DAY = utcDay(20261112);
const HOUR_NS = 3_600_000_000_000;

/** Trading from 10 to 12 on the first, second and fifth day; none on the third and fourth. */
const SESSIONS = createSessionTable(
  [0, 1, 4].map((days) => {
    const date = addDays(DAY, days);
    return { date, open: epochNs(date, 10 * HOUR_NS), close: epochNs(date, 12 * HOUR_NS) };
  }),
);

function trade(days: number, hours: number): MemoryTrade {
  return { at: at(days, hours), price: 100, size: 1, side: 1 };
}

function at(days: number, hours: number) {
  return epochNs(addDays(DAY, days), hours * HOUR_NS);
}

function locate(tape: MemoryTape, cursor: string, seenUntil?: EpochNs) {
  const damaged = new DamagedDays();
  const covered = { tape, contract: CONTRACT, fullSessions: SESSIONS, damaged };
  return locateCursor(covered, parseCursor(cursor)!, seenUntil);
}

function threeTrades(): MemoryTape {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([trade(0, 10.5), trade(0, 11)], at(0, 23));
  tape.commit([trade(1, 10)], at(1, 11));
  return tape;
}

test('a cursor of a trade on the tape is at that trade, whatever its k [DET-13]', async () => {
  const tape = threeTrades();
  assert.deepEqual(await locate(tape, '20261112.1.1'), { t: 'on-tape', at: at(0, 10.5) });
  assert.deepEqual(await locate(tape, '20261112.2.900'), { t: 'on-tape', at: at(0, 11) });
  assert.deepEqual(await locate(tape, '20261113.1.0'), { t: 'on-tape', at: at(1, 10) });
});

test('rank 0 is the midnight of its day [DET-02] [DET-13]', async () => {
  const tape = threeTrades();
  assert.deepEqual(await locate(tape, '20261112.0.0'), { t: 'on-tape', at: at(0, 0) });
  assert.deepEqual(await locate(tape, '20261113.0.7'), { t: 'on-tape', at: at(1, 0) });
});

test('the first rank a day does not have is beyond, on the open day as on a past one [DET-13]', async () => {
  const tape = threeTrades();
  assert.deepEqual(await locate(tape, '20261112.3.0'), { t: 'beyond' });
  assert.deepEqual(await locate(tape, '20261113.2.0'), { t: 'beyond' });
  assert.deepEqual(await locate(tape, '20261113.4294967295.0'), { t: 'beyond' });
});

test('a midnight is on the tape when the promise reaches it, not before [DET-13]', async () => {
  const tape = threeTrades();
  assert.deepEqual(await locate(tape, '20261114.0.0'), { t: 'beyond' });
  tape.commit([], at(2, 0));
  assert.deepEqual(await locate(tape, '20261114.0.0'), { t: 'on-tape', at: at(2, 0) });
  assert.deepEqual(await locate(tape, '20261115.0.0'), { t: 'beyond' });
});

test('a day off is passed though it is not on the tape; one that traded is missing', async () => {
  const tape = new MemoryTape(CONTRACT, 100);
  tape.commit([trade(0, 10)], at(0, 12));
  tape.commit([trade(4, 10)], at(4, 12));
  assert.deepEqual(await locate(tape, '20261114.0.0'), { t: 'on-tape', at: at(2, 0) });
  assert.deepEqual(await locate(tape, '20261114.1.1'), { t: 'gone' });
  assert.deepEqual(await locate(tape, '20261113.0.0'), GAP);
  assert.deepEqual(await locate(tape, '20261113.1.1'), GAP);
});

test('a day that is damaged is missing', async () => {
  const tape = threeTrades();
  const [first, ...others] = await tape.days();
  tape.days = async () => [{ ...first!, trades: 0, state: 'damaged' }, ...others];
  for (const rank of [0, 1, 9]) {
    assert.deepEqual(await locate(tape, `${first!.day}.${rank}.0`), GAP);
  }
});

test('what lies before the first day of the tape is gone', async () => {
  const tape = threeTrades();
  assert.deepEqual(await locate(tape, '20261111.0.0'), { t: 'gone' });
  assert.deepEqual(await locate(tape, '20261111.5.1'), { t: 'gone' });
});

test('what cannot be seen yet is beyond, to the very trade and the very nanosecond [DET-13] [SEC-25]', async () => {
  const tape = threeTrades();
  const late = (instant: EpochNs) => (instant + 1n) as EpochNs;
  assert.deepEqual(await locate(tape, '20261112.1.1', at(0, 10.5)), { t: 'beyond' });
  const first = { t: 'on-tape', at: at(0, 10.5) };
  assert.deepEqual(await locate(tape, '20261112.1.1', late(at(0, 10.5))), first);
  assert.deepEqual(await locate(tape, '20261112.1.900', late(at(0, 10.5))), first);
  for (const hidden of [
    '20261112.2.0',
    '20261112.3.0',
    '20261113.0.0',
    '20261113.1.0',
    '20270101.1.1',
  ]) {
    assert.deepEqual(await locate(tape, hidden, at(0, 11)), { t: 'beyond' }, hidden);
  }
  assert.deepEqual(await locate(tape, '20261113.0.0', at(1, 0)), { t: 'on-tape', at: at(1, 0) });
  assert.deepEqual(await locate(tape, '20261112.2.1', at(1, 0)), { t: 'on-tape', at: at(0, 11) });
});

test('the tape is asked the same of every cursor that cannot be seen, whether it is there or not [SEC-25]', async () => {
  const asked: string[] = [];
  const tape = new Proxy(threeTrades(), {
    get: (target, name) => {
      asked.push(String(name));
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const asking = async (cursor: string) => {
    asked.length = 0;
    await locate(tape, cursor, at(0, 10.75));
    return asked.join();
  };
  const there = await asking('20261112.2.1');
  assert.equal(there, 'rankBefore');
  for (const absent of ['20261112.3.1', '20261112.99999.1']) {
    assert.equal(await asking(absent), there);
  }
  // Days that this caller may not see yet are not looked up at all.
  for (const later of ['20261113.0.0', '20261113.1.1', '20261113.2.1', '20261114.0.0']) {
    assert.equal(await asking(later), '');
  }
});

test('everything is beyond an empty tape', async () => {
  assert.deepEqual(await locate(new MemoryTape(CONTRACT, 100), '20261112.0.0'), { t: 'beyond' });
});
