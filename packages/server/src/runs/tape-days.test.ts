import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import { byDay, dataSince, isCompleteOn, isWholeUpTo } from './missing-times.ts';
import { TapeDays } from './tape-days.ts';

const HOUR_NS = 3_600_000_000_000;
const END = 24 * HOUR_NS;
const DAY = utcDay(20261112);

/** From 22:00 over a whole day to the end of the next. */
const session = {
  date: addDays(DAY, 2),
  open: epochNs(DAY, 22 * HOUR_NS),
  close: epochNs(addDays(DAY, 3), 0),
};

/** The midnight after the `count`-th day. */
function endOf(count: number) {
  return epochNs(addDays(DAY, count + 1), 0);
}

function on(...days: readonly number[]) {
  const found = new Set(days.map((day) => addDays(DAY, day)));
  return byDay((day) => found.has(day));
}

test('a session is whole so far when the tape has its days from the open on, and no others count', () => {
  assert.equal(isWholeUpTo(session, DAY, END, on(0)), true);
  assert.equal(isWholeUpTo(session, addDays(DAY, 1), END, on(0)), false);
  assert.equal(isWholeUpTo(session, addDays(DAY, 1), END, on(0, 1)), true);
  assert.equal(isWholeUpTo(session, addDays(DAY, 1), END, on(1, 2)), false);
  assert.equal(isCompleteOn(session, on(0, 1)), false);
  // The session closes at midnight: the day that starts then is not part of it.
  assert.equal(isCompleteOn(session, on(0, 1, 2)), true);
  assert.equal(isWholeUpTo(session, addDays(DAY, 9), END, on(0, 1, 2)), true);
});

test('a session that is not whole has data from the midnight after the last day it lacks', () => {
  assert.equal(dataSince(session, endOf(2), on(0, 1, 2)), session.open);
  assert.equal(dataSince(session, endOf(2), on(1, 2)), epochNs(addDays(DAY, 1), 0));
  assert.equal(dataSince(session, endOf(2), on(0, 2)), epochNs(addDays(DAY, 2), 0));
  assert.equal(dataSince(session, endOf(1), on(0)), epochNs(addDays(DAY, 2), 0));
});

test('no session is whole with a partial day, though that was not passed over', async () => {
  const tape = new MemoryTape('ESZ6', 1);
  for (const day of [0, 1, 2]) tape.commit([], epochNs(addDays(DAY, day), 23 * HOUR_NS));
  tape.partial.set(addDays(DAY, 1), [[0, HOUR_NS]]);
  const days = new TapeDays(tape, 'ESZ6');
  await days.learn(endOf(2));
  assert.equal(days.isWholeUpTo(session, DAY, END), true);
  assert.equal(days.isComplete(session), false);
  assert.equal(days.dataSince(session, endOf(2)), epochNs(addDays(DAY, 2), 0));
  assert.equal(days.isPassedOver(addDays(DAY, 1)), false);
  tape.partial.clear();
  (await days.lookAgain())();
  assert.equal(days.isComplete(session), true);
});
