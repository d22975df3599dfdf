import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { randomTape } from '../../../core/testing/twins/random-tape.ts';
import { SUBJECTS } from '../../../core/testing/twins/study-subjects.ts';
import {
  CONTRACT,
  INDICATOR,
  type LeftOut,
  SettledWorld,
} from '../../testing/history/settled-world.ts';
import { missingLookBack, sessionBefore } from './look-back.ts';
import { byDay } from './missing-times.ts';

const HOUR_NS = 3_600_000_000_000;
const DAY = utcDay(20261101);
const SESSIONS_MAX = 10;

function at(days: number, hours: number): EpochNs {
  return epochNs(addDays(DAY, days), hours * HOUR_NS);
}

/** Sessions from 22:00 to 21:00 of the next day, on 20 days. */
const sessions = createSessionTable(
  Array.from({ length: 20 }, (_, day) => {
    return { date: addDays(DAY, day + 1), open: at(day, 22), close: at(day + 1, 21) };
  }),
);

/** The missing look-back of a tape with these days. */
function missing(days: readonly number[], from: EpochNs, to: EpochNs, sessionsMax = SESSIONS_MAX) {
  const onTape = new Set(days.map((day) => addDays(DAY, day)));
  const found = missingLookBack(
    { sessions, sessionsMax },
    from,
    to,
    byDay((day) => onTape.has(day)),
  );
  return found?.map((day) => (day % 100) - 1) ?? null;
}

test('one complete session of the look-back will do, wherever it lies [DET-19]', () => {
  const all = Array.from({ length: 21 }, (_, day) => day);
  assert.equal(missing(all, at(12, 0), at(15, 0)), null);
  // The session that opened on day 1 is complete: it counts for ten sessions, and no longer for the eleventh.
  const early = [1, 2, 11, 13];
  assert.equal(missing(early, at(11, 22), at(11, 23)), null);
  assert.deepEqual(missing(early, at(12, 22), at(12, 23)), [3, 4, 5, 6, 7, 8, 9, 10, 12]);
  assert.deepEqual(missing(early, at(11, 22), at(12, 23)), [3, 4, 5, 6, 7, 8, 9, 10, 12]);
  assert.equal(missing(early, at(11, 22), at(12, 22)), null, 'the next one opens at the very end');
});

test('a session of the range that is complete serves those after it [DET-19]', () => {
  assert.deepEqual(missing([12, 13, 14], at(12, 22), at(14, 0)), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.equal(missing([12, 13, 14], at(13, 22), at(14, 0)), null);
});

test('before the first session no day can be named; who looks back on nothing lacks nothing', () => {
  assert.deepEqual(missing([0, 1], at(0, 22), at(1, 0)), []);
  assert.equal(missing([0, 1], at(0, 0), at(0, 22)), null, 'no session reaches into the range');
  assert.equal(missing([], at(5, 0), at(9, 0), 0), null);
});

test('what is refused before would have been refused after computing, and only too few trades are left to that [DET-19] [ERR-20]', async () => {
  const subjects = fc
    .constantFrom(SUBJECTS['large-trades']!, SUBJECTS.absorption!, SUBJECTS['session-levels']!)
    .chain((subject) => subject);
  const gaps = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 });
  const property = fc.asyncProperty(
    fc.tuple(subjects, randomTape, gaps, fc.nat(), fc.nat()),
    async ([subject, tape, gap, first, length]) => {
      const leftOut: LeftOut = (_day, index) => gap[index % gap.length]!;
      const world = new SettledWorld(tape, subject, { leftOut });
      const { days } = world;
      if (days.length === 0) return;
      const start = first % days.length;
      const firstDay = days[start]!;
      const lastDay = days[start + (length % (days.length - start))]!;
      const end = epochNs(addDays(lastDay, 1), 0);
      const until = end < world.until ? end : world.until;
      const from = epochNs(firstDay, 0);
      const study = { indicator: INDICATOR, params: {}, from, hasSnapshot: false };
      const coverage = await world.reader.coverage(CONTRACT, from, until, study);
      if (coverage.missingDays.length > 0) return;
      const isWarm = (await world.read({ firstDay, until })).every((result) => result.isWarm);
      const isRefused = coverage.missingLookBack !== null;
      assert.equal(isRefused, subject.lookBackSessions > 0 && (await hasCold(world, from, until)));
      if (isRefused) assert.equal(isWarm, false);
    },
  );
  await fc.assert(property, { numRuns: 400 });
});

/** Whether some session of [from, to) has no complete session among the ten before it. */
async function hasCold({ tape, sessions: table }: SettledWorld, from: EpochNs, to: EpochNs) {
  const onTape = new Set((await tape.days()).map(({ day }) => day));
  const missing = ({ open, close }: { readonly open: EpochNs; readonly close: EpochNs }) => {
    for (let day: UtcDay = dayOf(open); epochNs(day, 0) < close; day = addDays(day, 1)) {
      if (!onTape.has(day)) return true;
    }
    return false;
  };
  for (
    let at = table.atOrAfter(from);
    at !== null && at.open < to;
    at = table.atOrAfter(at.close)
  ) {
    let isCold = true;
    let earlier = sessionBefore(table, at.open);
    for (let back = 1; back <= 10 && earlier !== null; back += 1) {
      if (!missing(earlier)) isCold = false;
      earlier = sessionBefore(table, earlier.open);
    }
    if (isCold) return true;
  }
  return false;
}
