import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComputeCounters, ThreadCounters } from './compute-counters.ts';

test('what threads count is added up, also of those that are gone', () => {
  const counters = new ComputeCounters();
  const [one, two] = [1, 2].map(() => new ThreadCounters(counters.addThread()));
  one!.cache.hits += 2;
  one!.cache.keptBytes += 2 ** 40;
  two!.cache.hits += 3;
  two!.cache.damaged += 1;
  const { hits, keptBytes, damaged, misses } = counters.cache;
  assert.deepEqual([hits, keptBytes, damaged, misses], [5, 2 ** 40, 1, 0]);
  new ThreadCounters(counters.addThread()).cache.hits += 1;
  assert.equal(counters.cache.hits, 6);
});

test('turns are counted as a histogram counts', () => {
  const counters = new ComputeCounters();
  const [one, two] = [1, 2].map(() => new ThreadCounters(counters.addThread()));
  for (const ms of [0, 1, 1.5, 4, 600]) one!.countTurn(ms);
  two!.countTurn(500);
  const { buckets, count, sum } = counters.turns;
  assert.deepEqual(buckets, {
    0.001: 2,
    0.002: 3,
    0.005: 4,
    0.01: 4,
    0.02: 4,
    0.05: 4,
    0.1: 4,
    0.5: 5,
    '+Inf': 6,
  });
  assert.equal(count, 6);
  assert.ok(Math.abs(sum - 1.1065) < 1e-9);
});

test('without a memory a thread counts for itself', () => {
  const counters = new ThreadCounters();
  counters.cache.misses += 1;
  counters.countTurn(3);
  assert.equal(counters.cache.misses, 1);
});
