/** Reads how a dataset gets its trades: `live: { source: push, graceMs: 250, gapAfterMinutes: 15 }`. */

import { MINUTE_MS } from '@tapeloom/core/units';
import type { LiveFeed } from './instruments-file.ts';
import type { Reading } from './reading.ts';

const GRACE_MS = 250;
const GRACE_MS_MAX = 60_000;
const GAP_AFTER_MINUTES = 15;
const GAP_AFTER_MINUTES_MAX = 1_440;

export function readLive(reading: Reading): LiveFeed {
  const fields = reading.fields(['source', 'graceMs', 'gapAfterMinutes']);
  const source = fields.required('source', 'push', (field) => field.oneOf(['push']));
  const graceMs = fields.optional('graceMs', (field) => field.whole(0, GRACE_MS_MAX));
  const minutes = fields.optional('gapAfterMinutes', (it) => it.whole(1, GAP_AFTER_MINUTES_MAX));
  return {
    source,
    graceMs: graceMs ?? GRACE_MS,
    gapAfterMs: (minutes ?? GAP_AFTER_MINUTES) * MINUTE_MS,
  };
}
