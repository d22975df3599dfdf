import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameScripts, type TraceEvent } from './frame-scripts.ts';

const at = (name: string, ts: number, dur: number, tdur = dur): TraceEvent => {
  return { name, ph: 'X', pid: 1, tid: 1, ts, dur, tdur };
};
const mark = (ts: number): TraceEvent => ({ name: 'bench-frame', ph: 'I', pid: 1, tid: 1, ts });

test('a frame has its callbacks, timers and microtasks once, and nothing of other threads', () => {
  const frames = frameScripts([
    at('FireAnimationFrame', 1_000, 2_000),
    mark(1_100),
    at('FunctionCall', 1_050, 1_900),
    at('MinorGC', 1_500, 300),
    at('FireAnimationFrame', 3_000, 4_000, 1_000),
    at('TimerFire', 9_000, 500),
    { ...at('FunctionCall', 9_600, 9_000), tid: 2 },
    at('FireAnimationFrame', 17_000, 100),
    mark(17_050),
  ]);
  assert.deepEqual(frames, [{ cpuMs: 3.5, clockMs: 6.5, longestMs: 4 }]);
});

test('a trace without marks has no frames', () => {
  assert.deepEqual(frameScripts([at('FireAnimationFrame', 1, 1)]), []);
});
