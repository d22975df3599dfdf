import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { WatermarkRequests } from './watermark-requests.ts';

test('the first request is sent at once, and however many follow, twenty a second and the last one', () => {
  const clock = new ManualClock(0n);
  const sent: number[] = [];
  const requests = new WatermarkRequests(clock, () => sent.push(Number(clock.now()) / 1e6));
  requests.request('SIM');
  assert.deepEqual(sent, [0]);
  for (let ms = 1; ms <= 100; ms += 1) {
    clock.advance(1);
    for (let reader = 0; reader < 10; reader += 1) requests.request('SIM');
  }
  assert.deepEqual(sent, [0, 50, 100]);
  clock.advance(1_000);
  assert.deepEqual(
    sent,
    [0, 50, 100, 150],
    'what was requested last is sent, and nothing without a request',
  );
  requests.request('SIM');
  assert.equal(sent.at(-1), 1_100);
});

test('a clock that is set back keeps nobody waiting', () => {
  let now = 10_000_000_000n;
  let sent = 0;
  const clock = { now: () => now, after: () => assert.fail('it waits') };
  const requests = new WatermarkRequests(clock as never, () => {
    sent += 1;
  });
  requests.request('SIM');
  now = 1_000_000_000n;
  requests.request('SIM');
  assert.equal(sent, 2);
});
