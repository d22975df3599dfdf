import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { sleep } from './sleep.ts';

/** Runs everything that waits for no timer. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function asleep(ms: number, signal?: AbortSignal) {
  const clock = new ManualClock(0n);
  const state = { isOver: false };
  void sleep(clock, ms, signal).then(() => {
    state.isOver = true;
  });
  return { clock, state };
}

test('a sleep is over when its time has passed, and not before', async () => {
  const { clock, state } = asleep(250);
  clock.advance(249);
  await settle();
  assert.equal(state.isOver, false);
  clock.advance(1);
  await settle();
  assert.deepEqual([state.isOver, clock.timerCount], [true, 0]);
});

test('an abort ends a sleep, which leaves no timer and no listener behind', async () => {
  const stopping = new AbortController();
  const { clock, state } = asleep(60_000, stopping.signal);
  await settle();
  assert.deepEqual([state.isOver, clock.timerCount], [false, 1]);
  stopping.abort();
  await settle();
  assert.deepEqual([state.isOver, clock.timerCount], [true, 0]);
  assert.deepEqual(getEventListeners(stopping.signal, 'abort'), []);
});

test('a sleep that ends by its time leaves no listener behind', async () => {
  const { signal } = new AbortController();
  const { clock, state } = asleep(10, signal);
  clock.advance(10);
  await settle();
  assert.equal(state.isOver, true);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

test('nobody sleeps on a signal that was aborted before', async () => {
  const { clock, state } = asleep(60_000, AbortSignal.abort());
  await settle();
  assert.deepEqual([state.isOver, clock.timerCount], [true, 0]);
});
