import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { TapeGap } from '../../../tape/tape-gap.ts';
import { FeedWatermark, type FeedWatermarkOptions, type NextWatermark } from './feed-watermark.ts';

const DAY = utcDay(20_260_105);
const MIDNIGHT = epochNs(DAY, 0);
const TEN = epochNs(DAY, 36_000_000_000_000);
const at = (seconds: number, from = TEN): EpochNs =>
  (from + BigInt(Math.round(seconds * 1e9))) as EpochNs;
const MINUTE = 60;

function stage(options: Partial<FeedWatermarkOptions> = {}) {
  return new FeedWatermark({
    members: ['ES'],
    hoursOf: () => null,
    isKnown: () => true,
    lastId: () => -1,
    start: TEN,
    gaps: [],
    position: () => null,
    now: TEN,
    ...options,
  });
}

const gapsOf = (next: NextWatermark | null): readonly TapeGap[] =>
  (next?.notes ?? []).flatMap((note) => (note.kind === 'gap' ? [note.gap] : []));
const gap = (
  from: EpochNs,
  to: EpochNs | null,
  reason = 'outage',
  more: Partial<TapeGap> = {},
) => ({
  symbol: 'ES',
  from,
  to,
  firstId: null,
  lastId: null,
  reason,
  ...more,
});

test('the watermark is the least of the members less the grace, and never the clock', () => {
  const watermark = stage({ members: ['ES', 'NQ'] });
  assert.equal(watermark.next(at(0)), null);
  watermark.reach('ES', at(5), at(100));
  assert.equal(watermark.next(at(100)), null, 'the other member stands');
  watermark.reach('NQ', at(4), at(100));
  assert.equal(watermark.next(at(100))!.promise, at(3.75));
  watermark.reach('NQ', at(3), at(101));
  assert.equal(watermark.next(at(101)), null, 'it never goes back');
  watermark.reach('NQ', at(60), at(101));
  assert.equal(watermark.next(at(101))!.promise, at(4.75));
});

test('an interrupted member stops it: stale, down after a minute, whole again without a gap', () => {
  const watermark = stage();
  watermark.reach('ES', at(5), at(5));
  assert.equal(watermark.status(at(5)), 'live');
  watermark.interrupt('ES', at(6));
  assert.equal(watermark.next(at(10))!.promise, at(4.75));
  assert.equal(watermark.next(at(14 * MINUTE)), null);
  assert.equal(watermark.status(at(65)), 'stale');
  assert.equal(watermark.status(at(66)), 'down');
  watermark.reach('ES', at(14 * MINUTE), at(14 * MINUTE));
  assert.deepEqual(watermark.next(at(14 * MINUTE)), {
    promise: at(14 * MINUTE - 0.25),
    notes: [],
  });
  assert.equal(watermark.status(at(14 * MINUTE)), 'live');
});

test('a long outage is a growing gap behind the watermark, whose trades are never admitted', () => {
  const watermark = stage();
  watermark.traded('ES', at(5), 7);
  watermark.reach('ES', at(5), at(5));
  watermark.next(at(5));
  watermark.interrupt('ES', at(5));
  watermark.next(at(5 + 15 * MINUTE));
  const began = watermark.next(at(6 + 15 * MINUTE));
  const from = (at(5) + 1n) as EpochNs;
  assert.equal(began!.promise, at(6));
  assert.deepEqual(gapsOf(began), [gap(from, null, 'outage', { firstId: 8 })]);
  const grown = watermark.next(at(20 * MINUTE));
  assert.deepEqual([grown!.promise, gapsOf(grown)], [at(5 * MINUTE), []]);
  assert.equal(watermark.admits('ES', at(5), 8), true, 'it shares the time of the last one');
  assert.equal(watermark.admits('ES', at(6), 9), false);
  assert.equal(watermark.admits('ES', at(7), 10), false);
  assert.equal(watermark.admits('ES', at(5 * MINUTE), 11), true);
  watermark.reach('ES', at(20 * MINUTE), at(20 * MINUTE));
  const ended = watermark.next(at(20 * MINUTE));
  assert.equal(ended!.promise, at(20 * MINUTE - 0.25));
  assert.deepEqual(gapsOf(ended), [
    gap(from, at(5 * MINUTE), 'outage', { firstId: 9, lastId: 10 }),
  ]);
  assert.equal(watermark.admits('ES', at(7), 10), false);
  assert.equal(watermark.admits('ES', at(7), 11), true);
  assert.deepEqual([watermark.openGaps, watermark.closedGaps], [[], 1]);
});

