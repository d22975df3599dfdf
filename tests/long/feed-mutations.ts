/** One test per form of a group; each group is a process of its own, since one takes minutes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FUZZED_GROUPS,
  type FuzzedForm,
  fuzzFeed,
} from '../../packages/server/testing/feeds/feed-fuzz.ts';

export function testMutations(group: keyof typeof FUZZED_GROUPS): void {
  const forms: readonly FuzzedForm[] = FUZZED_GROUPS[group];
  for (const form of forms) {
    test(`100,000 mutations of files of ${form} are read or refused, whatever is wrong with them`, async (t) => {
      const outcome = await fuzzFeed(form, 100_000, Number(process.env.PROPERTY_SEED ?? '1') || 1);
      t.diagnostic(JSON.stringify(outcome));
      assert.ok(outcome.read > 0 && outcome.refused > 0);
    });
  }
}
