import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '../numbers.ts';
import { DAY_NS_BIG, MINUTE_NS_BIG, SECOND_NS_BIG } from '../units.ts';
import { type NotedState, type StatusSpan, statusHistory } from './status-history.ts';

/** Midnight of 2026-11-18. */
const MIDNIGHT = 1_794_960_000n * SECOND_NS_BIG;
const NOON = (MIDNIGHT + 720n * MINUTE_NS_BIG) as EpochNs;

/** In minutes since midnight. */
function span(from: number, until: number, state: NotedState = 'up', node = ''): StatusSpan {
  const at = (minute: number) => (MIDNIGHT + BigInt(minute) * MINUTE_NS_BIG) as EpochNs;
  return { node, from: at(from), until: at(until), state };
}

function incidents(spans: readonly StatusSpan[]) {
  const minute = (at: bigint) => Number((at - MIDNIGHT) / MINUTE_NS_BIG);
  return statusHistory(spans, NOON).incidents.map(({ cause, from, until }) => [
    cause,
    minute(from),
    until === null ? null : minute(until),
  ]);
}

test('days before the record began are said to have none, and today is the last of ninety', () => {
  const { days, recordedSince } = statusHistory([span(-60, 720)], NOON);
  assert.equal(days.length, 90);
  assert.deepEqual(
    days.slice(-3).map(({ day, state, recordedSeconds }) => [day, state, recordedSeconds]),
    [
      [20_261_116, 'none', 0],
      [20_261_117, 'up', 3_600],
      [20_261_118, 'up', 43_200],
    ],
  );
  assert.equal(recordedSince, MIDNIGHT - 60n * MINUTE_NS_BIG);
  const nothing = statusHistory([], NOON);
  assert.equal(nothing.recordedSince, null);
  assert.deepEqual([...new Set(nothing.days.map(({ state }) => state))], ['none']);
});

test('a gap of the record is an outage with its times; a restart within ninety seconds is none', () => {
  assert.deepEqual(incidents([span(0, 100), span(101, 300), span(310, 720)]), [
    ['stopped', 300, 310],
  ]);
  // No node has recorded a state for an hour.
  assert.deepEqual(incidents([span(0, 660)]), [['stopped', 660, null]]);
});

test('an outage over midnight counts for both days, and a day has the worst of it', () => {
  const spans = [span(-600, -30), span(-30, 45, 'engine'), span(45, 500, 'feed'), span(500, 720)];
  assert.deepEqual(incidents(spans), [
    ['feed', 45, 500],
    ['engine', -30, 45],
  ]);
  const [yesterday, today] = statusHistory(spans, NOON).days.slice(-2);
  assert.deepEqual([yesterday!.state, yesterday!.downSeconds], ['down', 1_800]);
  assert.deepEqual(
    [today!.state, today!.downSeconds, today!.partialSeconds],
    ['down', 2_700, 27_300],
  );
});

test('of several nodes the best counts: one that is down or stopped is no outage while another serves', () => {
  const spans = [
    span(0, 300, 'up', 'a'),
    span(300, 400, 'engine', 'a'),
    span(0, 350, 'up', 'b'),
    span(380, 720, 'up', 'b'),
  ];
  assert.deepEqual(incidents(spans), [['engine', 350, 380]]);
});

test('what a clock that was ahead has noted in the future is left out', () => {
  assert.deepEqual(incidents([span(0, 720), span(5_000, 6_000, 'engine')]), []);
});

test('incidents older than ninety days are forgotten, and of the others the newest hundred are named', () => {
  const days = Number((91n * DAY_NS_BIG) / MINUTE_NS_BIG);
  assert.deepEqual(incidents([span(-days, 1 - days, 'engine'), span(1 - days, 720)]), []);
  const many = Array.from({ length: 300 }, (_, index) =>
    span(index * 2, index * 2 + 2, index % 2 === 0 ? 'up' : 'engine'),
  );
  const named = incidents([...many, span(600, 720)]);
  assert.equal(named.length, 100);
  assert.deepEqual(named[0], ['engine', 598, 600]);
});