test('a clock that jumps by an hour moves a gap by no more than the time that elapsed', () => {
  const watermark = stage();
  watermark.reach('ES', at(-3_600), at(0));
  watermark.interrupt('ES', at(0));
  assert.equal(watermark.next(at(20 * MINUTE)), null, 'the venue is an hour behind the start');
});

test('a gap covers open hours only: it is cut at the close and goes on at the next open', () => {
  const hour = (hours: number) => at(hours * 3_600, MIDNIGHT);
  const sessions = [0, 1, 2, 3].map((days) => {
    const date = addDays(DAY, days);
    return { date, open: hour(24 * days + 9), close: hour(24 * days + 17) };
  });
  const table = createSessionTable(sessions);
  const watermark = stage({ hoursOf: () => table, start: hour(16), now: hour(16) });
  watermark.reach('ES', hour(16), hour(16));
  watermark.interrupt('ES', hour(16));
  const from = hour(16);
  assert.deepEqual(gapsOf(watermark.next(hour(16.5))), [gap(from, null)]);
  assert.deepEqual(gapsOf(watermark.next(hour(20))), [gap(from, hour(17))]);
  assert.deepEqual(gapsOf(watermark.next(hour(33))), []);
  assert.deepEqual(gapsOf(watermark.next(hour(34))), [gap(hour(33), null)]);
  assert.equal(watermark.admits('ES', hour(16.5), 1), false);
  assert.equal(watermark.admits('ES', hour(18), 2), true, 'outside of the calendar, so not named');
  // A restart knows the gap's newest part and where the outage began.
  const resumed = stage({
    hoursOf: () => table,
    start: watermark.watermark,
    gaps: [gap(hour(33), null)],
    position: (key) => (key === 'outage:ES' ? `${from}` : null),
    now: hour(34),
  });
  assert.equal(resumed.admits('ES', hour(16.5), 1), false);
  assert.equal(resumed.admits('ES', hour(18), 2), true);
  resumed.reach('ES', hour(34), hour(34));
  assert.deepEqual(gapsOf(resumed.next(hour(34))), [gap(hour(33), hour(33.75))]);
});

test('the note of an earlier outage, left by an offer that was cut, does not begin a gap', () => {
  const begins = at(60);
  const resumed = (text: string) =>
    stage({
      start: at(100),
      gaps: [gap(begins, null)],
      position: (key) => (key === 'outage:ES' ? text : null),
      now: at(100),
    });
  assert.equal(resumed(`${at(0)} ${begins}`).admits('ES', at(30), 1), false);
  assert.equal(resumed(`${at(0)} ${at(0)}`).admits('ES', at(30), 1), true);
});

test('an empty tape begins with a gap from midnight to the first complete time', () => {
  const watermark = stage({ members: ['ES', 'NQ'], start: null, isKnown: () => false });
  assert.equal(watermark.next(at(0)), null);
  watermark.reach('ES', at(2), at(2), { from: at(1), lastMissingId: 41 });
  const first = watermark.next(at(2));
  assert.equal(first!.promise, at(1.75));
  assert.deepEqual(gapsOf(first), [
    gap(MIDNIGHT, at(1), 'start', { lastId: 41 }),
    gap(MIDNIGHT, null, 'start', { symbol: 'NQ' }),
  ]);
  assert.equal(watermark.admits('NQ', at(1), 5), false);
  watermark.reach('NQ', at(60), at(60), { from: at(59) });
  watermark.reach('ES', at(60), at(60));
  assert.deepEqual(gapsOf(watermark.next(at(60))), [
    gap(MIDNIGHT, at(59), 'start', { symbol: 'NQ' }),
  ]);
});

