import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateText, pastSessions, sessionDayText } from './replay-days.ts';

const HOUR = 3_600_000_000_000n;
const at = (day: number) => BigInt(Date.UTC(2026, 10, day)) * 1_000_000n;
const session = (day: number) => ({
  date: 20_261_100 + day,
  open: String(at(day) - HOUR),
  close: String(at(day) + 22n * HOUR),
  regular: { open: String(at(day) + 14n * HOUR), close: String(at(day) + 21n * HOUR) },
});

test('a session can be played when it is over and its day has data', () => {
  const history = { firstDay: '2026-11-01', lastDay: '2026-11-19', missingDays: ['2026-11-17'] };
  const days = pastSessions(
    { sessions: [session(16), session(17), session(18), session(19)] },
    {
      history: { ...history, missingDaysTotal: 1 },
      nowMs: Date.UTC(2026, 10, 19, 12),
    },
  );
  assert.deepEqual(
    days.map(({ date }) => dateText(date)),
    ['2026-11-16', '2026-11-18'],
  );
  assert.equal(days[0]!.regular!.openNs, at(16) + 14n * HOUR);
});

test('a session that ends at midnight is of the day before, in words and for missing days', () => {
  const day = {
    ...{ date: 20_261_118, open: String(at(18)), close: String(at(19)), regular: null },
  };
  const history = { firstDay: '2026-11-01', lastDay: '2026-11-20', missingDays: ['2026-11-19'] };
  const days = pastSessions(
    { sessions: [day] },
    { history: { ...history, missingDaysTotal: 1 }, nowMs: Date.UTC(2026, 10, 19, 12) },
  );
  assert.deepEqual(days.map(sessionDayText), ['Wed 18 Nov']);
});
