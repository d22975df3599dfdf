import assert from 'node:assert/strict';
import { test } from 'node:test';
import { easedPart, type Glide, glided } from './motion.ts';

function distance(frameMs: number): number {
  let left: Glide | null = { speed: 1 };
  let sum = 0;
  for (let ms = 0; left !== null && ms < 5000; ms += frameMs) {
    const step: ReturnType<typeof glided> = glided(left, frameMs);
    sum += step.dx;
    left = step.left;
  }
  assert.equal(left, null);
  return sum;
}

test('a glide ends, and is as long at 30 frames a second as at 120', () => {
  assert.ok(Math.abs(distance(33) - distance(8)) < 5);
});

test('a frame after a long sleep does not leap', () => {
  assert.ok(glided({ speed: 1 }, 60_000).dx < 64);
  assert.ok(easedPart(60_000) < 1);
});
