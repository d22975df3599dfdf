/**
 * The golden day: pages, snapshots, estimates and exports of every indicator, and what streams
 * publish, equal the recorded digests. `GOLDEN=all` also compares a day with many more trades.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldenDigests, type ScaleName, writtenDigests } from './golden-day/golden-day.ts';
import type { Digests } from './golden-day/golden-digest.ts';

const SCALE_NAMES: readonly ScaleName[] =
  process.env.GOLDEN === 'all' ? ['small', 'all'] : ['small'];

for (const name of SCALE_NAMES) {
  test(`history, exports and streams of the golden day (${name}) are what they were [DET-01]`, async () => {
    const written = (await writtenDigests())[name];
    assert.deepEqual(differences(await goldenDigests(name), written), []);
  });
}

/** The names of cases that differ or that only one side has. */
function differences(found: Digests, written: Digests): readonly string[] {
  const names = new Set([...Object.keys(written), ...Object.keys(found)]);
  return [...names].filter((name) => found[name] !== written[name]);
}
