/**
 * `node packages/portal/recording/record.ts`: records the session that the landing page replays, and the day
 * of its selvedge, anew. A test says when the engine or the simulator would record something else.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { recordMinutes, recordSession } from './session-recorder.ts';

const text = await recordSession();
const packed = gzipSync(text, { level: 9, memLevel: 9 });
const path = join(import.meta.dirname, 'session.gz');
writeFileSync(path, packed);
const lines = text.split('\n').length - 2;
console.log(`wrote ${path}: ${lines} frames, ${text.length} bytes, ${packed.length} compressed`);

const minutesPath = join(import.meta.dirname, 'minutes.json');
writeFileSync(minutesPath, `${JSON.stringify(recordMinutes())}\n`);
console.log(`wrote ${minutesPath}`);
