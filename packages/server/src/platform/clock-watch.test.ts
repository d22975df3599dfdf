import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstant } from '@tapeloom/core/instant-text';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { ClockWatch } from './clock-watch.ts';
import { createClock } from './system-clock.ts';

const START = parseInstant('2026-11-18T06:32:00Z')!;
const MS_NS = 1_000_000n;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A machine with a settable clock, and a service whose tape follows the service's time. */
function machineWithTape() {
  const monotonic = new ManualClock(0n);
  let offsetMs = Number(START / MS_NS);
  const machine = {
    monotonicNs: () => monotonic.now(),
    wallMs: () => offsetMs + Number(monotonic.now() / MS_NS),
  };
  const clock = createClock({ kind: 'system' }, machine);
  const told: (readonly [string, number])[] = [];
  const watch = new ClockWatch({
    machine,
    timers: monotonic,
    tapeTime: () => clock.now(),
    onStep: (ms) => told.push(['step', ms]),
    onAhead: (isAhead) => told.push([isAhead ? 'ahead' : 'met', 0]),
  });
  const pass = async (ms: number) => {
    for (let done = 0; done < ms; done += 1_000) await monotonic.advance(1_000);
  };
  return { watch, told, pass, set: (ms: number) => (offsetMs += ms) };
}

test('a clock that is set forward or back by more than a minute is told once, with its direction', async () => {
  const { watch, told, pass, set } = machineWithTape();
  await pass(10_000);
  set(HOUR_MS);
  await pass(5_000);
  assert.deepEqual(told, [['step', HOUR_MS]]);
  set(-30_000);
  await pass(5_000);
  assert.deepEqual(watch.steps, { forward: 1, back: 0 });
  set(-HOUR_MS);
  await pass(5_000);
  assert.deepEqual(watch.steps, { forward: 1, back: 1 });
  assert.deepEqual(told[1], ['step', -HOUR_MS - 30_000]);
});

test('a tape that lies ahead of a clock that was set back is told until the clock has met it', async () => {
  const { watch, told, pass, set } = machineWithTape();
  await pass(5_000);
  set(-10 * MINUTE_MS);
  await pass(2_000);
  assert.deepEqual(told, [
    ['step', -10 * MINUTE_MS],
    ['ahead', 0],
  ]);
  assert.ok(watch.aheadMs > 9 * MINUTE_MS, String(watch.aheadMs));
  await pass(20 * MINUTE_MS);
  assert.deepEqual(told.at(-1), ['met', 0]);
  assert.equal(told.length, 3);
  assert.ok(watch.aheadMs < 1_000, String(watch.aheadMs));
});
