import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FUZZED_FORMS, fuzzFeed } from '../../packages/server/testing/feeds/feed-fuzz.ts';

for (const form of FUZZED_FORMS) {
  test(`100,000 mutations of files of ${form} are read or refused, whatever is wrong with them`, async (t) => {
    const outcome = await fuzzFeed(form, 100_000, Number(process.env.PROPERTY_SEED ?? '1') || 1);
    t.diagnostic(JSON.stringify(outcome));
    assert.ok(outcome.read > 0 && outcome.refused > 0);
  });
}
