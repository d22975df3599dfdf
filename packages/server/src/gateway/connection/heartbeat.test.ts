import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { Heartbeat } from './heartbeat.ts';

const EVERY_MS = 5_000;

/** Runs the pending timer on demand, however late. */
class LateTimers {
  nowMs = 0;
  #timer: { readonly dueMs: number; readonly run: () => void } | null = null;

  now(): EpochNs {
    return BigInt(this.nowMs * 1e6) as EpochNs;
  }

  after(ms: number, run: () => void): Disposable {
    this.#timer = { dueMs: this.nowMs + ms, run };
    return {
      [Symbol.dispose]: () => {
        this.#timer = null;
      },
    };
  }

  get dueMs(): number | null {
    return this.#timer?.dueMs ?? null;
  }

  runAt(ms: number): void {
    this.nowMs = ms;
    this.#timer?.run();
  }
}

test('a beat that comes late does not move the next one', () => {
  const timers = new LateTimers();
  let beats = 0;
  using _heartbeat = new Heartbeat(timers, EVERY_MS, () => {
    beats += 1;
  });
  assert.equal(timers.dueMs, 5_000);
  timers.runAt(5_300);
  assert.equal(timers.dueMs, 10_000);
  timers.runAt(10_000);
  assert.deepEqual([timers.dueMs, beats], [15_000, 2]);
});

test('beats that a process has slept through are left out', () => {
  const timers = new LateTimers();
  using _heartbeat = new Heartbeat(timers, EVERY_MS, () => {});
  timers.runAt(62_000);
  assert.equal(timers.dueMs, 67_000);
});

test('a clock that stands or was set back holds no beat up', () => {
  const timers = new LateTimers();
  using _heartbeat = new Heartbeat(timers, EVERY_MS, () => {});
  timers.runAt(2_500);
  assert.equal(timers.dueMs, 7_500);
});

test('one that ends while it beats beats no more', () => {
  const timers = new LateTimers();
  const heartbeat: Heartbeat = new Heartbeat(timers, EVERY_MS, () => heartbeat[Symbol.dispose]());
  timers.runAt(5_000);
  assert.equal(timers.dueMs, null);
});
