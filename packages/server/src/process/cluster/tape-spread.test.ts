import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tapeSpread } from './tape-spread.ts';

function node(
  tape: Readonly<Record<string, unknown>>,
  of: { roles?: string[]; isAlive?: boolean } = {},
) {
  const report = { tapes: { SIM: { role: 'following', end: 0, ...tape } } };
  return { isAlive: true, roles: ['ingest', 'serve'], report, ...of };
}

test('the slowest node that is alive and serves says how far all have come', () => {
  const nodes = [
    node({ sequence: 90, daysAt: 70 }),
    node({ sequence: 80, daysAt: 75 }),
    node({ sequence: 1, daysAt: 1 }, { roles: ['ingest'] }),
    node({ sequence: 2, daysAt: 2 }, { isAlive: false }),
  ];
  assert.deepEqual(tapeSpread(nodes, 'SIM'), { read: 80, have: 70 });
});

test('of a node that has not said what it has, nothing is supposed', () => {
  assert.deepEqual(tapeSpread([node({ sequence: 90 })], 'SIM'), { read: 90, have: 0 });
  const silent = { isAlive: true, roles: ['serve'], report: {} };
  assert.deepEqual(tapeSpread([node({ sequence: 90, daysAt: 3 }), silent], 'SIM'), {
    read: 0,
    have: 0,
  });
});
