import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { acceleratedFrom, createClock, heldAt, letGo } from './system-clock.ts';

function fakeMachine() {
  return {
    wall: 1_000_000,
    monotonic: 5_000n,
    wallMs() {
      return this.wall;
    },
    monotonicNs() {
      return this.monotonic;
    },
    pass(ms: number, wallMs = ms) {
      this.wall += wallMs;
      this.monotonic += BigInt(ms) * 1_000_000n;
    },
  };
}

function clockOver(machine: ReturnType<typeof fakeMachine>) {
  return createClock(
    { kind: 'system' },
    { wallMs: () => machine.wallMs(), monotonicNs: () => machine.monotonicNs() },
  );
}

test('the system clock follows the machine and jumps forward with it', () => {
  const machine = fakeMachine();
  const clock = clockOver(machine);
  machine.pass(10);
  assert.equal(clock.now(), 1_000_010n * 1_000_000n);
  machine.pass(10, 3_600_000);
  assert.equal(clock.now(), BigInt(machine.wall) * 1_000_000n);
});

test('a machine clock set back an hour slows ours to half speed, never back', () => {
  const machine = fakeMachine();
  const clock = clockOver(machine);
  const before = clock.now();
  machine.pass(0, -3_600_000);
  assert.equal(clock.now(), before);
  machine.pass(1000);
  assert.equal(clock.now() - before, 500_000_000n);
  machine.pass(7_200_000);
  machine.pass(10);
  const drift = clock.now() - BigInt(machine.wall) * 1_000_000n;
  assert.ok(drift >= -20_000_000n && drift <= 20_000_000n, `drift ${drift}`);
});

test('an accelerated clock runs by its factor from its origin, alike in every thread', () => {
  const machine = fakeMachine();
  const ports = { wallMs: () => machine.wallMs(), monotonicNs: () => machine.monotonicNs() };
  const setting = acceleratedFrom(7n as EpochNs, 60, ports);
  machine.pass(1000);
  const [a, b] = [createClock(setting, ports), createClock(structuredClone(setting), ports)];
  assert.equal(a.now(), 60_000_000_007n);
  assert.equal(b.now(), a.now());
});

test('speeds outside 1 to 10,000 are refused', () => {
  for (const speed of [0, 0.5, 10_001, Number.NaN]) {
    assert.throws(() => acceleratedFrom(0n as EpochNs, speed), RangeError);
  }
});

test('timers of an accelerated clock count its time, and a disposed one stays silent', async () => {
  const clock = createClock(acceleratedFrom(0n as EpochNs, 10_000));
  let cancelled = 0;
  clock.after(1, () => cancelled++)[Symbol.dispose]();
  await new Promise<void>((resolve) => clock.after(50_000, resolve));
  let ticks = 0;
  await new Promise<void>((resolve) => {
    const timer = clock.every(10_000, () => {
      ticks += 1;
      if (ticks < 3) return;
      timer[Symbol.dispose]();
      resolve();
    });
  });
  assert.equal(cancelled, 0);
  assert.equal(ticks, 3);
  assert.throws(() => clock.after(Number.NaN, () => {}), RangeError);
  assert.throws(() => clock.after(-1, () => {}), RangeError);
});

test('a held clock stands until it is let go, and runs from there in every thread that has its record', () => {
  const machine = fakeMachine();
  const fakes = { wallMs: () => machine.wallMs(), monotonicNs: () => machine.monotonicNs() };
  const setting = heldAt(1_000n as EpochNs, 10);
  const clocks = [createClock(setting, fakes), createClock(structuredClone(setting), fakes)];
  const times = () => clocks.map((clock) => clock.now());
  machine.pass(5_000);
  assert.deepEqual(times(), [1_000n, 1_000n]);
  letGo(setting, fakes);
  assert.deepEqual(times(), [1_000n, 1_000n]);
  machine.pass(1);
  assert.deepEqual(times(), [10_001_000n, 10_001_000n]);
  letGo(setting, fakes);
  assert.deepEqual(times(), [10_001_000n, 10_001_000n]);
  assert.throws(() => heldAt(0n as EpochNs, 0), /speed must be from 1 to 10000/);
});
