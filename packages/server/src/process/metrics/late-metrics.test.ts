import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LateMetrics } from './late-metrics.ts';

const COUNT = /^tapeloom_http_request_seconds_count\{path="\/v1\/status",status="200"\} (\d+)$/m;

test('what is told before the metrics are there is counted once they are', async () => {
  const metrics = new LateMetrics(() => 7);
  const count = () => metrics.tell((it) => it.countRequest('/v1/status', 200, 0.01));
  count();
  count();
  const [registry, same] = await Promise.all([metrics.registry(), metrics.registry()]);
  assert.equal(registry, same);
  count();
  const text = await registry.metrics();
  assert.equal(COUNT.exec(text)?.[1], '3');
  assert.match(text, /^tapeloom_log_lines_left_out_total 7$/m);
});

test('they come by themselves before too much waits for them', async () => {
  const metrics = new LateMetrics(undefined);
  let told = 0;
  for (let times = 0; times < 1_000; times += 1) {
    metrics.tell(() => {
      told += 1;
    });
  }
  await metrics.registry();
  assert.equal(told, 1_000);
});
