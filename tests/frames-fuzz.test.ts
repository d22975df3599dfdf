import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { InProcessStream, KEY } from '../packages/server/testing/stream/in-process-stream.ts';
import { outcomeTable } from './torture/frames.ts';
import { fuzzFrames } from './torture/frames-fuzz.ts';

const FRAMES = 6_000;
const SEED = 1;

test('6,000 generated frames: every close code is the one a judge names, nothing is left behind [CLOSE-02] [CLOSE-04] [SEC-15]', async (t) => {
  await using stream = await InProcessStream.start();
  const keys = Array.from({ length: 16 }, () => KEY);
  const progress = await fuzzFrames({ port: stream.port, keys }, FRAMES, SEED);
  t.diagnostic(`\n${outcomeTable(progress)}`);
  // The run proves something only if it produced every kind of close.
  for (const code of [1000, 1002, 1003, 1005, 1007, 1009, 4001, null]) {
    assert.ok(progress.closes.has(code), `${code} was met`);
  }
  while (stream.gateway.metrics.connections > 0) await turn();
  assert.equal(stream.gateway.metrics.subscriptions, 0);
  assert.deepEqual(stream.faults, []);
});
