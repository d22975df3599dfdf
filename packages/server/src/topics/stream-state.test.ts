import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { judgeStream, type StreamFacts } from './stream-state.ts';

const DAY = utcDay(20261112);
const SECOND_NS = 1_000_000_000n;
const OPEN = epochNs(DAY, 36_000_000_000_000);
const CLOSE = epochNs(DAY, 72_000_000_000_000);

const HEALTHY: StreamFacts = {
  now: (OPEN + 60n * SECOND_NS) as EpochNs,
  sourceUp: true,
  warm: true,
  promise: (OPEN + 60n * SECOND_NS) as EpochNs,
  fullSessions: createSessionTable([{ date: DAY, open: OPEN, close: CLOSE }]),
  staleAfterMs: 5_000,
};

function state(change: Partial<StreamFacts>) {
  return judgeStream({ ...HEALTHY, ...change });
}

test('a healthy stream in an open market is live', () => {
  assert.equal(state({}), 'live');
  assert.equal(state({ now: OPEN, promise: OPEN }), 'live');
});

test('a stream is closed from the close to the next open, however old its promise', () => {
  const promise = OPEN;
  assert.equal(state({ now: CLOSE, promise }), 'closed');
  assert.equal(state({ now: (OPEN - 1n) as EpochNs, promise }), 'closed');
  assert.equal(state({ now: (CLOSE - 1n) as EpochNs, promise }), 'stale');
});

test('a stream is stale when the promise lags the clock by more than the limit', () => {
  const at = (seconds: bigint) => (HEALTHY.now - seconds * SECOND_NS) as EpochNs;
  assert.equal(state({ promise: at(5n) }), 'live');
  assert.equal(state({ promise: (at(5n) - 1n) as EpochNs }), 'stale');
  assert.equal(state({ promise: null }), 'stale');
});

test('a stream whose tape lies ahead of a clock that was set back is stale, not live', () => {
  assert.equal(state({ isAhead: true }), 'stale');
  assert.equal(state({ isAhead: true, now: CLOSE }), 'closed');
});

test('a source that is gone goes before everything, warming before the market', () => {
  assert.equal(state({ sourceUp: false, warm: false }), 'down');
  assert.equal(state({ warm: false, now: CLOSE }), 'warming');
});
