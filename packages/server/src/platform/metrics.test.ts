import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addHistogram, createMetrics } from './metrics.ts';
import { VERSION } from './version.ts';

test('a histogram that is counted elsewhere is exposed as one', async () => {
  const registry = createMetrics();
  const read = () => ({ buckets: { '0.5': 2, '+Inf': 3 }, sum: 1.75, count: 3 });
  addHistogram(registry, { name: 'tapeloom_turn_seconds', help: 'Turns.', read });
  const text = await registry.metrics();
  const lines = text.split('\n').filter((line) => line.includes('tapeloom_turn_seconds'));
  assert.deepEqual(lines, [
    '# HELP tapeloom_turn_seconds Turns.',
    '# TYPE tapeloom_turn_seconds histogram',
    'tapeloom_turn_seconds_bucket{le="0.5"} 2',
    'tapeloom_turn_seconds_bucket{le="+Inf"} 3',
    'tapeloom_turn_seconds_sum 1.75',
    'tapeloom_turn_seconds_count 3',
  ]);
});

test('which version runs is a metric', async () => {
  const text = await createMetrics().metrics();
  const line = `tapeloom_build_info{version="${VERSION}",node="${process.version}"} 1`;
  assert.ok(text.split('\n').includes(line), text);
});
