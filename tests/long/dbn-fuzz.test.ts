import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzDbn } from '../../packages/server/testing/feeds/dbn-fuzz.ts';

test('1,000,000 mutations of DBN files are read or refused, whatever is wrong with them', (t) => {
  const outcome = fuzzDbn(1_000_000, Number(process.env.PROPERTY_SEED ?? '1') || 1);
  t.diagnostic(JSON.stringify(outcome));
  assert.ok(outcome.read > 0 && outcome.refused > 0);
});
