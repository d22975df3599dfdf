import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { AHEAD_MS_MAX } from '../../runs/ahead-wait.ts';
import type { CursorPlace } from '../../runs/replay.ts';
import { judgeDay, judgeGap, judgePlace, judgeTime, type StreamTimes } from './start-verdict.ts';

const TODAY = utcDay(20261112);
const SECOND_NS = 1_000_000_000n;
const HOUR_NS = 3_600n * SECOND_NS;
const NOON = (epochNs(TODAY, 0) + 12n * HOUR_NS) as EpochNs;
const LIVE: StreamTimes = { now: NOON, tape: NOON, visible: NOON, allowed: NOON };
const DELAYED: StreamTimes = {
  ...LIVE,
  visible: before(NOON, 600n),
  allowed: before(NOON, 600n),
};
const cursor = (text: string) => parseCursor(text)!;

function before(instant: EpochNs, seconds: bigint): EpochNs {
  return (instant - seconds * SECOND_NS) as EpochNs;
}

function onTape(at: EpochNs) {
  return { t: 'on-tape', at } as const;
}

function history(days: number | null) {
  return {
    contractOn: () => 'AA',
    historyFrom: () =>
      days === null ? null : ((epochNs(TODAY, 0) - BigInt(days) * 24n * HOUR_NS) as EpochNs),
  };
}

test('a start today needs no history right, an earlier one does, a future one is invalid', () => {
  const code = (time: EpochNs, times: StreamTimes, rights: Parameters<typeof judgeTime>[3]) => {
    const verdict = judgeTime(time, 'AA', times, rights);
    return typeof verdict === 'bigint' ? verdict : verdict.code;
  };
  const midnight = epochNs(TODAY, 0);
  assert.equal(code(midnight, LIVE, history(null)), midnight);
  assert.equal(code((midnight - 1n) as EpochNs, LIVE, history(null)), 'FORBIDDEN');
  assert.equal(code((midnight - 1n) as EpochNs, LIVE, history(0)), 'FORBIDDEN');
  assert.equal(code((midnight - 1n) as EpochNs, LIVE, history(1)), midnight - 1n);
  assert.equal(code((NOON + 1n) as EpochNs, LIVE, history(1)), 'INVALID_PARAMETERS');
  const rolled = { ...history(9), contractOn: (day: UtcDay) => (day < TODAY ? 'OLD' : 'AA') };
  assert.equal(code((midnight - 1n) as EpochNs, LIVE, rolled), 'INVALID_PARAMETERS');
  assert.equal(code(midnight, LIVE, rolled), midnight);
  // A time that is not visible yet starts at the visible end.
  assert.equal(code(NOON, DELAYED, history(1)), DELAYED.visible);
});

test('a cursor on an alias belongs to the contract of its day [DET-22]', () => {
  const rights = { contractOn: (day: UtcDay) => (day < TODAY ? 'OLD' : 'NEW') };
  const verdict = (text: string, contract: string, times: StreamTimes) => {
    const found = judgeDay(cursor(text), contract, times, rights);
    return found.t === 'reset' ? found.reason : found.t;
  };
  assert.equal(verdict('20261112.5.1', 'NEW', LIVE), 'locate');
  assert.equal(verdict('20261111.5.1', 'NEW', LIVE), 'roll');
  // Just after midnight a delayed stream has not rolled: the new day is not visible to it.
  const midnight = epochNs(TODAY, 0);
  const early = { ...DELAYED, now: midnight, tape: midnight, visible: before(midnight, 600n) };
  assert.equal(verdict('20261111.5.1', 'OLD', early), 'locate');
  assert.equal(verdict('20261112.5.1', 'OLD', early), 'beyond');
  // Days that have not come are looked for like any other.
  assert.equal(verdict('20261113.0.0', 'NEW', LIVE), 'locate');
  assert.equal(verdict('20270101.0.0', 'NEW', DELAYED), 'locate');
});

test('what cannot be seen is waited for, then invalid, or a reset on a key with a delay [DET-13] [DET-23]', () => {
  const rights = {
    epochReset: ({ rank }: Cursor) => (rank < 3 ? ('engine_changed' as const) : null),
  };
  const verdict = (place: CursorPlace, waitedMs: number, times = LIVE, text = '20261112.5.1') => {
    const found = judgePlace(cursor(text), place, waitedMs, times, rights);
    return found.t === 'reset' ? found.reason : found.t === 'refuse' ? found.reply.code : found.t;
  };
  assert.equal(verdict({ t: 'beyond' }, 0), 'wait');
  assert.equal(verdict({ t: 'beyond' }, AHEAD_MS_MAX - 1), 'wait');
  assert.equal(verdict({ t: 'beyond' }, AHEAD_MS_MAX), 'INVALID_PARAMETERS');
  assert.equal(verdict({ t: 'beyond' }, AHEAD_MS_MAX - 1, DELAYED), 'wait');
  assert.equal(verdict({ t: 'beyond' }, AHEAD_MS_MAX, DELAYED), 'entitlement_changed');
  assert.equal(verdict(onTape(before(NOON, 1n)), 0), 'attach');
  assert.equal(verdict(onTape(before(NOON, 601n)), 0, DELAYED), 'attach');
  const before3 = [onTape(before(NOON, 9n)), 0, LIVE, '20261112.2.9'] as const;
  assert.equal(verdict(...before3), 'engine_changed');
  assert.equal(verdict({ t: 'gone' }, 0), 'attach');
});

test('15 minutes are caught up for nothing, a covered day at its price, the rest only if nothing was missed', () => {
  const verdict = (text: string, at: EpochNs, days: number | null) =>
    judgeGap(cursor(text), onTape(at), LIVE, history(days));
  const young = before(NOON, 900n);
  const old = before(NOON, 901n);
  assert.equal(verdict('20261112.5.1', young, null), 'free-replay');
  assert.equal(verdict('20261112.5.1', old, null), 'probe');
  assert.equal(verdict('20261112.5.1', old, 0), 'charged-replay');
  assert.equal(verdict('20261111.5.1', before(NOON, 86_400n), 0), 'probe');
  assert.equal(verdict('20261111.5.1', before(NOON, 86_400n), 1), 'charged-replay');
  assert.equal(judgeGap(cursor('20261111.5.1'), { t: 'gone' }, LIVE, history(9)), 'expired');
});
