/**
 * `npm run recordings`: records the landing page's session, the day of its selvedge, and the minutes of the indicator
 * pages. A test fails when the engine or the simulator would record something else.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { recordIndicators } from './indicator-recorder.ts';
import { recordMinutes, recordSession } from './session-recorder.ts';

const text = await recordSession();
const packed = gzipSync(text, { level: 9, memLevel: 9 });
const path = join(import.meta.dirname, 'session.gz');
writeFileSync(path, packed);
const lines = text.split('\n').length - 2;
console.log(`wrote ${path}: ${lines} frames, ${text.length} bytes, ${packed.length} compressed`);

const minutesPath = join(import.meta.dirname, 'minutes.json');
// One minute a line, as the formatter leaves it.
const minutes = recordMinutes().map((minute) => `  [${minute.join(', ')}]`);
writeFileSync(minutesPath, `[\n${minutes.join(',\n')}\n]\n`);
console.log(`wrote ${minutesPath}`);

const folder = join(import.meta.dirname, 'indicators');
mkdirSync(folder, { recursive: true });
for (const [id, minute] of await recordIndicators()) {
  const small = gzipSync(minute, { level: 9, memLevel: 9 });
  writeFileSync(join(folder, `${id}.gz`), small);
  console.log(`wrote ${id}.gz: ${minute.length} bytes, ${small.length} compressed`);
}
