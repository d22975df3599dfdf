import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzCsv } from '../../../testing/feeds/csv-fuzz.ts';

test('ordinary rows are read as all others: 5,000 mutations of texts end the same with and without their loop', (t) => {
  const outcome = fuzzCsv(5_000, 1);
  t.diagnostic(JSON.stringify(outcome));
  // The run is useful only if it had both outcomes.
  assert.ok(outcome.read > 500 && outcome.refused > 500 && outcome.trades > 5_000);
});