test('a tape that begins at midnight has nothing of the day before', () => {
  const watermark = stage({ start: null, isKnown: () => false });
  watermark.reach('ES', at(0.1, MIDNIGHT), at(0), { from: at(0.1, MIDNIGHT) });
  assert.equal(watermark.next(at(0))!.promise, null);
  watermark.reach('ES', at(0.5, MIDNIGHT), at(0));
  assert.equal(watermark.next(at(0))!.promise, at(0.25, MIDNIGHT));
});

test('a contract that is new on a tape with others has a gap, and they do not wait for it', () => {
  const watermark = stage({ members: ['ES', 'NQ'], isKnown: (symbol) => symbol === 'ES' });
  watermark.reach('ES', at(5), at(5));
  const next = watermark.next(at(5));
  assert.equal(next!.promise, at(4.75));
  assert.deepEqual(gapsOf(next), [gap(MIDNIGHT, null, 'start', { symbol: 'NQ' })]);
});

test('lost trades are a gap behind the watermark, named by their numbers, and never replace another', () => {
  const watermark = stage();
  watermark.reach('ES', at(10), at(10));
  watermark.next(at(10));
  const ids = { firstId: 5, lastId: 6 };
  watermark.lose('ES', { from: at(3), to: at(4), ids, reason: 'lost' });
  watermark.lose('ES', { from: at(4), to: at(12), ids: { firstId: 8, lastId: 8 }, reason: 'lost' });
  const from = at(9.75);
  assert.deepEqual(gapsOf(watermark.next(at(11))), [
    gap(from, (from + 1n) as EpochNs, 'lost', ids),
    gap((from + 1n) as EpochNs, at(12), 'lost', { firstId: 8, lastId: 8 }),
  ]);
  assert.deepEqual(
    [5, 6, 7, 8, 9].map((id) => watermark.admits('ES', at(9.8), id)),
    [false, false, true, false, true],
  );
});

test('an abandoned member does not stop the others, and its gap grows with them', () => {
  const watermark = stage({ members: ['ES', 'NQ'] });
  for (const symbol of ['ES', 'NQ']) watermark.reach(symbol, at(5), at(5));
  watermark.next(at(5));
  watermark.abandon('ES', 'price off the tick grid', at(6));
  watermark.reach('NQ', at(20), at(20));
  const next = watermark.next(at(20));
  assert.equal(next!.promise, at(19.75));
  assert.deepEqual(gapsOf(next), [gap(at(4.75), null, 'price off the tick grid')]);
  assert.deepEqual(
    [watermark.status(at(90)), watermark.memberStatus('ES', at(20))],
    ['live', 'down'],
  );
});

test('one member may stand for all contracts of a push source', () => {
  const watermark = stage({ members: ['*'], symbolsOf: () => ['ES', 'NQ'] });
  watermark.reach('*', at(5), at(5));
  watermark.next(at(5));
  watermark.interrupt('*', at(5));
  const from = at(4.75);
  assert.deepEqual(gapsOf(watermark.next(at(20 * MINUTE))), [
    gap(from, null),
    gap(from, null, 'outage', { symbol: 'NQ' }),
  ]);
  watermark.reach('*', at(20 * MINUTE), at(20 * MINUTE));
  assert.equal(gapsOf(watermark.next(at(20 * MINUTE))).length, 2);
});

test('a restart resumes at the durable watermark and counts the outage anew', () => {
  const watermark = stage({ now: at(3_600) });
  assert.equal(watermark.next(at(3_600 + 14 * MINUTE)), null);
  const next = watermark.next(at(3_600 + 15 * MINUTE));
  assert.deepEqual([next!.promise, gapsOf(next)], [at(3_600), [gap(TEN, null)]]);
});

test('every session of a long weekend without service has a gap of its own', () => {
  const days = Array.from({ length: 5 }, (_, index) => addDays(DAY, index) as UtcDay);
  const table = createSessionTable(
    days.map((date) => ({ date, open: epochNs(date, 1e9), close: epochNs(date, 2e9) })),
  );
  const now = epochNs(addDays(DAY, 4), 0);
  const watermark = stage({ hoursOf: () => table, start: MIDNIGHT, now });
  watermark.reach('ES', now, now);
  watermark.lose('ES', { from: MIDNIGHT, to: now, ids: null, reason: 'lost' });
  assert.equal(gapsOf(watermark.next(now)).length, 4);
});
