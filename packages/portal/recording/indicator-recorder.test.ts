import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parseRecording } from '@tapeloom/charts/feed/recording';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { recordIndicators } from './indicator-recorder.ts';

const PACKED_BYTES_MAX = 60_000;
const STALE = 'the service would say something else: npm run recordings';

test('every indicator has a recorded minute, small, and it is what the service says', async () => {
  const recorded = await recordIndicators();
  assert.deepEqual(
    [...recorded.keys()],
    INDICATORS.map(({ id }) => id),
  );
  for (const [id, now] of recorded) {
    const packed = readFileSync(join(import.meta.dirname, `indicators/${id}.gz`));
    assert.ok(packed.length < PACKED_BYTES_MAX, `${id}: ${packed.length} bytes`);
    assert.ok(gunzipSync(packed).toString() === now, `${id}: ${STALE}`);
    const { frames, requests } = parseRecording(now);
    for (const sub of Object.keys(requests)) {
      const kinds = frames.filter((frame) => frame.sub === sub).map(({ t }) => t);
      assert.equal(kinds[0], 'subscribed', id);
      assert.equal(kinds.filter((t) => t === 'snapshot').length, 1, id);
      // The minute must contain changes.
      assert.ok(
        kinds.some((t) => t === 'upsert' || t === 'remove'),
        `${id} ${sub}`,
      );
    }
    assert.doesNotMatch(now, /"state":"(?:stale|down|closed)"/, id);
  }
});
