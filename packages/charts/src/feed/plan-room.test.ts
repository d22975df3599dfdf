import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAN_LIMITS } from '@tapeloom/core/entitlement/plan';
import { DEFAULT_CHART } from '../spec/chart-spec.ts';
import { needsOf } from './chart-needs.ts';
import { PlanRoom, type TopicNeed } from './plan-room.ts';

const need = (key: string, name: string, params: TopicNeed['params'] = {}): TopicNeed => ({
  key,
  instrument: 'ES.c.0',
  indicator: name.replaceAll(' ', '-'),
  params,
  name,
});

test('the free plan has room for two subscriptions, and says what a third would need', () => {
  const room = new PlanRoom('sandbox', PLAN_LIMITS.sandbox);
  room.take(need('a/bars', 'footprint', { size: 300 }));
  const second = room.verdict([need('a/k', 'large trades')]);
  assert.ok(second.hasRoom);
  assert.equal(second.text, '2 of 2 subscriptions, 1 of 1 custom configuration');
  room.take(need('a/k', 'large trades'));
  const third = room.verdict([need('a/s', 'sweeps')]);
  assert.deepEqual([third.hasRoom, third.lacks], [false, 'subscriptions']);
  assert.equal(
    third.text,
    'Needs a third subscription. Your plan has two: footprint and large trades are open.',
  );
  assert.deepEqual(
    third.replaceable.map(({ key }) => key),
    ['a/k', 'a/bars'],
  );
  assert.ok(room.verdict([need('a/s', 'sweeps')], ['a/k']).hasRoom);
});

test('a second custom configuration has no room there, and equal ones count once', () => {
  const room = new PlanRoom('sandbox', PLAN_LIMITS.sandbox, (name) =>
    name === 'ES.c.0' ? 'ESZ6' : name,
  );
  const leave = room.take(need('a/bars', 'footprint', { size: 300 }));
  const other = room.verdict([need('b/bars', 'footprint', { size: 900 })]);
  assert.equal(other.lacks, 'custom configurations');
  assert.equal(
    other.text,
    'Needs a second custom configuration. Your plan has one: footprint is open.',
  );
  const same = { ...need('b/bars', 'footprint', { size: 300 }), instrument: 'ESZ6' };
  assert.ok(room.verdict([same]).hasRoom);
  const changed = room.verdict([need('a/bars', 'footprint', { size: 900 })]);
  assert.ok(changed.hasRoom, 'the same chart with other bars takes its own place');
  leave();
  assert.deepEqual(room.taken, []);
});

test('a place that was taken anew is not given back by its former owner', () => {
  const room = new PlanRoom('live', PLAN_LIMITS.live);
  const leave = room.take(need('a', 'bars'));
  room.take(need('a', 'footprint'));
  leave();
  assert.deepEqual(
    room.taken.map(({ name }) => name),
    ['footprint'],
  );
  assert.equal(
    room.verdict([need('b', 'vwap')]).text,
    '2 of 50 subscriptions, 0 of 25 custom configurations',
  );
});

test('a plan becomes smaller: what is open does not fit any more', () => {
  const room = new PlanRoom('live', PLAN_LIMITS.live);
  for (const key of ['a', 'b', 'c']) room.take(need(key, 'bars'));
  room.change('sandbox', PLAN_LIMITS.sandbox);
  assert.equal(room.planName, 'Sandbox');
  const verdict = room.verdict([]);
  assert.equal(verdict.lacks, 'subscriptions');
  assert.match(
    verdict.text,
    /^Needs a third subscription\. Your plan has two: bars, bars and bars/,
  );
});

test('what the footprint holds needs nothing more: a first visit takes one subscription of any plan', () => {
  const needs = needsOf('a', DEFAULT_CHART, true);
  assert.deepEqual(
    needs.map(({ key, indicator, params }) => [key, indicator, params]),
    [['a/bars', 'footprint', { depth: 5_000, size: 300 }]],
  );
  const room = new PlanRoom('sandbox', PLAN_LIMITS.sandbox);
  assert.ok(room.verdict(needs).hasRoom);
  const unsummed = needsOf('a', DEFAULT_CHART, false);
  assert.deepEqual(
    unsummed.map(({ indicator }) => indicator),
    ['footprint', 'vwap', 'delta', 'volume-profile'],
  );
  assert.ok(!room.verdict(unsummed).hasRoom);
});
