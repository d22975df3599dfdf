import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CloseCode } from '@tapeloom/protocol/close-codes';
import { GatewayCounters } from './gateway-metrics.ts';

test('clients cannot add series to the metrics by closing with codes of their own [SEC-36]', () => {
  const counters = new GatewayCounters();
  for (const code of Object.values(CloseCode)) counters.countClose(code);
  counters.countClose(1006);
  const known = Object.keys(counters.closesTotal).length;
  for (let code = 3_000; code < 5_000; code += 1) counters.countClose(code);
  assert.equal(Object.keys(counters.closesTotal).length, known + 1);
  assert.equal(counters.closesTotal.other, 2_000 - 4);
  assert.deepEqual([counters.closesTotal[4029], counters.closesTotal[1006]], [2, 1]);
});
