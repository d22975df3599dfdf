import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EpochNs } from '../numbers.ts';
import { dayFromNumber, epochNs, utcDay } from '../utc-day.ts';
import { calendarNamed } from './calendars.ts';
import { resolveSessions } from './resolve-sessions.ts';
import type { Session } from './session.ts';
import { createSessionTable, tradesOnUtcDay } from './session-table.ts';

/** Disjoint sessions with gaps that may be empty, so that one can close as the next opens. */
const tables = fc
  .array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 5 })), { maxLength: 20 })
  .map((steps) => {
    let at = 10n;
    return steps.map(([gap, length], index): Session => {
      const open = at + BigInt(gap);
      at = open + BigInt(length);
      return { date: dayFromNumber(index), open: open as EpochNs, close: at as EpochNs };
    });
  });
const instants = fc.bigInt({ min: 0n, max: 190n }).map((value) => value as EpochNs);

test('both look-ups find what a scan of all sessions finds', () => {
  fc.assert(
    fc.property(tables, instants, (sessions, instant) => {
      const table = createSessionTable(sessions);
      const after = sessions.find((session) => session.close > instant) ?? null;
      const before = sessions.findLast((session) => session.open <= instant) ?? null;
      assert.equal(table.atOrAfter(instant), after);
      assert.equal(table.atOrBefore(instant), before);
    }),
    { numRuns: 2000 },
  );
});

test('a session is open from its open, included, to its close, excluded', () => {
  const [session] = resolveSessions(
    calendarNamed('cme-equity'),
    'full',
    utcDay(20261112),
    utcDay(20261112),
  );
  assert.ok(session);
  const table = createSessionTable([session]);
  assert.equal(table.atOrAfter(session.open), session);
  assert.equal(table.atOrAfter((session.close - 1n) as EpochNs), session);
  assert.equal(table.atOrAfter(session.close), null);
  assert.equal(table.atOrBefore((session.open - 1n) as EpochNs), null);
  assert.equal(table.atOrBefore(session.open), session);
});

test('sessions that overlap, descend or are empty make no table', () => {
  const at = (date: number, open: bigint, close: bigint): Session => ({
    date: utcDay(date),
    open: open as EpochNs,
    close: close as EpochNs,
  });
  for (const sessions of [
    [at(20260105, 1n, 1n)],
    [at(20260105, 1n, 5n), at(20260106, 4n, 9n)],
    [at(20260105, 6n, 9n), at(20260106, 1n, 5n)],
  ]) {
    assert.throws(() => createSessionTable(sessions), RangeError);
  }
});

test('a market trades on a UTC day when a session touches it', () => {
  const [from, to] = [utcDay(20261120), utcDay(20261231)];
  const table = createSessionTable(resolveSessions(calendarNamed('cme-equity'), 'full', from, to));
  const trades = (day: number) => tradesOnUtcDay(table, utcDay(day));
  assert.equal(trades(20261121), false); // Saturday
  assert.equal(trades(20261122), true); // Sunday evening
  assert.equal(trades(20261126), true); // Thanksgiving until noon
  assert.equal(trades(20261225), false); // Christmas on a Friday
  assert.equal(trades(20270115), false); // beyond the table
  assert.equal(table.atOrAfter(epochNs(utcDay(20261225), 0))?.date, 20261228);
});
