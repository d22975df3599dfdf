import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { recordMinutes, recordSession } from './session-recorder.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, name));
const STALE = 'the service would say something else: npm run recordings';

test('the recording of the landing page is what the service says, frame by frame', async () => {
  const [now, kept] = [await recordSession(), gunzipSync(read('session.gz')).toString()];
  const [nowLines, keptLines] = [now.split('\n'), kept.split('\n')];
  const other = keptLines.findIndex((line, index) => line !== nowLines[index]);
  assert.ok(now === kept, `line ${other}: ${STALE}`);
});

test('the day of the selvedge is what the study bars makes of it', () => {
  assert.deepEqual(recordMinutes(), JSON.parse(read('minutes.json').toString()), STALE);
});
